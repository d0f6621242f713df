#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "c_abi/calls.hpp"
#include "law.hpp"
#include "targets.hpp"

namespace softradial::fuzz {
namespace {

// Sets up to this size are used, not only made: an input is to take milliseconds.
constexpr std::size_t kMostUsed = 8;

struct Free {
  void operator()(sr_set* set) const noexcept { sr_set_free(set); }
  void operator()(sr_layer* layer) const noexcept { sr_layer_free(layer); }
};
using SetHandle = std::unique_ptr<sr_set, Free>;
using LayerHandle = std::unique_ptr<sr_layer, Free>;

// What stands before the next line end, which is taken too.
std::string_view take_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return line;
}

// The next byte; 0 behind the end.
std::uint8_t take_byte(std::string_view& bytes) {
  if (bytes.empty()) return 0;
  const auto byte = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return byte;
}

// The next `count` numbers, as many as there are.
template <class T>
std::vector<T> take_numbers(std::string_view& bytes, std::size_t count) {
  std::vector<T> out(std::min(bytes.size() / sizeof(T), count));
  if (out.empty()) return out;  // memcpy takes no null
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  bytes.remove_prefix(out.size() * sizeof(T));
  return out;
}

// The rows of numbers that the rest of the bytes are: a few, and the last one filled up with zeros.
template <class T>
std::vector<T> numbers_in(std::string_view bytes, std::size_t dim) {
  constexpr std::size_t kMostRows = 4;
  std::vector<T> out = take_numbers<T>(bytes, kMostRows * dim);
  out.resize((out.size() + dim - 1) / dim * dim);
  return out;
}

sr_status told(sr_status status) {
  require(status >= SR_OK && status <= SR_INTERNAL, "a status is one of the header's");
  require(status != SR_INTERNAL, "no input is an internal failure");
  std::size_t length = 0;
  const char* const text = sr_error_text(&length);
  require(status == SR_OK || length > 0, "an error has a text");
  require(std::strlen(text) == length, "a text is as long as it says");
  require(std::none_of(text, text + length, [](char c) { return c >= 0 && c < ' '; }), "a text is one line");
  return status;
}

// The text that write(buffer, capacity, length) gives.
template <class Write>
std::string text_of(const Write& write) {
  std::size_t length = 0;
  if (told(write(nullptr, 0, &length)) != SR_OK) return {};
  std::string text(length, '\0');
  require(told(write(text.data(), text.size(), &length)) == SR_OK && length == text.size(), "a text has one length");
  return text;
}
std::string json_of(const sr_set* set) {
  return text_of([&](auto... buffer) { return sr_set_to_json(set, buffer...); });
}
std::string json_of(const sr_layer* layer) {
  return text_of([&](auto... buffer) { return sr_layer_to_json(layer, buffer...); });
}

SetHandle parse(std::string_view json) {
  sr_set* set = nullptr;
  require((told(sr_set_parse(json.data(), json.size(), &set)) == SR_OK) == (set != nullptr), "an error leaves null");
  return SetHandle(set);
}
LayerHandle make_layer(const sr_set* set, std::string_view options) {
  sr_layer* layer = nullptr;
  require((told(sr_layer_make(set, options.data(), options.size(), &layer)) == SR_OK) == (layer != nullptr),
          "an error leaves null");
  return LayerHandle(layer);
}

template <class T>
bool is_finite(const T* row, std::size_t dim) {
  return std::all_of(row, row + dim, [](T number) { return std::isfinite(number); });
}

// Every quantity of the rows. Returns x.
template <class T>
std::vector<T> call(const sr_set* set, const sr_layer* layer, std::string_view bytes) {
  using Calls = test::Calls<T>;
  std::size_t dim = 0;
  std::size_t inputs = 0;
  told(sr_layer_dim(layer, &dim));
  told(sr_layer_input_dim(layer, &inputs));
  const std::vector<T> u = numbers_in<T>(bytes, inputs);
  const std::size_t count = u.size() / inputs;
  std::vector<T> x(count * dim);
  std::vector<T> other(count * dim);
  std::vector<T> back(count * inputs);
  std::vector<T> scalars(count);
  std::vector<double> violations(count);
  const auto in = [&](const std::vector<T>& from, std::size_t width) {
    return typename Calls::In{from.data(), count, width, static_cast<std::ptrdiff_t>(width)};
  };
  const auto out = [&](std::vector<T>& to, std::size_t width) {
    return typename Calls::Out{to.data(), count, width, static_cast<std::ptrdiff_t>(width)};
  };
  const sr_status projected = told(Calls::kProject(layer, in(u, inputs), out(x, dim)));
  const sr_status judged = told(Calls::kViolation(set, in(x, dim), violations.data(), count));
  told(Calls::kVjp(layer, in(u, inputs), in(x, dim), out(back, inputs)));
  told(Calls::kEvaluate(layer, in(u, inputs), out(other, dim)));
  told(Calls::kJvp(layer, in(u, inputs), in(u, inputs), out(other, dim)));
  told(Calls::kLogAbsDet(layer, in(u, inputs), scalars.data(), count));
  told(Calls::kSlack(layer, in(u, inputs), scalars.data(), count));
  const sr_status inverted = told(Calls::kInverse(layer, in(x, dim), out(back, inputs)));
  if (projected != SR_OK || judged != SR_OK || inverted == SR_NOT_AVAILABLE) return x;
  // The maps that have an inverse never leave the set.
  for (std::size_t i = 0; i < count; ++i) {
    const bool finite = is_finite(u.data() + i * inputs, inputs);
    require(finite == is_finite(x.data() + i * dim, dim), "a row is finite where its input is");
    require(!finite || violations[i] == 0, "every row is mapped into the set");
  }
  return x;
}

// Whether the options ask for much work: iterations without end are the caller's wish, not a fault.
bool ask_for_much(std::string_view options) {
  constexpr double kMost = 20;
  const auto document = nlohmann::json::parse(options, nullptr, false);
  if (!document.is_object()) return false;
  if (document.value("method", nlohmann::json()) == "hp" && !document.contains("training_steps")) return true;
  for (const char* const name : {"steps", "couplings", "hidden", "training_steps", "batch", "bisections"}) {
    const auto found = document.find(name);
    if (found != document.end() && found->is_number() && *found > kMost) return true;
  }
  return false;
}

void use(const sr_set* set, std::string_view options, std::string_view rows) {
  std::size_t dim = 0;
  told(sr_set_dim(set, &dim));
  if (dim > kMostUsed || ask_for_much(options)) return;
  require(!text_of([&](auto... buffer) { return sr_set_to_text(set, buffer...); }).empty(), "a set has a text");
  const std::string json = json_of(set);
  require(json_of(parse(json).get()) == json, "a set is read back as it was written");
  std::vector<double> point(dim);
  told(sr_set_find_anchor(set, nullptr, 0, point.data(), dim, nullptr, &dim));
  const LayerHandle layer = make_layer(set, options);
  if (!layer) return;
  told(sr_layer_anchor(layer.get(), point.data(), point.size()));
  told(sr_layer_hull_dim(layer.get(), &dim));
  call<float>(set, layer.get(), rows);
  const std::vector<double> x = call<double>(set, layer.get(), rows);
  const LayerHandle again = make_layer(set, json_of(layer.get()));
  require(again != nullptr, "what a layer says of itself makes it again");
  const std::vector<double> same = call<double>(set, again.get(), rows);
  require(x.size() == same.size() && (x.empty() || std::memcmp(x.data(), same.data(), x.size() * sizeof(double)) == 0),
          "a layer that is made again gives the same bits");
}

// Small numbers are themselves; from 128 on the powers of two, up to 2^63.
std::size_t extent(std::uint8_t byte) { return byte < 128 ? byte : std::size_t{1} << (byte % 64); }

// A field and the arrays that it points to.
struct FieldData {
  std::string_view name;
  std::vector<double> numbers;
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::vector<const sr_set*> sets;
  sr_field field = {};
};

// Whether the arrays are as long as the field says; a field that no memory could hold is the library's to refuse.
bool is_honest(const FieldData& data) {
  constexpr std::size_t kMost = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(double);
  if (data.field.num_entries > 0 || data.field.numbers == nullptr) return true;
  std::size_t size = 1;
  for (std::size_t k = 0; k < std::min<std::size_t>(data.field.rank, 3); ++k) {
    if (data.field.shape[k] > 0 && size > kMost / data.field.shape[k]) return true;
    size *= data.field.shape[k];
  }
  return size <= data.numbers.size();
}

// A line with the name; rank, extents, how many entries are given (0: all of them), how many sets; the numbers.
FieldData take_field(std::string_view& bytes, const sr_set* part) {
  FieldData out;
  out.name = take_line(bytes);
  out.field.rank = take_byte(bytes) % 5;
  for (std::size_t k = 0; k < 3 && k < out.field.rank; ++k) out.field.shape[k] = extent(take_byte(bytes));
  const std::size_t entries = take_byte(bytes) % 16;
  out.sets.assign(take_byte(bytes) % 4, part);
  for (std::size_t k = 0; k < entries; ++k) {
    out.rows.push_back(extent(take_byte(bytes)));
    out.columns.push_back(extent(take_byte(bytes)));
  }
  out.numbers = take_numbers<double>(bytes, entries > 0 ? entries : take_byte(bytes));
  if (out.numbers.size() < entries) out.numbers.resize(entries);
  return out;
}

// The addresses, once the data have their place.
void point_at_arrays(FieldData& data) {
  data.field.name = data.name.data();
  data.field.name_length = data.name.size();
  data.field.numbers = data.numbers.empty() ? nullptr : data.numbers.data();
  data.field.num_entries = data.rows.size();
  data.field.entry_rows = data.rows.empty() ? nullptr : data.rows.data();
  data.field.entry_columns = data.columns.empty() ? nullptr : data.columns.data();
  data.field.sets = data.sets.empty() ? nullptr : data.sets.data();
  data.field.num_sets = data.sets.size();
}

}  // namespace

// A line with SET.json, a line with the options of a layer, and the bits of rows.
// The set on a line, no options, and rows of numbers of several sizes.
std::vector<std::string> c_abi_seeds() {
  constexpr std::array<double, 6> kNumbers = {1, -2, 3e6, 0, -1e-300, 0.5};
  std::vector<std::string> seeds = set_json_seeds();
  for (std::string& seed : seeds) {
    std::ranges::replace(seed, '\n', ' ');
    seed += "\n\n";
    seed.append(reinterpret_cast<const char*>(kNumbers.data()), sizeof kNumbers);
  }
  return seeds;
}

void c_abi(std::string_view bytes) {
  const SetHandle set = parse(take_line(bytes));
  const std::string_view options = take_line(bytes);
  if (set) use(set.get(), options, bytes);
}

// A line with a type, and fields.
void c_fields(std::string_view bytes) {
  constexpr std::size_t kMostFields = 6;
  const SetHandle part = parse(R"({"type": "box", "lower": [0, 0], "upper": [1, 2]})");
  const std::string_view type = take_line(bytes);
  std::vector<FieldData> data;
  while (!bytes.empty() && data.size() < kMostFields) data.push_back(take_field(bytes, part.get()));
  std::vector<sr_field> fields;
  for (FieldData& field : data) {
    point_at_arrays(field);
    if (!is_honest(field)) return;
    fields.push_back(field.field);
  }
  sr_set* set = nullptr;
  const sr_status status = told(sr_set_make(type.data(), type.size(), fields.data(), fields.size(), &set));
  require((status == SR_OK) == (set != nullptr), "an error leaves null");
  if (const SetHandle made(set); made) use(made.get(), {}, {});
}

}  // namespace softradial::fuzz
