#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "softradial/set.hpp"

// Functions for sets that are made of other sets.
namespace softradial {

// The set's description with the anchor that it carries, if any, as the last field "anchor".
[[nodiscard]] Description described(const Set& set);
[[nodiscard]] std::vector<Description> described(const std::vector<Set>& parts);

// True if the description does not determine the set: it contains a level set of callables, of which nothing is known but
// the dimension.
[[nodiscard]] bool is_opaque(const Description& description);

// The parts' inequalities one after the other; a part's constraint is called "sets[1]: row 3".
[[nodiscard]] std::size_t count_inequalities(const std::vector<Set>& parts);
[[nodiscard]] std::string inequality_of_part(const std::vector<Set>& parts, std::size_t index);

// Appends the linear rows of parts[k] with their columns moved to the right by first_column. True if the part has no others.
bool append_part(const std::vector<Set>& parts, std::size_t k, std::size_t first_column, LinearSystem& out);

// Which of a part's barriers a combinator composes: all of it, or its nonlinear inequalities.
using BarrierOf = std::optional<BarrierTerms> (ConvexSet::*)(const Eigen::VectorXd& x, double t) const;

// The anchor that the set carries, else its closed form. ShapeError if the carried one has another dimension.
[[nodiscard]] std::optional<Eigen::VectorXd> given_or_closed_form_anchor(const Set& set);

}  // namespace softradial
