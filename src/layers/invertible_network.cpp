#include "invertible_network.hpp"

#include <cmath>

#include "mersenne_random.hpp"

namespace softradial::layers {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Bounds the stretch of each coupling by e: the map is bi-Lipschitz whatever the weights are.
constexpr double kRange = 1.0;

MatrixXd random_matrix(Index rows, Index columns, double size, MersenneRandom& random) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return size * random.normal(); });
}

}  // namespace

struct InvertibleNetwork::Pass {
  MatrixXd kept;
  MatrixXd hidden;   // tanh(W1 kept + b1)
  MatrixXd bounded;  // tanh of the raw scales
  MatrixXd stretch;  // exp(s)
  MatrixXd shift;    // t
};

// The inputs and passes of all couplings, and the result before the scale.
struct InvertibleNetwork::Record {
  std::vector<MatrixXd> inputs;
  std::vector<Pass> passes;
  MatrixXd last;
};

InvertibleNetwork::InvertibleNetwork(Index dim, int couplings, int hidden, double scale, std::uint64_t seed)
    : log_scale_(VectorXd::Constant(dim, std::log(scale))) {
  MersenneRandom random(seed);
  for (int i = 0; i < couplings; ++i) {
    Coupling c{.first_moves = i % 2 == 1, .W1 = {}, .b1 = {}, .W2 = {}, .b2 = {}};
    const Index out = moved(c);
    const Index in = dim - out;
    c.W1 = random_matrix(hidden, in, 1 / std::sqrt(static_cast<double>(std::max<Index>(in, 1))), random);
    c.b1 = random_matrix(hidden, 1, 0.1, random);
    // Small weights: at first the map is nearly a scaled identity.
    c.W2 = random_matrix(2 * out, hidden, 0.01 / std::sqrt(static_cast<double>(hidden)), random);
    c.b2 = MatrixXd::Zero(2 * out, 1);
    couplings_.push_back(std::move(c));
  }
}

InvertibleNetwork::Pass InvertibleNetwork::evaluate(const Coupling& c, const MatrixXd& z) const {
  const Index out = moved(c);
  Pass pass;
  pass.kept = z.middleRows(kept_begin(c), dim() - out);
  pass.hidden = ((c.W1 * pass.kept).colwise() + c.b1.col(0)).array().tanh();
  const MatrixXd raw = (c.W2 * pass.hidden).colwise() + c.b2.col(0);
  pass.bounded = raw.topRows(out).array().tanh();
  pass.stretch = (kRange * pass.bounded).array().exp();
  pass.shift = raw.bottomRows(out);
  return pass;
}

InvertibleNetwork::Record InvertibleNetwork::record(const MatrixXd& z) const {
  Record out{{}, {}, z};
  for (const Coupling& c : couplings_) {
    out.inputs.push_back(out.last);
    out.passes.push_back(evaluate(c, out.last));
    auto half = out.last.middleRows(moved_begin(c), moved(c));
    half = half.cwiseProduct(out.passes.back().stretch) + out.passes.back().shift;
  }
  return out;
}

MatrixXd InvertibleNetwork::forward(const MatrixXd& z) const {
  return log_scale_.array().exp().matrix().asDiagonal() * record(z).last;
}

MatrixXd InvertibleNetwork::inverse(const MatrixXd& y) const {
  MatrixXd z = (-log_scale_).array().exp().matrix().asDiagonal() * y;
  for (auto c = couplings_.rbegin(); c != couplings_.rend(); ++c) {
    const Pass pass = evaluate(*c, z);
    auto half = z.middleRows(moved_begin(*c), moved(*c));
    half = (half - pass.shift).cwiseQuotient(pass.stretch);
  }
  return z;
}

MatrixXd InvertibleNetwork::through_weights(const Coupling& c, const Pass& pass, const MatrixXd& grad_s,
                                            const MatrixXd& grad_t, Coupling* gradient) const {
  MatrixXd grad_raw(2 * grad_s.rows(), grad_s.cols());
  grad_raw << kRange * grad_s.cwiseProduct(MatrixXd((1 - pass.bounded.array().square()).matrix())), grad_t;
  const MatrixXd grad_hidden =
      (c.W2.transpose() * grad_raw).cwiseProduct(MatrixXd((1 - pass.hidden.array().square()).matrix()));
  if (gradient != nullptr) {
    gradient->W2 = grad_raw * pass.hidden.transpose();
    gradient->b2 = grad_raw.rowwise().sum();
    gradient->W1 = grad_hidden * pass.kept.transpose();
    gradient->b1 = grad_hidden.rowwise().sum();
  }
  return c.W1.transpose() * grad_hidden;
}

VectorXd InvertibleNetwork::forward_vjp(const VectorXd& z, const VectorXd& grad_y) const {
  const auto [inputs, passes, last] = record(z);
  MatrixXd g = log_scale_.array().exp().matrix().cwiseProduct(grad_y);
  for (std::size_t i = couplings_.size(); i-- > 0;) {
    const Coupling& c = couplings_[i];
    const MatrixXd grad_half = g.middleRows(moved_begin(c), moved(c));
    const MatrixXd stretched = grad_half.cwiseProduct(passes[i].stretch);
    const MatrixXd grad_s = stretched.cwiseProduct(inputs[i].middleRows(moved_begin(c), moved(c)));
    g.middleRows(kept_begin(c), dim() - moved(c)) += through_weights(c, passes[i], grad_s, grad_half, nullptr);
    g.middleRows(moved_begin(c), moved(c)) = stretched;
  }
  return g;
}

// c = (c' - t) exp(-s):   grad_c' = grad_c exp(-s),   grad_s = -grad_c c,   grad_t = -grad_c exp(-s).
VectorXd InvertibleNetwork::inverse_vjp(const VectorXd& y, const VectorXd& grad_z) const {
  std::vector<Pass> passes;
  std::vector<MatrixXd> outputs;
  MatrixXd z = (-log_scale_).array().exp().matrix().cwiseProduct(y);
  for (auto c = couplings_.rbegin(); c != couplings_.rend(); ++c) {
    passes.push_back(evaluate(*c, z));
    auto half = z.middleRows(moved_begin(*c), moved(*c));
    half = (half - passes.back().shift).cwiseQuotient(passes.back().stretch);
    outputs.push_back(z);
  }
  MatrixXd g = grad_z;
  for (std::size_t i = passes.size(); i-- > 0;) {
    const Coupling& c = couplings_[couplings_.size() - 1 - i];
    const MatrixXd grad_half = g.middleRows(moved_begin(c), moved(c));
    const MatrixXd shrunk = grad_half.cwiseQuotient(passes[i].stretch);
    const MatrixXd grad_s = -grad_half.cwiseProduct(outputs[i].middleRows(moved_begin(c), moved(c)));
    g.middleRows(kept_begin(c), dim() - moved(c)) += through_weights(c, passes[i], grad_s, -shrunk, nullptr);
    g.middleRows(moved_begin(c), moved(c)) = shrunk;
  }
  return (-log_scale_).array().exp().matrix().cwiseProduct(VectorXd(g));
}

void InvertibleNetwork::train_step(const MatrixXd& z, const std::function<MatrixXd(const MatrixXd&)>& loss,
                                   double learning_rate) {
  const auto [inputs, passes, last] = record(z);
  const MatrixXd y = log_scale_.array().exp().matrix().asDiagonal() * last;
  const MatrixXd grad_y = loss(y);
  // d(-log|det| / k): the log-determinant is the sum of all s and of all log scales.
  const double volume = -1.0 / static_cast<double>(dim());
  const double each = volume / static_cast<double>(z.cols());
  std::vector<Coupling> gradients = couplings_;
  const VectorXd grad_scale = grad_y.cwiseProduct(y).rowwise().sum().array() + volume;
  MatrixXd g = log_scale_.array().exp().matrix().asDiagonal() * grad_y;
  for (std::size_t i = couplings_.size(); i-- > 0;) {
    const Coupling& c = couplings_[i];
    const MatrixXd grad_half = g.middleRows(moved_begin(c), moved(c));
    const MatrixXd stretched = grad_half.cwiseProduct(passes[i].stretch);
    const MatrixXd grad_s =
        (stretched.cwiseProduct(inputs[i].middleRows(moved_begin(c), moved(c))).array() + each).matrix();
    g.middleRows(kept_begin(c), dim() - moved(c)) += through_weights(c, passes[i], grad_s, grad_half, &gradients[i]);
    g.middleRows(moved_begin(c), moved(c)) = stretched;
  }

  std::size_t place = 0;
  ++steps_;
  const auto adam = [&](auto& parameter, const MatrixXd& gradient) {
    constexpr double kFirst = 0.9;
    constexpr double kSecond = 0.999;
    if (place == first_.size()) {
      first_.emplace_back(MatrixXd::Zero(gradient.rows(), gradient.cols()));
      second_.emplace_back(MatrixXd::Zero(gradient.rows(), gradient.cols()));
    }
    MatrixXd& m = first_[place];
    MatrixXd& v = second_[place++];
    m = kFirst * m + (1 - kFirst) * gradient;
    v = kSecond * v + (1 - kSecond) * gradient.cwiseAbs2();
    const double m_scale = 1 / (1 - std::pow(kFirst, steps_));
    const double v_scale = 1 / (1 - std::pow(kSecond, steps_));
    parameter.array() -= learning_rate * m_scale * m.array() / ((v_scale * v.array()).sqrt() + 1e-8);
  };
  for (std::size_t i = 0; i < couplings_.size(); ++i) {
    adam(couplings_[i].W1, gradients[i].W1);
    adam(couplings_[i].b1, gradients[i].b1);
    adam(couplings_[i].W2, gradients[i].W2);
    adam(couplings_[i].b2, gradients[i].b2);
  }
  adam(log_scale_, grad_scale);
}

}  // namespace softradial::layers
