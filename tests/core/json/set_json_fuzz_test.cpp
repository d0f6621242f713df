#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "support/set_zoo.hpp"

namespace softradial::test {
namespace {

constexpr int kRandomDocuments = 20'000;
constexpr int kMutationsOfEach = 1'000;

// Whatever the text: a set, or InvalidSet in one line. Anything else escapes and fails the test.
void expect_set_or_error(const std::string& json) {
  try {
    (void)parse_set(json, "set.json");
  } catch (const InvalidSet& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("set.json: ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine_); }
  char byte() { return static_cast<char>(below(256)); }

 private:
  std::mt19937 engine_;
};

// Words that come close to SET.json, so that mutations get past the grammar.
std::vector<std::string> tokens() {
  std::istringstream words(R"({ } [ ] , : null true -1 0 1e308 1e999 2.5 1e15 -0.0 5e-324 99999999999999999999 NaN
                              [] {} [[]] [[1,2],[3]] "inf" "\u0000" "type" "dim" "sets" "A" "E" "rows")");
  std::vector<std::string> all{std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
  for (const support::Specimen& specimen : support::specimens()) all.push_back('"' + specimen.type + '"');
  return all;
}

const std::vector<std::string> kTokens = tokens();

std::string mutated(std::string text, Random& random) {
  for (std::size_t rounds = 1 + random.below(4); rounds > 0 && !text.empty(); --rounds) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = random.below(std::min<std::size_t>(8, text.size() - at) + 1);
    switch (random.below(5)) {
      case 0:
        text[at] = random.byte();
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, kTokens[random.below(kTokens.size())]);
        break;
      case 3:
        text.replace(at, length, kTokens[random.below(kTokens.size())]);
        break;
      default:
        text.insert(random.below(text.size()), text.substr(at, length));
        break;
    }
  }
  return text;
}

TEST(SetJsonFuzz, RandomBytes) {
  Random random(1);
  for (int i = 0; i < kRandomDocuments; ++i) {
    std::string text;
    for (std::size_t size = random.below(64); size > 0; --size) text += random.byte();
    expect_set_or_error(text);
  }
}

TEST(SetJsonFuzz, RandomTokens) {
  Random random(2);
  for (int i = 0; i < kRandomDocuments; ++i) {
    std::string text;
    for (std::size_t size = random.below(32); size > 0; --size) text += kTokens[random.below(kTokens.size())];
    expect_set_or_error(text);
  }
}

TEST(SetJsonFuzz, MutatedSets) {
  Random random(3);
  for (const auto& [name, set] : support::json_sets()) {
    const std::string json = to_json(set);
    for (int i = 0; i < kMutationsOfEach; ++i) expect_set_or_error(mutated(json, random));
  }
}

}  // namespace
}  // namespace softradial::test
