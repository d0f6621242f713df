#pragma once

// The switches of ./dev mutate. Every file of the copied tree is compiled with this header in front; the formulas hold all
// their mutants, and the environment says which one is on:
//
//   SOFTRADIAL_MUTANT=17          the 17th mutant; 0 or nothing: the formulas as they are
//   SOFTRADIAL_REACHED=FILE       the formulas as they are; on exit FILE says for each mutant whether it was reached
//
// Constants stay as they are: what is evaluated while compiling is never reached.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace mutants {

inline constexpr int kMost = 1 << 14;
inline constexpr char kUnreached = '0', kReached = '1', kImpossible = '2';

inline int on = 0;
inline bool marking = false;
inline char marks[kMost];

inline void save_marks() {
  if (std::FILE* file = std::fopen(std::getenv("SOFTRADIAL_REACHED"), "w")) {
    for (const char mark : marks) std::fputc(mark == 0 ? kUnreached : mark, file);
    std::fclose(file);
  }
}

// Before all other initialisations: some of them are formulas.
[[gnu::constructor(101)]] inline void read_environment() {
  if (const char* number = std::getenv("SOFTRADIAL_MUTANT")) on = std::atoi(number);
  if (std::getenv("SOFTRADIAL_REACHED") != nullptr && !marking) {
    marking = true;
    std::atexit(save_marks);
  }
}

constexpr bool is(int number) {
  if (std::is_constant_evaluated()) return false;
  if (marking) [[unlikely]]
    marks[number] = kReached;
  return on == number;
}

// The operation does not exist for these types, as matrix / matrix.
constexpr void impossible(int number) {
  if (!std::is_constant_evaluated() && marking && marks[number] == 0) marks[number] = kImpossible;
}

// The value of an expression; Eigen's are evaluated, for the two sides of a switch have different types.
template <class T>
constexpr auto value(T&& x) {
  if constexpr (requires { typename std::decay_t<T>::PlainObject; })
    return typename std::decay_t<T>::PlainObject(std::forward<T>(x));
  else
    return std::decay_t<T>(std::forward<T>(x));
}

template <int number, class Original, class Mutated>
constexpr auto choose(Original original, Mutated mutated) {
  using Result = decltype(original());
  if constexpr (requires { static_cast<Result>(mutated()); }) {
    if (is(number)) return static_cast<Result>(mutated());
  } else {
    impossible(number);
  }
  return original();
}

// a + b becomes a + Sum<17>() + b: of the same precedence, so that no parenthesis is needed.
#define MUTANTS_OPERATOR(Name, op, other)                                                      \
  template <int number>                                                                        \
  struct Name {};                                                                              \
  template <int number, class A>                                                               \
  struct Name##Left {                                                                          \
    A&& a;                                                                                     \
  };                                                                                           \
  template <int number, class A>                                                               \
  constexpr Name##Left<number, A> operator op(A&& a, Name<number>) {                           \
    return {std::forward<A>(a)};                                                               \
  }                                                                                            \
  template <int number, class A, class B>                                                      \
  constexpr auto operator op(Name##Left<number, A>&& left, B&& b) {                            \
    const auto original = [&] { return value(std::forward<A>(left.a) op b); };                 \
    if constexpr (requires { std::forward<A>(left.a) other b; }) {                             \
      return choose<number>(original, [&] { return value(std::forward<A>(left.a) other b); }); \
    } else {                                                                                   \
      impossible(number);                                                                      \
      return original();                                                                       \
    }                                                                                          \
  }

MUTANTS_OPERATOR(Sum, +, -)
MUTANTS_OPERATOR(Difference, -, +)
MUTANTS_OPERATOR(Product, *, /)
MUTANTS_OPERATOR(Quotient, /, *)
MUTANTS_OPERATOR(Less, <, <=)
MUTANTS_OPERATOR(LessEqual, <=, <)
MUTANTS_OPERATOR(Greater, >, >=)
MUTANTS_OPERATOR(GreaterEqual, >=, >)
MUTANTS_OPERATOR(Equal, ==, !=)
MUTANTS_OPERATOR(NotEqual, !=, ==)
#undef MUTANTS_OPERATOR

// -a becomes Minus<17>() ->* a.
template <int number>
struct Minus {};
template <int number, class A>
constexpr auto operator->*(Minus<number>, A&& a) {
  return choose<number>([&] { return value(-a); }, [&] { return value(a); });
}

// a && b becomes And<17>([&]() -> decltype(auto) { return (a); }, ...): b is evaluated where it must be.
template <int number, class A, class B>
constexpr auto And(A a, B b) {
  return choose<number>([&] { return a() && b(); }, [&] { return a() || b(); });
}
template <int number, class A, class B>
constexpr auto Or(A a, B b) {
  return choose<number>([&] { return a() || b(); }, [&] { return a() && b(); });
}

// max(a, b) becomes MUTANTS_CALL(17, max, min)(a, b).
#define MUTANTS_CALL(number, function, other) \
  [](auto&&... of) { return mutants::choose<number>([&] { return function(of...); }, [&] { return other(of...); }); }

}  // namespace mutants
