#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace softradial::study {

// SHA-256 of bytes that are added piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  [[nodiscard]] std::string hex();  // 64 digits; call it once, at the end

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The SHA-256 of a whole text, as hex() writes it.
[[nodiscard]] std::string sha256_of(std::string_view text);

}  // namespace softradial::study
