#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace softradial {

// A quadratic programme as a layer, with one problem for each sample of a batch, in double precision:
//
//   x(p, b, h) = argmin 1/2 x'Q x + p'x   subject to   A x = b,  G x <= h
//
// Q is positive definite. A whole batch is solved by the alternating direction method of multipliers on the splitting of
// OSQP (Stellato et al. 2020), with one factorisation for all samples; then the problem is solved exactly on the active
// rows that were found. Gradients come from the KKT system at the solution (Amos and Kolter 2017): docs/methods/qp.md.
class QpLayer {
 public:
  struct Options {
    double tolerance = 1e-9;  // for the residuals, relative to the data, of samples without an exact solution
    int max_iterations = 20000;
  };

  QpLayer(const Eigen::MatrixXd& Q, const Eigen::MatrixXd& G, const Eigen::VectorXd& h, const Eigen::MatrixXd& A,
          const Eigen::VectorXd& b, const Options& options);
  QpLayer(const Eigen::MatrixXd& Q, const Eigen::MatrixXd& G, const Eigen::VectorXd& h, const Eigen::MatrixXd& A,
          const Eigen::VectorXd& b)
      : QpLayer(Q, G, h, A, b, Options()) {}

  [[nodiscard]] Eigen::Index dim() const noexcept { return Q_.rows(); }
  [[nodiscard]] Eigen::Index num_inequalities() const noexcept { return G_.rows(); }
  [[nodiscard]] Eigen::Index num_equalities() const noexcept { return A_.rows(); }

  // Columns are samples.
  struct Solution {
    Eigen::MatrixXd x;           // (dim, batch)
    Eigen::MatrixXd duals;       // (num_inequalities, batch), not negative; 0 on rows that are not active
    Eigen::MatrixXd prices;      // (num_equalities, batch)
    std::size_t iterations = 0;  // summed over the samples
    std::size_t unsolved = 0;    // samples whose residuals stayed above the tolerance
  };
  [[nodiscard]] Solution solve(const Eigen::MatrixXd& p) const;
  // With right-hand sides for each sample: h (num_inequalities, batch), b (num_equalities, batch).
  [[nodiscard]] Solution solve(const Eigen::MatrixXd& p, const Eigen::MatrixXd& h, const Eigen::MatrixXd& b) const;

  // Cotangents of all data, computed from the cotangent of x.
  struct Gradient {
    Eigen::MatrixXd p;  // (dim, batch)
    Eigen::MatrixXd h;  // (num_inequalities, batch)
    Eigen::MatrixXd b;  // (num_equalities, batch)
    Eigen::MatrixXd Q;  // summed over the batch, symmetric
    Eigen::MatrixXd G;
    Eigen::MatrixXd A;
  };
  [[nodiscard]] Gradient vjp(const Solution& at, const Eigen::MatrixXd& grad_x) const;

 private:
  Eigen::MatrixXd Q_;
  Eigen::MatrixXd G_;
  Eigen::VectorXd h_;
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_;
  Options options_;
  Eigen::MatrixXd rows_;  // [A; G], each row divided by its length
  Eigen::VectorXd lengths_;
  Eigen::MatrixXd inverse_Q_;  // with the two products below: for the exact solution on an active set
  Eigen::MatrixXd Qr_;         // Q^-1 rows'
  Eigen::MatrixXd gram_;       // rows Q^-1 rows'
};

}  // namespace softradial
