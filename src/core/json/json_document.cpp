#include "json/json_document.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "softradial/errors.hpp"

namespace softradial::json {

namespace {

using Json = nlohmann::json;

// Most characters that an error message shows of a value, and of the way to it.
constexpr std::size_t kMaxExcerpt = 60;
constexpr std::size_t kMaxWhere = 160;
// Most characters that a syntax error shows of the text before it.
constexpr std::size_t kMaxNear = 16;

// nlohmann's id of "number overflow".
constexpr int kNumberOverflow = 406;

std::string shortened(std::string text, std::size_t limit) {
  if (text.size() > limit) {
    text.resize(limit);
    text += "...";
  }
  return text;
}

// Arbitrary bytes as one quoted ASCII line; the bytes of a syntax error need not be UTF-8.
std::string excerpt_of_bytes(const std::string& bytes) {
  return shortened(Json(bytes).dump(-1, ' ', true, Json::error_handler_t::replace), kMaxExcerpt);
}

bool is_word(const std::string& key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// Receives the parser's events and builds the tree.
class DocumentBuilder {
 public:
  DocumentBuilder(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  [[nodiscard]] Json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string& /*token*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& value) { return add(std::move(value)); }

  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (open_.back()->contains(name)) {
      fail(origin_, where(open_.size() - 1), "the key " + excerpt(Json(name)) + " is given twice");
    }
    keys_.back() = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token, const Json::exception& error) {
    if (error.id == kNumberOverflow) {
      fail(origin_, where(open_.size()),
           "the number " + excerpt_of_bytes(last_token) + " is beyond the range of a double");
    }
    fail(origin_, line_and_column(position), reason(error.what(), last_token));
  }

 private:
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[keys_.back()] = std::move(value));
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (open_.size() == kMaxDepth) {
      fail(origin_, where(open_.size()), "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    // The address stays good: a parent takes no further element before this one is closed.
    Json* placed = place(std::move(container));
    open_.push_back(placed);
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  // The way to the value that is being read inside the first `depth` open containers: `sets[1].cap[3]`.
  [[nodiscard]] std::string where(std::size_t depth) const {
    std::string path;
    for (std::size_t i = 0; i < depth; ++i) {
      if (open_[i]->is_array()) {
        // An open container is already an element of its parent; a number is not yet.
        const bool is_last = i + 1 == open_.size();
        path.append("[").append(std::to_string(open_[i]->size() - (is_last ? 0 : 1))).append("]");
      } else {
        path += path.empty() ? "" : ".";
        path += is_word(keys_[i]) ? keys_[i] : excerpt(Json(keys_[i]));
      }
    }
    return shortened(std::move(path), kMaxWhere);
  }

  // `position` counts the characters read, the offending one included.
  [[nodiscard]] std::string line_and_column(std::size_t position) const {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t line_start = before.rfind('\n') + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_start + 1);
  }

  // The parser says "[id] parse error at line 1, column 2: <reason>; last read: '<raw bytes>'; expected ...".
  [[nodiscard]] static std::string reason(std::string text, const std::string& last_token) {
    if (const std::size_t place = text.find("column "); place != std::string::npos) {
      if (const std::size_t start = text.find(": ", place); start != std::string::npos) text.erase(0, start + 2);
    }
    if (const std::size_t start = text.find("; last read: "); start != std::string::npos) {
      text.erase(start);
      text +=
          ", near " + excerpt_of_bytes(last_token.substr(last_token.size() - std::min(last_token.size(), kMaxNear)));
    }
    return text;
  }

  std::string_view text_;
  std::string_view origin_;
  Json root_;
  std::vector<Json*> open_;
  std::vector<std::string> keys_;  // the last key of each open object
};

}  // namespace

nlohmann::json parse_document(std::string_view text, std::string_view origin) {
  DocumentBuilder builder(text, origin);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

void fail(std::string_view origin, std::string_view where, std::string_view what) {
  std::string message;
  for (const std::string_view part : {origin, where}) {
    if (!part.empty()) message.append(part).append(": ");
  }
  throw InvalidSet(message.append(what));
}

std::string excerpt(const nlohmann::json& value) {
  constexpr bool kAsciiOnly = true;
  return shortened(value.dump(-1, ' ', kAsciiOnly), kMaxExcerpt);
}

}  // namespace softradial::json
