#include "set_facts.hpp"

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "eigen_tensors.hpp"

namespace softradial::ops {
namespace {

// Hashes a Description. -0 and 0 are equal numbers, and std::hash gives them equal hashes.
class Hasher {
 public:
  void add(const Description& description) {
    mix(std::hash<std::string>()(description.type));
    for (const auto& [name, value] : description.fields) {
      mix(std::hash<std::string>()(name));
      std::visit([this](const auto& data) { add(data); }, value);
    }
  }
  void add(double value) { mix(std::hash<double>()(value)); }
  template <class Derived>
  void add(const Eigen::PlainObjectBase<Derived>& matrix) {
    mix(static_cast<std::size_t>(matrix.rows()));
    for (Eigen::Index k = 0; k < matrix.size(); ++k) add(matrix.data()[k]);
  }
  void add(const SparseMatrix& matrix) {
    mix(static_cast<std::size_t>(matrix.nonZeros()));
    for (Eigen::Index i = 0; i < matrix.outerSize(); ++i) {
      for (SparseMatrix::InnerIterator entry(matrix, i); entry; ++entry) add(entry.value());
    }
  }
  template <class Part>
  void add(const std::vector<Part>& parts) {
    for (const Part& part : parts) add(part);
  }

  [[nodiscard]] int64_t result() const noexcept { return static_cast<int64_t>(value_); }

 private:
  void mix(std::size_t more) noexcept { value_ ^= more + 0x9e3779b97f4a7c15U + (value_ << 6U) + (value_ >> 2U); }

  std::size_t value_ = 0;
};

}  // namespace

c10::optional<at::Tensor> known_anchor(const Set& set) {
  const std::optional<Eigen::VectorXd> point = set.anchor() ? set.anchor() : set->closed_form_anchor();
  return point ? c10::make_optional(to_tensor(*point)) : c10::nullopt;
}

int64_t hash_of(const Set& set) {
  Hasher hasher;
  hasher.add(set->describe());
  if (set.anchor()) hasher.add(*set.anchor());
  return hasher.result();
}

}  // namespace softradial::ops
