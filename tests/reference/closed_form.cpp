#include "reference/closed_form.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "softradial/sets/levels.hpp"

namespace softradial::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double lp_norm(const VectorXd& v, double p) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (std::isinf(p) || largest == 0) return largest;
  return largest * std::pow((v.cwiseAbs() / largest).array().pow(p).sum(), 1 / p);
}

double level(const LpDistanceForm& h, const VectorXd& x) { return lp_norm(x - h.center, h.p) - h.radius; }

double level(const LogSumExpForm& h, const VectorXd& x) {
  const double largest = x.maxCoeff();
  return largest + std::log((x.array() - largest).exp().sum()) - h.bound;
}

double level(const DivergenceForm& h, const VectorXd& x) {
  double sum = 0;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double start = h.edge * h.reference[j];
    sum += x[j] >= start ? x[j] * std::log(x[j] / h.reference[j]) : x[j] * (std::log(h.edge) + 1) - start;
  }
  return sum - h.radius;
}

double level(const std::shared_ptr<const ConvexFunction>& h, const VectorXd& x) {
  return h->value({x.data(), static_cast<std::size_t>(x.size())});
}

double value(const SidesForm& form, const VectorXd& d) {
  const double up = d.cwiseProduct(form.up).maxCoeff();
  const double down = -d.cwiseProduct(form.down).minCoeff();
  return std::max({up, down, 0.0});
}

double value(const RowsForm& form, const VectorXd& d) {
  if (form.W.rows() == 0) return 0;
  return std::max(0.0, (form.W * d).maxCoeff());
}

double value(const QuadraticForm& form, const VectorXd& d) {
  const double b = form.beta.dot(d);
  const double c = (form.V * d).squaredNorm() + form.inflation * d.squaredNorm();
  return b + std::sqrt(c + b * b);
}

double value(const ConeForm& form, const VectorXd& d) { return std::max(0.0, (form.W * d).norm() - form.tau.dot(d)); }

double value(const LmiForm& form, const VectorXd& d) {
  MatrixXd sum = MatrixXd::Zero(form.G.front().rows(), form.G.front().cols());
  for (std::size_t i = 0; i < form.G.size(); ++i) sum += d[static_cast<Eigen::Index>(i)] * form.G[i];
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(sum, Eigen::EigenvaluesOnly);
  return std::max(0.0, solver.eigenvalues().maxCoeff());
}

double value(const NormForm& form, const VectorXd& d) { return form.scale * lp_norm(d, form.p); }

double value(const LevelForm& form, const VectorXd& d) {
  const VectorXd v = d.normalized();
  const auto inside = [&](double t) {
    return std::visit([&](const auto& h) { return level(h, form.u0 + t * v); }, form.function) <= 0;
  };
  double low = 0;
  double high = form.longest;
  if (inside(high)) return 0;
  for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
    (inside(middle) ? low : high) = middle;
  }
  return form.grow * d.norm() / low;
}

double value(const MaxForm& form, const VectorXd& d) {
  double largest = 0;
  for (const PartForm& part : form.parts) {
    const VectorXd columns =
        d.segment(static_cast<Eigen::Index>(part.first_column), static_cast<Eigen::Index>(part.dim));
    largest = std::max(largest, evaluate(part.form, columns));
  }
  return largest;
}

double value(const AffineForm& form, const VectorXd& d) { return form.grow * evaluate(*form.inner, form.A * d); }

double value(const ScaledForm& form, const VectorXd& d) { return form.grow * evaluate(*form.inner, form.factor * d); }

}  // namespace

double evaluate(const GaugeForm& form, const VectorXd& d) {
  if (d.isZero(0)) return 0;
  return std::visit([&](const auto& f) { return value(f, d); }, form);
}

}  // namespace softradial::reference
