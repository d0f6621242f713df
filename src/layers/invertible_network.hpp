#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace softradial::layers {

// A bi-Lipschitz bijection of R^k, made of couplings. In each, one half a of the coordinates moves the other half c:
//   c <- c exp(s(a)) + t(a),   s = kRange tanh(.), (s, t) from one hidden layer of tanh,
// then a scale for each coordinate. Columns are samples. All derivatives are written out: no framework.
class InvertibleNetwork {
 public:
  InvertibleNetwork(Eigen::Index dim, int couplings, int hidden, double scale, std::uint64_t seed);

  [[nodiscard]] Eigen::Index dim() const noexcept { return log_scale_.size(); }
  [[nodiscard]] Eigen::MatrixXd forward(const Eigen::MatrixXd& z) const;
  [[nodiscard]] Eigen::MatrixXd inverse(const Eigen::MatrixXd& y) const;
  // J' grad_y at z, and (J^-1)' grad_z at y: the transposed derivatives of the two maps.
  [[nodiscard]] Eigen::VectorXd forward_vjp(const Eigen::VectorXd& z, const Eigen::VectorXd& grad_y) const;
  [[nodiscard]] Eigen::VectorXd inverse_vjp(const Eigen::VectorXd& y, const Eigen::VectorXd& grad_z) const;

  // One step of Adam on  mean over the samples of loss(y) - log|det J| / k. `loss` receives y (k x batch) and returns the
  // cotangents of its mean.
  void train_step(const Eigen::MatrixXd& z, const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& loss,
                  double learning_rate);

 private:
  struct Coupling {
    bool first_moves;  // which half is moved
    Eigen::MatrixXd W1, b1, W2, b2;
  };
  struct Pass;    // what one coupling saves for its derivative
  struct Record;  // what all couplings save

  [[nodiscard]] Eigen::Index moved(const Coupling& c) const noexcept {
    return c.first_moves ? dim() / 2 : dim() - dim() / 2;
  }
  [[nodiscard]] Eigen::Index moved_begin(const Coupling& c) const noexcept { return c.first_moves ? 0 : dim() / 2; }
  [[nodiscard]] Eigen::Index kept_begin(const Coupling& c) const noexcept { return c.first_moves ? dim() / 2 : 0; }
  [[nodiscard]] Record record(const Eigen::MatrixXd& z) const;
  [[nodiscard]] Pass evaluate(const Coupling& c, const Eigen::MatrixXd& z) const;
  // Turns the cotangents grad_s and grad_t into that of the half that is kept; with `gradient`, also into those of the weights.
  [[nodiscard]] Eigen::MatrixXd through_weights(const Coupling& c, const Pass& pass, const Eigen::MatrixXd& grad_s,
                                                const Eigen::MatrixXd& grad_t, Coupling* gradient) const;

  std::vector<Coupling> couplings_;
  Eigen::VectorXd log_scale_;
  // The first and second moments of Adam for each parameter, and the number of steps.
  std::vector<Eigen::MatrixXd> first_;
  std::vector<Eigen::MatrixXd> second_;
  int steps_ = 0;
};

}  // namespace softradial::layers
