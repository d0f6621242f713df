#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "softradial/errors.hpp"
#include "softradial/set.hpp"

// The types of sets and their fields as data. SET.json, TorchScript and Python build sets from this one table.
namespace softradial {

enum class FieldKind {
  count,               // a whole number of at least 1
  number,              //
  number_or_infinity,  // "inf" in JSON
  number_or_numbers,   // one number for all coordinates, or one for each
  numbers,             // a list
  lower_bounds,        // a list; null or -infinity leaves a side open
  upper_bounds,        // a list; null or infinity leaves a side open
  matrix,              // a list of rows
  any_matrix,          // a list of rows, or a sparse matrix by its entries
  matrices,            // a list of matrices
  set,
  sets,
};

struct Field {
  enum class Presence { required, optional };

  std::string_view name;
  FieldKind kind;
  Presence presence = Presence::required;
  std::optional<double> otherwise = {};  // the value of a number that is left out
  // The name under which a layer's call takes these data for each sample: tensors that require a gradient stay connected.
  // Empty: these data cannot be learned.
  std::string_view learned_as = {};
  bool learned_if_sparse = true;  // whether they can be learned if a matrix of the set is sparse
  std::string_view meaning = {};  // for help texts: what it is, and its shape where it is a list
};

using FieldValue = std::variant<double, Eigen::VectorXd, Eigen::MatrixXd, SparseMatrix, std::vector<Eigen::MatrixXd>,
                                std::vector<Set>>;
using NamedValues = std::vector<std::pair<std::string, FieldValue>>;

class Fields;

struct SetType {
  std::string_view name;     // in SET.json: "capped_simplex"
  std::string_view title;    // in C++ and Python: "CappedSimplex"
  std::string_view formula;  // one line that says what the set is
  std::vector<Field> fields;
  std::vector<std::string_view> sample_data;  // data that may come with each sample, besides an anchor and a scale
  std::string_view example;                   // a small set of the type, as SET.json
  Set (*make)(const Fields&);
  bool in_blocks = false;  // whether each part constrains coordinates of its own

  [[nodiscard]] const Field* find(std::string_view field) const noexcept;
};

// One field is wrong. The message is "<field>: <what>".
class FieldError : public InvalidSet {
 public:
  FieldError(std::string_view field, const std::string& what);
  [[nodiscard]] const std::string& field() const noexcept { return field_; }
  [[nodiscard]] const std::string& what_is_wrong() const noexcept { return what_is_wrong_; }

 private:
  std::string field_;
  std::string what_is_wrong_;
};

// A required field is missing.
class MissingField : public InvalidSet {
 public:
  MissingField(std::string_view field, const std::string& message) : InvalidSet(message), field_(field) {}
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  std::string field_;
};

// The values that a set is built from, checked against its type: known names, kinds that fit, nothing missing. A number
// that is left out has the type's default value.
class Fields {
 public:
  Fields(const SetType& type, NamedValues values);

  [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
  // Throws MissingField if the field is not given. `why` is the message; if empty, a standard message is used.
  void require(std::string_view name, const std::string& why = "") const;

  [[nodiscard]] bool is_number(std::string_view name) const;
  [[nodiscard]] bool is_sparse(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] const Eigen::VectorXd& numbers(std::string_view name) const;
  [[nodiscard]] const Eigen::MatrixXd& matrix(std::string_view name) const;
  [[nodiscard]] SparseMatrix sparse(std::string_view name) const;  // also of a dense matrix
  [[nodiscard]] const std::vector<Eigen::MatrixXd>& matrices(std::string_view name) const;
  [[nodiscard]] const std::vector<Set>& sets(std::string_view name) const;
  [[nodiscard]] const Set& set(std::string_view name) const { return sets(name).front(); }

 private:
  [[nodiscard]] const FieldValue* find(std::string_view name) const noexcept;
  template <class Value>
  [[nodiscard]] const Value& get(std::string_view name) const;

  const SetType& type_;
  NamedValues values_;
};

// Every type, in the order in which lists for people show them.
[[nodiscard]] const std::vector<SetType>& set_types();
// Throws InvalidSet for a name that no type has.
[[nodiscard]] const SetType& set_type(std::string_view name);

[[nodiscard]] Set make_set(std::string_view type, NamedValues values);
// The set that was described. Throws InvalidSet for an opaque one (a level set of callables).
[[nodiscard]] Set make_set(const Description& description);

}  // namespace softradial
