// softradial export, as far as it goes without Python; tests/torch/test_trained_policies.py has the rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

TEST(ExportCommand, BadArgumentsAreOneLine) {
  const TempDir dir;
  const std::string model = dir.write("model.safetensors", "no model");
  const std::string no_python = dir.write("python", "#!/no/such/program\n");
  const auto with = [&](const std::string& flag, const std::string& value) {
    Arguments all = {"export", "--model",          model,      "--format", "onnx",
                     "--out",  dir.path("policy"), "--python", no_python};
    const auto place = std::ranges::find(all, flag);
    if (place == all.end()) {
      all.insert(all.end(), {flag, value});
    } else {
      *(place + 1) = value;
    }
    return all;
  };
  struct Case {
    Arguments arguments;
    std::string error;
  };
  const Case cases[] = {
      {{"export"}, "--model is required"},
      {with("--model", dir.path("none")), "none: no such file or folder"},
      {with("--format", "pickle"), "--format: pickle not in"},
      {with("--seed", "-1"), "--seed"},
      {with("--seed", "x"), "--seed"},
      {with("--out", dir.path("none/policy")), "none: no such folder"},
      {with("--out", dir.path("")), "is a folder"},
      {with("--python", no_python),
       "python with torch is needed: install torch, or name a Python that has it by --python"},
      {with("--python", dir.path("none")), "none with torch is needed"},
  };
  for (const Case& c : cases) {
    const ChildResult result = run_softradial(c.arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_TRUE(result.err.starts_with("softradial: error: ")) << result.err;
    EXPECT_NE(result.err.find(c.error), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace softradial::test
