#include "sets/validation.hpp"

#include <cmath>
#include <limits>

#include "sets/number_text.hpp"
#include "softradial/errors.hpp"

namespace softradial {
namespace {

std::string indexed(std::string_view name, Eigen::Index i) { return std::string(name) + "[" + std::to_string(i) + "]"; }

std::string indexed(std::string_view name, Eigen::Index i, Eigen::Index j) { return indexed(indexed(name, i), j); }

}  // namespace

void reject(std::string_view set, const std::string& message) { throw InvalidSet(std::string(set) + ": " + message); }

std::size_t require_dim(std::string_view set, std::size_t dim) {
  if (dim == 0) reject(set, "the dimension is 0");
  if (dim > kMaxDim) {
    reject(set, "the dimension " + std::to_string(dim) + " is above the largest one, " + std::to_string(kMaxDim));
  }
  return dim;
}

void require_finite(std::string_view set, std::string_view name, double value) {
  if (!std::isfinite(value)) reject(set, std::string(name) + " is " + number_text(value) + ", not a finite number");
}

void require_finite(std::string_view set, std::string_view name, const Eigen::VectorXd& values) {
  if (values.allFinite()) return;
  for (Eigen::Index i = 0; i < values.size(); ++i) require_finite(set, indexed(name, i), values[i]);
}

void require_finite(std::string_view set, std::string_view name, const Eigen::MatrixXd& values) {
  if (values.allFinite()) return;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    for (Eigen::Index j = 0; j < values.cols(); ++j) require_finite(set, indexed(name, i, j), values(i, j));
  }
}

void require_finite(std::string_view set, std::string_view name, const SparseMatrix& values) {
  for (Eigen::Index i = 0; i < values.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator entry(values, i); entry; ++entry) {
      if (!std::isfinite(entry.value())) require_finite(set, indexed(name, i, entry.col()), entry.value());
    }
  }
}

void require_positive(std::string_view set, std::string_view name, double value) {
  require_finite(set, name, value);
  if (!(value > 0)) reject(set, std::string(name) + " is " + number_text(value) + ", not positive");
}

void require_entries(std::string_view set, std::string_view name, Eigen::Index size, Eigen::Index expected,
                     std::string_view of) {
  if (size != expected) {
    reject(set, std::string(name) + " has " + std::to_string(size) + " entries for " + std::to_string(expected) + " " +
                    std::string(of));
  }
}

void require_symmetric(std::string_view set, std::string_view name, const Eigen::MatrixXd& S) {
  if (S.rows() != S.cols()) {
    reject(set,
           std::string(name) + " is " + std::to_string(S.rows()) + "x" + std::to_string(S.cols()) + ", not square");
  }
  require_finite(set, name, S);
  if (S.size() == 0) return;
  const double tolerance =
      static_cast<double>(S.rows()) * std::numeric_limits<double>::epsilon() * S.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (std::abs(S(i, j) - S(j, i)) > tolerance) {
        reject(set, std::string(name) + " is not symmetric: " + indexed(name, j, i) + " is " + number_text(S(j, i)) +
                        " and " + indexed(name, i, j) + " is " + number_text(S(i, j)));
      }
    }
  }
}

}  // namespace softradial
