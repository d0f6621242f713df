#pragma once

#include <Eigen/Core>

#include "softradial/anchor.hpp"
#include "softradial/gauge.hpp"
#include "softradial/set.hpp"

namespace softradial::support {

// The library's gauge of a set at an anchor, one direction at a time.
class GaugeProbe {
 public:
  GaugeProbe(const Set& set, const Anchor& anchor)
      : gauge_(set->gauge<double>({anchor.point, anchor.hull})), scratch_(gauge_->make_scratch(1)) {}

  [[nodiscard]] const Gauge<double>& gauge() const { return *gauge_; }

  [[nodiscard]] GaugeAt<double> at(const Eigen::VectorXd& d) {
    GaugeAt<double> result;
    gauge_->evaluate({d.data(), 1, static_cast<std::size_t>(d.size())}, {&result, 1}, *scratch_);
    return result;
  }
  [[nodiscard]] double value(const Eigen::VectorXd& d) { return at(d).gamma; }

  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& d) {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(d.size());
    const auto n = static_cast<std::size_t>(d.size());
    gauge_->add_gradient(1.0, {d.data(), n}, at(d), {out.data(), n}, *scratch_);
    return out;
  }

 private:
  GaugePtr<double> gauge_;
  std::unique_ptr<GaugeScratch> scratch_;
};

}  // namespace softradial::support
