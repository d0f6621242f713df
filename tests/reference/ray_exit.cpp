#include "reference/ray_exit.hpp"

#include <limits>
#include <vector>

namespace softradial::reference {
namespace {

constexpr long double kFarAway = 1e12L;
constexpr double kRoundingSlack = 1e-12;

class InsideAlongRay {
 public:
  InsideAlongRay(const ConvexSet& set, const Eigen::VectorXd& anchor, const Eigen::VectorXd& direction)
      : set_(set), anchor_(anchor), direction_(direction), point_(anchor), slacks_(set.num_inequalities()) {
    evaluate();
    for (double slack : slacks_) takes_part_.push_back(slack > kRoundingSlack);
  }

  bool operator()(long double t) {
    for (Eigen::Index j = 0; j < point_.size(); ++j) {
      point_[j] = static_cast<double>(static_cast<long double>(anchor_[j]) + t * direction_[j]);
    }
    evaluate();
    for (std::size_t i = 0; i < slacks_.size(); ++i) {
      if (takes_part_[i] && !(slacks_[i] >= 0)) return false;
    }
    return true;
  }

 private:
  void evaluate() { set_.slacks({point_.data(), static_cast<std::size_t>(point_.size())}, slacks_); }

  const ConvexSet& set_;
  const Eigen::VectorXd& anchor_;
  const Eigen::VectorXd& direction_;
  Eigen::VectorXd point_;
  std::vector<double> slacks_;
  std::vector<bool> takes_part_;
};

}  // namespace

long double ray_exit(const ConvexSet& set, const Eigen::VectorXd& anchor, const Eigen::VectorXd& direction) {
  InsideAlongRay inside(set, anchor, direction);
  long double outside = 1e-12L;
  while (inside(outside)) {
    outside *= 2;
    if (outside > kFarAway) return std::numeric_limits<long double>::infinity();
  }
  long double lower = outside / 2;
  for (int step = 0; step < 64; ++step) {
    const long double middle = (lower + outside) / 2;
    (inside(middle) ? lower : outside) = middle;
  }
  return lower;
}

long double gauge_by_bisection(const ConvexSet& set, const Eigen::VectorXd& anchor, const Eigen::VectorXd& direction) {
  return 1 / ray_exit(set, anchor, direction);
}

}  // namespace softradial::reference
