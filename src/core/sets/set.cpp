#include "softradial/set.hpp"

#include "sets/combinators/parts.hpp"
#include "softradial/errors.hpp"

namespace softradial {

TensorGaugeAt ConvexSet::gauge_in_tensors(const Tensor& /*anchor*/, const SampleTensors& /*data*/) const {
  throw InvalidSet(describe().type + ": an anchor for each sample is not available for this set");
}

std::optional<Set> ConvexSet::in_sizes(const Eigen::VectorXd& /*sizes*/) const { return std::nullopt; }

Set Set::with_anchor(Eigen::VectorXd anchor) const {
  Set result = *this;
  result.anchor_ = std::move(anchor);
  return result;
}

bool Set::operator==(const Set& other) const {
  const bool same_anchor = anchor_.has_value() == other.anchor_.has_value() &&
                           (!anchor_ || (anchor_->size() == other.anchor_->size() && *anchor_ == *other.anchor_));
  if (!same_anchor) return false;
  if (set_ == other.set_) return true;
  const Description mine = set_->describe();
  return !is_opaque(mine) && mine == other.set_->describe();
}

std::string to_string(const Set& set) { return to_string(described(set)); }

}  // namespace softradial
