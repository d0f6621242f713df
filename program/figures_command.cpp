#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "child_program.hpp"
#include "figures/figures.hpp"
#include "files/durable_file.hpp"
#include "output_file.hpp"
#include "view_commands.hpp"

namespace softradial::program {
namespace {

using study::Figure;

constexpr const char* kFiguresExamples = R"(Examples:
  softradial figures --list
  softradial figures --out figures
  softradial figures --out figures --only projection,landscape_rational --png

Every figure is computed from the library's own layers and written as SVG, light or dark as the page that shows it. --png
writes a PNG beside each, at twice the size, with rsvg-convert (Debian: librsvg2-bin).)";

struct FiguresArguments {
  std::string folder = "figures";
  std::vector<std::string> only;
  bool png = false;
  bool list = false;
};

ExitCode list_figures(const std::vector<Figure>& figures) {
  TextTable table = {{"figure", "shows"}};
  for (const Figure& figure : figures) table.push_back({figure.name, figure.what});
  OutputFile out(STDOUT_FILENO);
  out.append(table_text(table, false));
  out.finish();
  return ExitCode::done;
}

ExitCode write_figures(const std::vector<Figure>& figures, const FiguresArguments& arguments) {
  if (arguments.png && !succeeds("rsvg-convert", {"--version"})) {
    throw BadInput("--png needs rsvg-convert, which is not installed (Debian: librsvg2-bin)");
  }
  study::make_folder(arguments.folder);
  const std::filesystem::path folder = arguments.folder;
  int written = 0;
  for (const Figure& figure : figures) {
    if (!arguments.only.empty() && std::ranges::find(arguments.only, figure.name) == arguments.only.end()) continue;
    const std::filesystem::path svg = folder / (figure.name + ".svg");
    study::write_file(svg, plot::svg_of(figure.draw()));
    ++written;
    if (!arguments.png) continue;
    const std::filesystem::path png = folder / (figure.name + ".png");
    if (!succeeds("rsvg-convert", {"-z", "2", svg.string(), "-o", png.string()})) {
      throw InternalFailure(png.string() + ": rsvg-convert could not write it");
    }
  }
  tell(fmt::format("{} figures in {}", written, arguments.folder));
  return ExitCode::done;
}

}  // namespace

void add_figures_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<FiguresArguments>();
  CLI::App& command = *program.add_subcommand("figures", "Draw the figures of the paper, and one for each other map");
  command.footer(kFiguresExamples);
  command.add_option("--out", arguments->folder, "Folder for the pictures")->type_name("DIR")->capture_default_str();
  command.add_option("--only", arguments->only, "Figures, separated by commas (default: all)")
      ->delimiter(',')
      ->type_name("NAME");
  command.add_flag("--png", arguments->png, "Also write a PNG file of each figure");
  command.add_flag("--list", arguments->list, "List the figures without drawing them");
  command.callback([arguments, &chosen] {
    chosen = [arguments] {
      const std::vector<Figure> figures = study::all_figures();
      std::vector<std::string> names;
      names.reserve(figures.size());
      for (const Figure& figure : figures) names.push_back(figure.name);
      for (const std::string& name : arguments->only) {
        if (const std::string wrong = one_of(names)(name); !wrong.empty()) throw BadInput("--only: " + wrong);
      }
      return arguments->list ? list_figures(figures) : write_figures(figures, *arguments);
    };
  });
}

}  // namespace softradial::program
