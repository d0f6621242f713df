#include "anchor/linear_barrier.hpp"

namespace softradial {
namespace {

// From this share of non-zeros on, one dense product beats the outer products of the sparse rows.
constexpr double kDenseShare = 0.1;

}  // namespace

LinearBarrier::LinearBarrier(const LinearPart& part) : part_(part) {
  const auto num_rows = static_cast<Eigen::Index>(part.free_rows().size());
  const auto dim = static_cast<Eigen::Index>(part.dim());
  double entries = 0;
  for (const FreeRow& free_row : part.free_rows()) entries += static_cast<double>(part.entries(free_row).size());
  if (entries < kDenseShare * static_cast<double>(num_rows) * static_cast<double>(dim)) return;
  rows_ = Eigen::MatrixXd::Zero(num_rows, dim + 1);
  for (Eigen::Index i = 0; i < num_rows; ++i) {
    const FreeRow& free_row = part.free_rows()[static_cast<std::size_t>(i)];
    for (const LinearSystem::Entry& entry : part.entries(free_row)) {
      rows_(i, static_cast<Eigen::Index>(entry.column)) += entry.value / free_row.norm;
    }
    rows_(i, dim) = -1;
  }
}

Eigen::VectorXd LinearBarrier::slacks(const Eigen::VectorXd& x, double t) const {
  Eigen::VectorXd out(static_cast<Eigen::Index>(part_.free_rows().size()));
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const FreeRow& free_row = part_.free_rows()[static_cast<std::size_t>(i)];
    out[i] = residual(part_.row(free_row), x.data()) / free_row.norm + t;
  }
  return out;
}

Eigen::VectorXd LinearBarrier::rows_times(const Eigen::VectorXd& x) const {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(part_.free_rows().size()));
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const FreeRow& free_row = part_.free_rows()[static_cast<std::size_t>(i)];
    for (const LinearSystem::Entry& entry : part_.entries(free_row)) {
      out[i] += entry.value / free_row.norm * x[static_cast<Eigen::Index>(entry.column)];
    }
  }
  return out;
}

bool LinearBarrier::add_to(BarrierTerms& terms, const Eigen::VectorXd& x, double t) const {
  if (part_.free_rows().empty()) return true;
  const Eigen::VectorXd s = slacks(x, t);
  if (!(s.array() > 0).all()) return false;
  terms.value -= s.array().log().sum();
  add_derivatives(terms, s.cwiseInverse());
  return true;
}

void LinearBarrier::add_derivatives(BarrierTerms& terms, const Eigen::VectorXd& inverse_slacks) const {
  if (rows_.size() > 0) {
    add_dense(terms, inverse_slacks);
  } else {
    add_sparse(terms, inverse_slacks);
  }
}

void LinearBarrier::add_rows(BarrierTerms& terms, const Eigen::VectorXd& weights) const {
  if (rows_.size() > 0) {
    terms.gradient += rows_.transpose() * weights;
    return;
  }
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const FreeRow& free_row = part_.free_rows()[static_cast<std::size_t>(i)];
    for (const LinearSystem::Entry& entry : part_.entries(free_row)) {
      terms.gradient[static_cast<Eigen::Index>(entry.column)] += weights[i] * entry.value / free_row.norm;
    }
    terms.gradient[static_cast<Eigen::Index>(part_.dim())] -= weights[i];
  }
}

// gradient += R' w,  Hessian += (W R)'(W R),  R the rows (a_i / norm_i, -1), w_i = 1 / s_i, W = diag(w).
void LinearBarrier::add_dense(BarrierTerms& terms, const Eigen::VectorXd& inverse_slacks) const {
  const Eigen::MatrixXd scaled = inverse_slacks.asDiagonal() * rows_;
  terms.gradient += scaled.colwise().sum().transpose();
  Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(rows_.cols(), rows_.cols());
  lower.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  terms.hessian += lower.selfadjointView<Eigen::Lower>();
}

void LinearBarrier::add_sparse(BarrierTerms& terms, const Eigen::VectorXd& inverse_slacks) const {
  const auto dim = static_cast<Eigen::Index>(part_.dim());
  for (Eigen::Index i = 0; i < inverse_slacks.size(); ++i) {
    const FreeRow& free_row = part_.free_rows()[static_cast<std::size_t>(i)];
    const double w = inverse_slacks[i];
    for (const LinearSystem::Entry& a : part_.entries(free_row)) {
      const auto column = static_cast<Eigen::Index>(a.column);
      const double scaled = w * a.value / free_row.norm;
      terms.gradient[column] += scaled;
      terms.hessian(dim, column) -= w * scaled;
      terms.hessian(column, dim) -= w * scaled;
      for (const LinearSystem::Entry& b : part_.entries(free_row)) {
        terms.hessian(static_cast<Eigen::Index>(b.column), column) += scaled * (w * b.value / free_row.norm);
      }
    }
    terms.gradient[dim] -= w;
    terms.hessian(dim, dim) += w * w;
  }
}

}  // namespace softradial
