#include "row_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <vector>

#include "outcome.hpp"
#include "program/temp_dir.hpp"

namespace softradial::program {
namespace {

// A file that is written through a descriptor and looked at from outside.
class RowWriter : public testing::Test {
 protected:
  RowWriter() : descriptor_(::open(path_.c_str(), O_CREAT | O_WRONLY, 0600)) {}
  ~RowWriter() override { ::close(descriptor_); }

  [[nodiscard]] std::string written() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  test::TempDir dir_;
  std::string path_ = dir_.path("x.csv");
  int descriptor_;
};

TEST_F(RowWriter, WritesRowsWithAllDigits) {
  OutputFile out(descriptor_);
  const std::vector<double> wide = {0.1, -1, 2e-9, 4};
  const std::vector<float> narrow = {0.1F, 5, -1e-9F, 7};
  write_rows<double>(out, {wide.data(), 2, 2});
  write_rows<float>(out, {narrow.data(), 1, 3, 4});
  out.finish();
  EXPECT_EQ(written(), "0.10000000000000001,-1\n2.0000000000000001e-09,4\n0.100000001,5,-9.99999972e-10\n");
}

TEST_F(RowWriter, HoldsBackUntilThereIsMuch) {
  OutputFile out(descriptor_);
  const std::string block(OutputFile::kHoldBack / 2 - 1, 'x');
  out.append(block);
  out.end_block();
  out.append(block);
  out.end_block();
  EXPECT_EQ(written().size(), 0U);
  out.append("12");
  out.end_block();
  EXPECT_EQ(written().size(), OutputFile::kHoldBack);
  out.append("once it streams, every block is written at once");
  out.end_block();
  EXPECT_GT(written().size(), OutputFile::kHoldBack);
}

TEST_F(RowWriter, WhatIsNotFinishedIsNotWritten) {
  { OutputFile(descriptor_).append("lost with the error that ended it"); }
  EXPECT_EQ(written(), "");
}

TEST(OutputFile, TellsAClosedPipeFromAFailure) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  OutputFile closed(ends[1]);
  closed.append("x");
  EXPECT_THROW(closed.finish(), OutputClosed);
  ::close(ends[1]);

  OutputFile bad(ends[1]);
  bad.append("x");
  EXPECT_THROW(bad.finish(), InternalFailure);
}

}  // namespace
}  // namespace softradial::program
