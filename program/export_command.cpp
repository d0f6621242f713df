#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "child_program.hpp"
#include "command.hpp"
#include "number_option.hpp"
#include "outcome.hpp"

namespace softradial::program {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExportExamples = R"(Examples:
  softradial export --model runs/mine --format onnx --out policy.onnx
  softradial export --model runs/mine/seed-3/model.safetensors --format torchscript --out policy.pt

The whole policy, from raw prices or demand to a decision: features, standardisation, network, constraint layer.
onnx         plain operators, for onnxruntime and its like
torchscript  for PyTorch after `import softradial`, and for C++ programs that link the library
Python with torch does the work. docs/policies.md shows how to use the files.)";

// The exporter is part of the Python package, whose folder is the first argument. Nothing is imported from the current
// directory.
constexpr const char* kExporter = R"python(import sys
place = sys.argv.pop(1)
sys.path[:] = [place] * bool(place) + [entry for entry in sys.path if entry]
try:
    from softradial.export import main
except ImportError as error:
    print(f"softradial: error: export: {sys.executable}: {error} (--python names another Python)", file=sys.stderr)
    sys.exit(2)
sys.exit(main()))python";

// Exits with 0 if torch is there. Does not load it, which would take seconds.
constexpr const char* kHasTorch = R"python(import importlib.util, sys
sys.path[:] = [entry for entry in sys.path if entry]
sys.exit(importlib.util.find_spec("torch") is None))python";

struct ExportArguments {
  std::string model;
  std::optional<std::uint64_t> seed;
  std::string format;
  std::string out;
  std::string python;
};

// The folder of the Python package of this program: in the build folder, or where it was installed. Empty if it is at neither
// place: Python may then have the package itself.
std::string package_folder() {
  const fs::path root = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const fs::path& folder : {root / "python", root / SOFTRADIAL_PYTHON_DIR}) {
    if (fs::exists(folder / "softradial" / "export.py")) return folder.string();
  }
  return {};
}

// The first Python that has torch: the one in PATH, or the system's, for which distributions package torch.
std::string find_python(const std::string& given) {
  const std::vector<std::string> places =
      given.empty() ? std::vector<std::string>{"python3", "/usr/bin/python3"} : std::vector<std::string>{given};
  for (const std::string& place : places) {
    if (succeeds(place, {"-c", kHasTorch})) return place;
  }
  throw BadInput(fmt::format("export: {} with torch is needed: install torch, or name a Python that has it by --python",
                             fmt::join(places, " or ")));
}

ExitCode run(const ExportArguments& arguments) {
  if (!fs::exists(arguments.model)) throw BadInput(arguments.model + ": no such file or folder");
  const fs::path folder = fs::absolute(arguments.out).parent_path();
  if (!fs::is_directory(folder)) throw BadInput(folder.string() + ": no such folder");
  if (fs::is_directory(arguments.out)) throw BadInput(arguments.out + ": is a folder");
  std::vector<std::string> words = {"-c",       kExporter,        package_folder(), "--model",    arguments.model,
                                    "--format", arguments.format, "--out",          arguments.out};
  if (arguments.seed) words.insert(words.end(), {"--seed", std::to_string(*arguments.seed)});
  become("export", find_python(arguments.python), words);
}

}  // namespace

void add_export_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App& command = *program.add_subcommand("export", "Write a trained policy as ONNX or TorchScript");
  command.footer(kExportExamples);
  command.add_option("--model", arguments->model, "Folder of a run, or one of its files model.safetensors")
      ->type_name("PATH")
      ->required();
  add_number(command, "--seed", arguments->seed, study::kSeed,
             "The seed of the run whose model is used (default: the best on validation)");
  command.add_option("--format", arguments->format, "onnx or torchscript")
      ->check(one_of({"onnx", "torchscript"}))
      ->required();
  command.add_option("--out", arguments->out, "The file")->type_name("FILE")->required();
  command
      .add_option("--python", arguments->python,
                  "Python to run the exporter (default: python3 or /usr/bin/python3, the first that has torch)")
      ->type_name("PROGRAM");
  command.callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace softradial::program
