#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "softradial/description.hpp"
#include "softradial/set.hpp"

namespace softradial::ops {

// The sets of a batch as sets of the core, one for each row of (..., width): the set's description with its data replaced by
// those of the sample. `scale` becomes a scaled set. Names are those of a layer's call (samples.hpp).
class SampleSets {
 public:
  // Throws ShapeError if the data do not broadcast over the rows.
  SampleSets(const Set& set, const at::Tensor& rows, at::TensorList data, const c10::List<std::string>& names);

  [[nodiscard]] int64_t count() const noexcept { return count_; }
  // Returns nothing if the data do not describe a set: NaN, contradictions.
  [[nodiscard]] std::optional<Set> set(int64_t sample) const;
  // The sample's own anchor, if anchors are given.
  [[nodiscard]] std::optional<Eigen::VectorXd> anchor(int64_t sample) const;

 private:
  struct Given {
    std::vector<std::size_t> parts;  // path to the set with this field, through the parts of intersections
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

// The path to the set, or part of an intersection, that has data of this name for each sample. "1.b" is the b of the
// intersection's part 1; "b" is that of the only part that has one. Throws InvalidSet, which lists the names there are.
[[nodiscard]] std::vector<std::size_t> part_with_data(const Set& set, const std::string& name);

// Throws InvalidSet, which says that the set has no such data and lists what it has.
[[noreturn]] void refuse_data(const Set& set, const std::string& name);

// "a box", "an intersection"
[[nodiscard]] std::string with_article(const std::string& noun);

// The name without its path.
[[nodiscard]] std::string field_of(const std::string& name);

}  // namespace softradial::ops
