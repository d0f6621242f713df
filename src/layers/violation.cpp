#include "softradial/violation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "softradial/errors.hpp"

namespace softradial {
namespace {

// out += factor * row
void add_row(double factor, const LinearSystem::Row& row, std::span<double> out) {
  for (const auto& entry : row.entries) out[entry.column] += factor * entry.value;
}

// |f| + sum_j |e_j x_j|
double size_of_terms(const LinearSystem::Row& row, std::span<const double> x) {
  double sum = std::abs(row.bound);
  for (const auto& entry : row.entries) sum += std::abs(entry.value * x[entry.column]);
  return sum;
}

bool has_nan(std::span<const double> x) {
  return std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
}

}  // namespace

const LinearRounding::Found& LinearRounding::found() {
  if (!found_) found_ = std::make_shared<const Found>(find_anchor(set_));
  return *found_;
}

bool LinearRounding::explains_equality(const LinearSystem::Row& row, double off, std::span<const double> x,
                                       double ulp) {
  const double share = 4 * static_cast<double>(x.size()) * ulp;
  if (off <= share * size_of_terms(row, x)) return true;
  const Anchor& anchor = found().anchor;
  if (anchor.status != AnchorStatus::found) return false;
  std::vector<double> largest(x.begin(), x.end());
  for (const auto& entry : row.entries) {
    double& size = largest[entry.column];
    size = std::max(std::abs(size), std::abs(anchor.point[static_cast<Eigen::Index>(entry.column)]));
  }
  return off <= share * size_of_terms(row, largest);
}

bool LinearRounding::explains_inequality(const LinearSystem::Row& row, double off, std::span<const double> x,
                                         double ulp) {
  if (!explains_equality(row, off, x, ulp) || found().anchor.status != AnchorStatus::found) return false;
  return found().reach.length(row.entries) == 0;
}

ViolationMeter::ViolationMeter(const Set& set)
    : set_(set), linear_(set.dim()), slacks_(set->num_inequalities()), rounding_(set) {
  if (set->append_linear(linear_)) return;
  std::set<std::string> names;
  for (const auto& row : linear_.inequalities()) names.insert(row.name);
  for (std::size_t i = 0; i < slacks_.size(); ++i) {
    if (!names.contains(set->inequality_name(i))) curved_.push_back(i);
  }
}

std::span<const double> ViolationMeter::slacks_at(std::span<const double> x) {
  if (x.size() != set_.dim()) {
    throw ShapeError("x has " + std::to_string(x.size()) + " numbers, the set has dimension " +
                     std::to_string(set_.dim()));
  }
  set_->slacks(x, slacks_);
  return slacks_;
}

ViolationMeter::Violation ViolationMeter::operator()(std::span<const double> x) {
  Violation out;
  for (const double slack : slacks_at(x)) out.inequality = std::max(out.inequality, -slack);
  for (const auto& row : linear_.equalities()) {
    const double off = std::abs(residual(row, x.data()));
    if (!(off >= out.equality)) continue;
    out.equality = off;
    out.rounding = size_of_terms(row, x);
  }
  if (has_nan(x)) out.inequality = out.equality = std::numeric_limits<double>::quiet_NaN();
  return out;
}

double ViolationMeter::beyond_rounding(std::span<const double> x, double ulp) {
  double worst = 0;
  const std::span<const double> slacks = slacks_at(x);
  for (const std::size_t i : curved_) worst = std::max(worst, -slacks[i]);
  for (const auto& row : linear_.inequalities()) {
    const double off = -residual(row, x.data());
    if (!(off > worst)) continue;
    if (!rounding_.explains_inequality(row, off, x, ulp)) worst = off;
  }
  for (const auto& row : linear_.equalities()) {
    const double off = std::abs(residual(row, x.data()));
    if (off > worst && !rounding_.explains_equality(row, off, x, ulp)) worst = off;
  }
  return has_nan(x) ? std::numeric_limits<double>::quiet_NaN() : worst;
}

double ViolationMeter::penalty(std::span<const double> x) {
  double sum = 0;
  for (const double slack : slacks_at(x)) sum += slack < 0 ? slack * slack : 0;
  for (const auto& row : linear_.equalities()) {
    const double off = residual(row, x.data());
    sum += off * off;
  }
  return sum;
}

void ViolationMeter::add_penalty_gradient(double scale, std::span<const double> x, std::span<double> out) {
  // residual = bound - row.x:  grad residual^2 = -2 residual row.
  for (const auto& row : linear_.equalities()) add_row(-2 * scale * residual(row, x.data()), row, out);
  for (const auto& row : linear_.inequalities()) {
    const double slack = residual(row, x.data());
    if (slack < 0) add_row(-2 * scale * slack, row, out);
  }
  const std::span<const double> slacks = slacks_at(x);
  std::vector<std::pair<std::size_t, double>> broken;
  for (const std::size_t i : curved_) {
    if (slacks[i] < 0) broken.emplace_back(i, slacks[i]);
  }
  if (broken.empty()) return;
  std::vector<double> at(x.begin(), x.end());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double h = 1e-6 * std::max(1.0, std::abs(x[j]));
    const auto sum_at = [&](double value) {
      at[j] = value;
      double sum = 0;
      const std::span<const double> here = slacks_at(at);
      for (const auto& [i, slack] : broken) sum += slack * here[i];
      return sum;
    };
    const double difference = sum_at(x[j] + h) - sum_at(x[j] - h);
    at[j] = x[j];
    out[j] += 2 * scale * difference / (2 * h);
  }
}

}  // namespace softradial
