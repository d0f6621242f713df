#include "row_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "outcome.hpp"
#include "program/temp_dir.hpp"

namespace softradial::program {
namespace {

using test::TempDir;

template <class T>
std::vector<T> read_all(const std::string& text, std::size_t dim, std::size_t block_rows,
                        NonFinite non_finite = NonFinite::accept) {
  const TempDir dir;
  RowReader<T> reader(InputFile::open(dir.write("u.csv", text)), dim, non_finite);
  std::vector<T> all;
  std::vector<T> block(block_rows * dim);
  while (const std::size_t count = reader.read({block.data(), block_rows, dim})) {
    all.insert(all.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count * dim));
  }
  EXPECT_EQ(all.size(), reader.rows_read() * dim);
  return all;
}

template <class T>
std::string error_of(const std::string& text, std::size_t dim, NonFinite non_finite = NonFinite::accept) {
  try {
    (void)read_all<T>(text, dim, 4, non_finite);
  } catch (const BadInput& error) {
    const std::string message = error.what();
    const std::size_t name = message.find("u.csv: ");
    return name == std::string::npos ? message : message.substr(name);
  }
  return "";
}

TEST(RowReader, Grammar) {
  const std::vector<double> expected = {1, -2.5, 3e-7, 4};
  for (const std::string text : {"1,-2.5\n3e-7,4\n", "1,-2.5\n3e-7,4", "1,-2.5\r\n3e-7,4\r\n", "1,-2.5\r\n3e-7,4\r",
                                 " 1 ,\t-2.5 \n+3e-7,  +4.0e0\n",
                                 "\xEF\xBB\xBF"
                                 "1,-2.5\n3E-7,04.\n"}) {
    for (const std::size_t block : {1U, 2U, 3U}) EXPECT_EQ(read_all<double>(text, 2, block), expected) << text;
  }
}

TEST(RowReader, EmptyInputHasNoRows) {
  EXPECT_TRUE(read_all<double>("", 3, 4).empty());
  EXPECT_TRUE(read_all<double>("\xEF\xBB\xBF", 3, 4).empty());
}

TEST(RowReader, EachNumberIsRoundedOnce) {
  // Just above the middle of 1 and the next float: rounding to double first would end at the middle, hence at 1.
  EXPECT_EQ(read_all<float>("1.00000005960464477540", 1, 1)[0], std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(read_all<double>("0.1", 1, 1)[0], 0.1);
}

TEST(RowReader, NumbersTooSmallAreZeroOrSubnormal) {
  EXPECT_EQ(read_all<double>("1e-400,-1e-400,4.9e-324", 3, 1), (std::vector<double>{0, 0, 5e-324}));
  EXPECT_EQ(read_all<float>("1e-60,1e-45", 2, 1), (std::vector<float>{0, std::numeric_limits<float>::denorm_min()}));
}

TEST(RowReader, NonFiniteNumbersAreNumbersUnlessRejected) {
  const std::vector<double> row = read_all<double>("nan,inf,-inf,NaN,Infinity,-nan", 6, 1);
  EXPECT_TRUE(std::isnan(row[0]) && std::isnan(row[3]) && std::isnan(row[5]));
  EXPECT_EQ(row[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(row[2], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(error_of<double>("1,2\n3,nan\n", 2, NonFinite::reject), "u.csv: line 2, column 2: \"nan\" is not finite");
  EXPECT_EQ(error_of<float>("-inf,1\n", 2, NonFinite::reject), "u.csv: line 1, column 1: \"-inf\" is not finite");
}

TEST(RowReader, ErrorsNameLineColumnAndValue) {
  struct Case {
    std::string text;
    std::string error;
  };
  const Case cases[] = {
      {"1,2\n3,abc\n", "u.csv: line 2, column 2: \"abc\" is not a number"},
      {"a,b\n1,2\n", "u.csv: line 1, column 1: \"a\" is not a number"},
      {"1,2x\n", "u.csv: line 1, column 2: \"2x\" is not a number"},
      {"1,0x10\n", "u.csv: line 1, column 2: \"0x10\" is not a number"},
      {"1,\"2\"\n", "u.csv: line 1, column 2: \"\"2\"\" is not a number"},
      {"1,+-2\n", "u.csv: line 1, column 2: \"+-2\" is not a number"},
      {"1,--2\n", "u.csv: line 1, column 2: \"--2\" is not a number"},
      {"1,+\n", "u.csv: line 1, column 2: \"+\" is not a number"},
      {"1;2\n", "u.csv: line 1, column 1: \"1;2\" is not a number"},
      {"1,\xff\n", "u.csv: line 1, column 2: \"\\xff\" is not a number"},
      {std::string("1,\0\n", 4), "u.csv: line 1, column 2: \"\\x00\" is not a number"},
      {"1 2\n", "u.csv: line 1, column 1: expected a comma, got \"2\""},
      {"1\r2\n", "u.csv: line 1, column 1: expected a comma, got \"\\x0d\""},
      {"1,2\n3\n", "u.csv: line 2: expected 2 numbers, got 1"},
      {"1,2\n3", "u.csv: line 2: expected 2 numbers, got 1"},
      {"1,2,3\n", "u.csv: line 1: expected 2 numbers, got 3"},
      {"1,2,\n", "u.csv: line 1: expected 2 numbers, got 3"},
      {"1,2,3,4,5", "u.csv: line 1: expected 2 numbers, got 5"},
      {"1,\n", "u.csv: line 1, column 2: a number is missing"},
      {"1,", "u.csv: line 1, column 2: a number is missing"},
      {",1\n", "u.csv: line 1, column 1: a number is missing"},
      {"1,2\n\n3,4\n", "u.csv: line 2: is empty"},
      {"\n", "u.csv: line 1: is empty"},
      {"1,2\n  \n", "u.csv: line 2: is empty"},
      {"1,2\n\r\n", "u.csv: line 2: is empty"},
      {"1,1e999\n", "u.csv: line 1, column 2: \"1e999\" is beyond the range of f64"},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of<double>(c.text, 2), c.error) << c.text;
  EXPECT_EQ(error_of<float>("1,1\n-1e39,0\n", 2), "u.csv: line 2, column 1: \"-1e39\" is beyond the range of f32");
}

TEST(RowReader, LongValuesAreCutInErrors) {
  const std::string error = error_of<double>("1," + std::string(1 << 22, 'q') + "\n", 2);
  EXPECT_TRUE(error.starts_with("u.csv: line 1, column 2: \"qqq")) << error;
  EXPECT_LT(error.size(), 200U);
  // Longer than any number, and than the part of the buffer that a number may take.
  EXPECT_NE(error_of<double>("1," + std::string(1 << 22, '1') + "\n", 2), "");
}

TEST(RowReader, LongLinesAreNotReadToTheirEndForAMessage) {
  std::string text = "1,2";
  for (int i = 0; i < 1'000'000; ++i) text += ",3";
  EXPECT_TRUE(error_of<double>(text, 2).starts_with("u.csv: line 1: expected 2 numbers, got more than "));
}

// Rows, numbers, blanks and line ends fall on every place of the buffer's border.
TEST(RowReader, BufferBordersAreInvisible) {
  constexpr std::size_t kRows = 300'000;
  for (const std::string separator : {",", " ,  "}) {
    for (const std::string line_end : {"\n", "\r\n"}) {
      std::string text;
      for (std::size_t i = 0; i < kRows; ++i)
        text += std::to_string(i) + separator + std::to_string(i) + ".5" + line_end;
      const std::vector<double> all = read_all<double>(text, 2, 1000);
      ASSERT_EQ(all.size(), 2 * kRows);
      for (std::size_t i = 0; i < kRows; ++i) {
        ASSERT_EQ(all[2 * i], static_cast<double>(i));
        ASSERT_EQ(all[2 * i + 1], static_cast<double>(i) + 0.5);
      }
    }
  }
  const std::string blanks(3 << 20, ' ');
  EXPECT_EQ(read_all<double>(blanks + "1" + blanks + "," + blanks + "2" + blanks, 2, 1), (std::vector<double>{1, 2}));
}

TEST(RowReader, FilesThatCannotBeReadAreNamed) {
  const TempDir dir;
  EXPECT_THROW((void)InputFile::open(dir.path("missing.csv")), BadInput);
  EXPECT_THROW(RowReader<double>(InputFile::open(dir.path(".")), 2), BadInput);
}

TEST(RowReader, ASingleRow) {
  const TempDir dir;
  EXPECT_EQ(read_single_row(dir.write("one.csv", "1,2\n"), 2), (std::vector<double>{1, 2}));
  for (const std::string text : {"", "1,2\n3,4\n", "1\n", "1,2\nx\n"}) {
    EXPECT_THROW((void)read_single_row(dir.write("bad.csv", text), 2), BadInput) << text;
  }
}

}  // namespace
}  // namespace softradial::program
