#include "row_writer.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace softradial::program {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kMantissaBits = 53;
// m 5^p fits into 128 bits for every mantissa m < 2^53 and p <= 32.
constexpr int kMaxPower = 32;

constexpr auto kPowersOfFive = [] {
  std::array<Wide, kMaxPower + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 5 * powers[i - 1];
  return powers;
}();

constexpr std::uint64_t power_of_ten(int exponent) { return exponent == 0 ? 1 : 10 * power_of_ten(exponent - 1); }

constexpr auto kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

// d1.d2 ... dN 10^exponent with d1 != 0; the N significant digits as one integer.
struct Decimal {
  std::uint64_t digits;
  int exponent;
};

// round(m 2^e 10^p), halves to even, for 0 <= p <= kMaxPower. Exact, since m 5^p is an integer of at most 128 bits and only a
// shift by e + p remains.
std::uint64_t scaled(std::uint64_t m, int e, int p) {
  const Wide product = m * kPowersOfFive[static_cast<std::size_t>(p)];
  const int shift = -(e + p);
  if (shift <= 0) return static_cast<std::uint64_t>(product << -shift);
  const Wide whole = product >> shift;
  const Wide rest = product - (whole << shift);
  const Wide half = Wide{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (whole & 1) != 0);
  return static_cast<std::uint64_t>(whole) + (up ? 1 : 0);
}

// Finds the digits of a positive normal number. Returns false for very small and very large numbers, for which the exact
// product does not fit.
template <int kDigits>
bool to_decimal(double value, Decimal& out) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int e = static_cast<int>(bits >> (kMantissaBits - 1)) - 1023 - (kMantissaBits - 1);
  const std::uint64_t m = (bits & ((std::uint64_t{1} << (kMantissaBits - 1)) - 1)) | std::uint64_t{1}
                                                                                         << (kMantissaBits - 1);

  // floor(log10(2^(e + 52))): the exponent of value or one less. 78913 / 2^18 = log10(2) to 8 digits.
  int exponent = static_cast<int>((std::int64_t{e + kMantissaBits - 1} * 78913) >> 18);
  int p = kDigits - 1 - exponent;
  if (p < 1 || p > kMaxPower) return false;
  std::uint64_t digits = scaled(m, e, p);
  if (digits >= power_of_ten(kDigits)) {
    // One digit too many: the guess was one too small, or the digits rounded up to 10^kDigits. Either way the exponent is
    // one larger.
    ++exponent;
    digits = scaled(m, e, p - 1);
  }
  out = {digits, exponent};
  return true;
}

void write_eight(char* out, std::uint32_t value) {
  const std::uint32_t high = value / 10000;
  const std::uint32_t low = value % 10000;
  std::memcpy(out, &kDigitPairs[2 * (high / 100)], 2);
  std::memcpy(out + 2, &kDigitPairs[2 * (high % 100)], 2);
  std::memcpy(out + 4, &kDigitPairs[2 * (low / 100)], 2);
  std::memcpy(out + 6, &kDigitPairs[2 * (low % 100)], 2);
}

// Writes the 1 + 8 k digits of a number. Returns how many there are without the trailing zeros.
template <int kDigits>
int write_digits(char* out, std::uint64_t digits) {
  static_assert(kDigits == 9 || kDigits == 17);
  constexpr std::uint64_t kEight = power_of_ten(8);
  for (char* at = out + kDigits - 8; at > out; at -= 8) {
    write_eight(at, static_cast<std::uint32_t>(digits % kEight));
    digits /= kEight;
  }
  out[0] = static_cast<char>('0' + digits);
  int count = kDigits;
  while (count > 1 && out[count - 1] == '0') --count;
  return count;
}

// printf's %g: fixed notation for exponents -4 ... kDigits - 1, no trailing zeros.
template <int kDigits>
char* write_decimal(char* out, Decimal value) {
  std::array<char, kDigits> digits;
  const int count = write_digits<kDigits>(digits.data(), value.digits);
  const auto put = [&out, &digits](int first, int last) {
    std::memcpy(out, digits.data() + first, static_cast<std::size_t>(last - first));
    out += last - first;
  };
  const auto put_zeros = [&out](int zeros) {
    std::memset(out, '0', static_cast<std::size_t>(zeros));
    out += zeros;
  };

  if (value.exponent < -4) {
    put(0, 1);
    if (count > 1) *out++ = '.';
    put(1, count);
    std::memcpy(out, "e-", 2);
    std::memcpy(out + 2, &kDigitPairs[2 * static_cast<std::size_t>(-value.exponent)], 2);
    return out + 4;
  }
  if (value.exponent < 0) {
    std::memcpy(out, "0.", 2);
    out += 2;
    put_zeros(-value.exponent - 1);
    put(0, count);
    return out;
  }
  const int whole = value.exponent + 1;
  if (count <= whole) {
    put(0, count);
    put_zeros(whole - count);
    return out;
  }
  put(0, whole);
  *out++ = '.';
  put(whole, count);
  return out;
}

// std::to_chars with a precision takes 2 to 3 times as long (90 against 40 ns a number), so it is used only for numbers whose
// digits are not found above.
template <int kDigits, class T>
char* write(char* out, T value) noexcept {
  if (std::isnan(value)) {
    std::memcpy(out, "nan", 3);
    return out + 3;
  }
  Decimal decimal{};
  if (std::isnormal(value) && to_decimal<kDigits>(std::abs(static_cast<double>(value)), decimal)) {
    if (value < 0) *out++ = '-';
    return write_decimal<kDigits>(out, decimal);
  }
  return std::to_chars(out, out + kMaxNumberLength, value, std::chars_format::general, kDigits).ptr;
}

}  // namespace

char* write_number(char* out, double value) noexcept { return write<17>(out, value); }
char* write_number(char* out, float value) noexcept { return write<9>(out, value); }

template <class T>
void write_rows(OutputFile& out, Rows<const T> rows) {
  char* text = out.reserve(rows.count() * rows.dim() * (kMaxNumberLength + 1));
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const T* row = rows.row(i);
    for (std::size_t j = 0; j < rows.dim(); ++j) {
      text = write_number(text, row[j]);
      *text++ = j + 1 == rows.dim() ? '\n' : ',';
    }
  }
  out.commit(text);
}

template void write_rows<float>(OutputFile& out, Rows<const float> rows);
template void write_rows<double>(OutputFile& out, Rows<const double> rows);

}  // namespace softradial::program
