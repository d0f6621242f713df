#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "softradial/description.hpp"
#include "softradial/set.hpp"

namespace softradial::ops {

// The sets of a batch as sets of the core, one for each row of (..., width): the set's description, with the data of the
// sample in the place of its own. `scale` becomes a scaled set. Names as a layer's call gives them (samples.hpp).
class SampleSets {
 public:
  // Throws ShapeError for data that do not broadcast over the rows.
  SampleSets(const Set& set, const at::Tensor& rows, at::TensorList data, const c10::List<std::string>& names);

  [[nodiscard]] int64_t count() const noexcept { return count_; }
  // None where the data are not those of a set: NaN, contradictions.
  [[nodiscard]] std::optional<Set> set(int64_t sample) const;
  // The sample's own, where anchors are given.
  [[nodiscard]] std::optional<Eigen::VectorXd> anchor(int64_t sample) const;

 private:
  struct Given {
    std::vector<std::size_t> parts;  // the way down to the set that has the field: parts of intersections
    std::string field;
    at::Tensor values;  // (count, ...), in double
  };
  const Set& own_;
  Description description_;
  int64_t count_;
  std::vector<Given> given_;
  at::Tensor scale_;
  at::Tensor anchor_;
};

// Where a set, or the parts of an intersection, has data of this name for each sample: the way down to it. "1.b" is that of
// the intersection's part 1; "b" that of the only part which has one. Throws InvalidSet, saying what there is.
[[nodiscard]] std::vector<std::size_t> part_with_data(const Set& set, const std::string& name);

// Throws InvalidSet: the set has no such data; and what it has.
[[noreturn]] void refuse_data(const Set& set, const std::string& name);

// "a box", "an intersection"
[[nodiscard]] std::string with_article(const std::string& noun);

// The name without its way.
[[nodiscard]] std::string field_of(const std::string& name);

}  // namespace softradial::ops
