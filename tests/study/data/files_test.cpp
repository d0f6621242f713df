// Whole files, locks and arrays of numbers. Nothing here needs LibTorch.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "files/folder_lock.hpp"
#include "files/gzip.hpp"
#include "files/json_text.hpp"
#include "files/safetensors.hpp"
#include "files/sha256.hpp"
#include "files/utf8.hpp"
#include "program/temp_dir.hpp"

namespace softradial::study {
namespace {

using test::TempDir;

TEST(Sha256, KnownValues) {
  Sha256 empty;
  EXPECT_EQ(empty.hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 abc;
  abc.add("a");
  abc.add("bc");
  EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

std::size_t files_in(const TempDir& dir) {
  const std::filesystem::directory_iterator all(dir.path(""));
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// The ends of every range of RFC 3629, and what lies just beyond them.
TEST(Utf8, IsWhatJsonTakes) {
  using namespace std::string_literals;
  for (const std::string& text : {""s, "a\0z"s, "\x7F"s, "\xC2\x80"s, "\xDF\xBF"s, "\xE0\xA0\x80"s, "\xED\x9F\xBF"s,
                                  "\xEE\x80\x80"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_TRUE(is_utf8(text)) << nlohmann::json(text).dump();
  }
  for (const std::string& text :
       {"\x80"s, "\xC1\xBF"s, "\xC2"s, "\xC2z"s, "\xE0\x9F\xBF"s, "\xE2\x82"s, "\xED\xA0\x80"s, "\xF0\x8F\xBF\xBF"s,
        "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s, "\xFF"s}) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_THROW(static_cast<void>(nlohmann::json(text).dump()), nlohmann::json::exception);
  }
}

TEST(JsonText, IsReadUnlessItIsNestedTooDeeply) {
  EXPECT_EQ(parse_json_text(R"({"a": [1, {"b": null}]})").at("a").size(), 2U);
  EXPECT_TRUE(parse_json_text("{").is_discarded());
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  EXPECT_EQ(parse_json_text(nested(100)).dump(), nested(100));
  EXPECT_TRUE(parse_json_text(nested(1000)).is_discarded());
  EXPECT_TRUE(parse_json_text(std::string(1 << 20, '[')).is_discarded());
}

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNothingElse) {
  const TempDir dir;
  const std::string file = dir.path("a.txt");
  write_file(file, "first, and longer");
  write_file(file, "second");
  EXPECT_EQ(read_file(file), "second");
  EXPECT_EQ(files_in(dir), 1U);
  struct stat facts = {};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0400, 0400U) << "a file like any other";
}

TEST(WriteFile, AWrongPlaceIsTheUsersErrorAndKeepsTheOldFile) {
  const TempDir dir;
  EXPECT_THROW(write_file(dir.path("no/where"), "x"), DataError);
  EXPECT_THROW(write_file(dir.path(""), "x"), DataError);
}

// A limit of the process stands for a full disk: the same path through the code, and no other process suffers.
TEST(WriteFile, ADiskWithoutRoomKeepsTheOldFile) {
  const TempDir dir;
  const std::string file = dir.path("a.txt");
  write_file(file, "old");
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(file, std::string(5000, 'x'));
    } catch (const WriteError&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "a WriteError";
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(files_in(dir), 1U) << "no temporary file is left";
}

// Killed at any moment, a writer leaves one of the two texts, never a part of one.
TEST(WriteFile, AKilledWriterLeavesAWholeFile) {
  const TempDir dir;
  const std::string file = dir.path("a.txt");
  const std::string one(1 << 20, '1');
  const std::string two(1 << 19, '2');
  write_file(file, one);
  std::mt19937 random(1);
  for (int k = 0; k < 30; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      while (true) {
        write_file(file, two);
        write_file(file, one);
      }
    }
    usleep(static_cast<useconds_t>(500 + random() % 8000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string found = read_file(file);
    ASSERT_TRUE(found == one || found == two) << "after " << k << " kills: " << found.size() << " bytes";
  }
}

TEST(WriteFile, PipesAndLinksStayWhatTheyAre) {
  const TempDir dir;
  const std::string target = dir.write("target", "old");
  std::filesystem::create_symlink(target, dir.path("link"));
  write_file(dir.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link")));
  EXPECT_EQ(read_file(target), "new");
  EXPECT_THROW(write_file("/dev/full", "x"), WriteError);
}

TEST(FolderLock, OneProcessAtATimeAndNoneAfterAKill) {
  const TempDir dir;
  const std::filesystem::path folder = dir.path("");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder);
    [[maybe_unused]] const auto n = write(ready[1], "x", 1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  try {
    const FolderLock second(folder);
    ADD_FAILURE() << "two processes hold the lock";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(child)), std::string::npos) << error.what();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(FolderLock{folder});
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TensorFile example() {
  return {.metadata = {{"format", "test/1"}, {"config", R"({"a": "\"sha256\":\"0\""})"}},
          .arrays = {{"weight", Dtype::f32, {2, 3}, bytes_of<float>({1, -2, 3, 0.5F, 1e-30F, 3e38F})},
                     {"bias", Dtype::f64, {2}, bytes_of<double>({0.1, -1e300})},
                     {"state", Dtype::u8, {5}, std::string("\xff\x00\x7f\x01\x02", 5)},
                     {"nothing", Dtype::f32, {0, 4}, ""}}};
}

TEST(Safetensors, RoundTripKeepsEveryBit) {
  EXPECT_EQ(parse_safetensors(to_safetensors(example())), example());
  EXPECT_EQ(parse_safetensors(to_safetensors({})), TensorFile());
}

// The layout is the public one: an independent reading of the bytes finds the arrays.
TEST(Safetensors, HasThePublicLayout) {
  const std::string bytes = to_safetensors(example());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header["weight"]["dtype"], "F32");
  EXPECT_EQ(header["weight"]["shape"], nlohmann::json({2, 3}));
  const std::size_t begin = header["weight"]["data_offsets"][0];
  float second = 0;
  std::memcpy(&second, bytes.data() + 8 + length + begin + 4, 4);
  EXPECT_EQ(second, -2);
  EXPECT_EQ((8 + length) % 8, 0U);
}

TEST(Safetensors, EveryFlippedBitIsNoticed) {
  const std::string bytes = to_safetensors(example());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(static_cast<void>(parse_safetensors(damaged)), DataError) << "bit " << bit;
  }
}

TEST(Safetensors, EveryCutIsNoticed) {
  const std::string bytes = to_safetensors(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(static_cast<void>(parse_safetensors(bytes.substr(0, size))), DataError) << size;
  }
  EXPECT_THROW(static_cast<void>(parse_safetensors(bytes + "x")), DataError);
}

// A file with this header and these data and a checksum that fits, as somebody with bad intentions would make it.
std::string crafted(nlohmann::json header, const std::string& data) {
  const std::string zeros(64, '0');
  header["__metadata__"]["sha256"] = zeros;
  std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  bytes += text + data;
  Sha256 sum;
  sum.add(bytes);
  bytes.replace(bytes.find(zeros), 64, sum.hex());
  return bytes;
}

TEST(Safetensors, CraftedHeadersAreRefusedThoughTheChecksumFits) {
  const auto entry = [](const nlohmann::json& dtype, const nlohmann::json& shape, const nlohmann::json& offsets) {
    return nlohmann::json{{"a", {{"dtype", dtype}, {"shape", shape}, {"data_offsets", offsets}}}};
  };
  const std::string data(16, '\0');
  ASSERT_NO_THROW(static_cast<void>(parse_safetensors(crafted(entry("F32", {4}, {0, 16}), data))));
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const nlohmann::json bad[] = {
      entry("F32", {5}, {0, 16}),
      entry("F32", {4}, {0, 20}),
      entry("F32", {4}, {16, 0}),
      entry("F32", {2}, {8, 16}),
      entry("F32", {-4}, {0, 16}),
      entry("F32", {4.0}, {0, 16}),
      entry("F32", {huge, huge}, {0, 16}),
      entry("F32", {1ULL << 63, 8}, {0, 16}),
      entry("F32", "4", {0, 16}),
      entry("F32", {4}, {0}),
      entry("F32", {4}, {-16, 0}),
      entry("F16", {8}, {0, 16}),
      entry("OBJECT", {4}, {0, 16}),
      entry(3, {4}, {0, 16}),
      entry("F32", {1, 1, 1, 1, 1, 1, 1, 1, 4}, {0, 16}),
      {{"a", 3}},
      {{"a", {{"dtype", "F32"}}}},
      {{"a", {{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0, 8}}}},
       {"b", {{"dtype", "F32"}, {"shape", {3}}, {"data_offsets", {4, 16}}}}},
      {{"__metadata__", {{"config", 3}}}, {"a", {{"dtype", "F32"}, {"shape", {4}}, {"data_offsets", {0, 16}}}}},
  };
  for (const auto& header : bad) {
    EXPECT_THROW(static_cast<void>(parse_safetensors(crafted(header, data))), DataError) << header;
  }
  for (const double value : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(
        static_cast<void>(parse_safetensors(crafted(entry("F64", {2}, {0, 16}), bytes_of<double>({1, value})))),
        DataError);
  }
  std::string nested = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
  std::uint64_t length = nested.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  EXPECT_THROW(static_cast<void>(parse_safetensors(bytes + nested)), DataError);
  length = std::numeric_limits<std::uint64_t>::max();
  std::memcpy(bytes.data(), &length, 8);
  EXPECT_THROW(static_cast<void>(parse_safetensors(bytes + nested)), DataError);
}

TEST(Gzip, ATextComesBackAndDamageIsNoticed) {
  std::mt19937 random(3);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
    std::string text(size, ' ');
    for (char& c : text) c = static_cast<char>('0' + random() % 10);
    const std::string bytes = gzipped(text, 1);
    EXPECT_EQ(gunzipped(bytes, size), text);
    EXPECT_THROW(static_cast<void>(gunzipped(bytes, size + 1)), DataError);
    if (size > 0) {
      EXPECT_THROW(static_cast<void>(gunzipped(bytes, size - 1)), DataError);
    }
    EXPECT_THROW(static_cast<void>(gunzipped(bytes.substr(0, bytes.size() - 1), size)), DataError);
  }
  EXPECT_THROW(static_cast<void>(gunzipped("", 0)), DataError);
  EXPECT_THROW(static_cast<void>(gunzipped("no gzip file", 12)), DataError);
}

// Random bytes and random changes: an error of ours or the file that was written, and nothing else.
TEST(Safetensors, ThousandsOfRandomChangesNeverPass) {
  const std::string good = to_safetensors(example());
  std::mt19937 random(7);
  for (int k = 0; k < 5000; ++k) {
    std::string bytes = good;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int c = 0; c < changes; ++c) {
      const std::size_t place = random() % bytes.size();
      switch (random() % 3) {
        case 0:
          bytes[place] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(place, random() % 16);
          break;
        default:
          bytes.insert(place, std::string(random() % 16, static_cast<char>(random())));
      }
      if (bytes.empty()) bytes.assign(1, 'x');
    }
    if (bytes == good) continue;
    EXPECT_THROW(static_cast<void>(parse_safetensors(bytes)), DataError) << k;
  }
}

}  // namespace
}  // namespace softradial::study
