#include "softradial/description.hpp"

#include <algorithm>
#include <type_traits>

#include "sets/number_text.hpp"

namespace softradial {
namespace {

constexpr Eigen::Index kLongestVectorShown = 6;

template <class Dense>
bool same_entries(const Dense& a, const Dense& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

bool same(double a, double b) { return a == b; }
bool same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return same_entries(a, b); }
bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return same_entries(a, b); }
// Eigen takes no norm of a matrix without rows.
bool same(const SparseMatrix& a, const SparseMatrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.nonZeros() != b.nonZeros()) return false;
  return a.nonZeros() == 0 || (a - b).norm() == 0;
}
bool same(const std::vector<Eigen::MatrixXd>& a, const std::vector<Eigen::MatrixXd>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_entries<Eigen::MatrixXd>);
}
bool same(const std::vector<Description>& a, const std::vector<Description>& b) { return a == b; }

bool same_value(const Description::Value& a, const Description::Value& b) {
  return a.index() == b.index() &&
         std::visit([&b](const auto& value) { return same(value, std::get<std::decay_t<decltype(value)>>(b)); }, a);
}

// Builds the line of a description. A class, so that its members may call one another in any order.
class LineBuilder {
 public:
  void add(const Description& description) {
    line_ += description.type;
    line_ += '(';
    add_listed(description.fields);
    line_ += ')';
  }
  void add(const std::pair<std::string, Description::Value>& field) {
    line_ += field.first;
    line_ += '=';
    // One set, as SET.json has it, and not a list of one.
    if (const auto* parts = std::get_if<std::vector<Description>>(&field.second); parts && field.first == "set") {
      add(parts->front());
      return;
    }
    std::visit([this](const auto& value) { add(value); }, field.second);
  }
  void add(double value) { line_ += number_text(value); }
  void add(const Eigen::VectorXd& value) {
    line_ += '[';
    if (value.size() > kLongestVectorShown) {
      line_ += std::to_string(value.size());
      line_ += " numbers";
    } else {
      add_listed(value);
    }
    line_ += ']';
  }
  void add(const Eigen::MatrixXd& value) {
    line_ += '[';
    add_size(value);
    line_ += ']';
  }
  void add(const SparseMatrix& value) {
    line_ += "[sparse ";
    add_size(value);
    line_ += ']';
  }
  void add(const std::vector<Eigen::MatrixXd>& value) {
    line_ += '[';
    line_ += std::to_string(value.size());
    line_ += " matrices";
    if (!value.empty()) {
      line_ += ", ";
      add_size(value.front());
    }
    line_ += ']';
  }
  void add(const std::vector<Description>& value) {
    line_ += '[';
    add_listed(value);
    line_ += ']';
  }

  [[nodiscard]] const std::string& line() const noexcept { return line_; }

 private:
  template <class Range>
  void add_listed(const Range& range) {
    bool first = true;
    for (const auto& item : range) {
      if (!first) line_ += ", ";
      first = false;
      add(item);
    }
  }

  template <class Matrix>
  void add_size(const Matrix& matrix) {
    line_ += std::to_string(matrix.rows());
    line_ += 'x';
    line_ += std::to_string(matrix.cols());
  }

  std::string line_;
};

}  // namespace

bool Description::operator==(const Description& other) const {
  return type == other.type &&
         std::equal(fields.begin(), fields.end(), other.fields.begin(), other.fields.end(),
                    [](const auto& a, const auto& b) { return a.first == b.first && same_value(a.second, b.second); });
}

std::string to_string(const Description& description) {
  LineBuilder builder;
  builder.add(description);
  return builder.line();
}

}  // namespace softradial
