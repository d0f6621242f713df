#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <string>
#include <string_view>

#include "softradial/description.hpp"

// Checks for the constructors of sets. Every failure is an InvalidSet "<set>: <what is wrong, with index and value>".
namespace softradial {

[[noreturn]] void reject(std::string_view set, const std::string& message);

// A dimension beyond this is a slip of the keyboard rather than a set: the bounds of a box alone would take 4 GB.
inline constexpr std::size_t kMaxDim = std::size_t{1} << 24;

// Requires 1 <= dim <= kMaxDim. Returns dim, so that it can stand in a member initialiser.
std::size_t require_dim(std::string_view set, std::size_t dim);

void require_finite(std::string_view set, std::string_view name, double value);
void require_finite(std::string_view set, std::string_view name, const Eigen::VectorXd& values);
void require_finite(std::string_view set, std::string_view name, const Eigen::MatrixXd& values);
void require_finite(std::string_view set, std::string_view name, const SparseMatrix& values);

// Requires a positive and finite value.
void require_positive(std::string_view set, std::string_view name, double value);

// Requires the expected number of entries: "<set>: b has 3 entries for 4 rows of A"
void require_entries(std::string_view set, std::string_view name, Eigen::Index size, Eigen::Index expected,
                     std::string_view of);

// Requires S square, finite and symmetric up to the rounding of a computed matrix: |S_ij - S_ji| <= k eps max|S|, S of size k.
void require_symmetric(std::string_view set, std::string_view name, const Eigen::MatrixXd& S);

}  // namespace softradial
