#include "figures/figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "figures/scene.hpp"

namespace softradial::study {
namespace {

// Every element that begins also ends, in the right order.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    if (xml[at + 1] == '/') {
      if (open.empty() || open.back() != xml.substr(at + 2, end - at - 2)) return false;
      open.pop_back();
    } else if (xml[end - 1] != '/') {
      open.push_back(xml.substr(at + 1, xml.find_first_of(" >", at) - at - 1));
    }
  }
  return open.empty();
}

TEST(Figures, AllOfThePaperAndEveryOtherMapOfThePlane) {
  std::vector<std::string> names;
  for (const Figure& figure : all_figures()) names.push_back(figure.name);
  for (const char* name : {"projection", "intuition", "landscape_rational", "landscape_exponential",
                           "landscape_hyperbolic", "landscape_epsilon", "map_hard_radial", "map_gauge_map",
                           "map_soft_orthogonal", "map_mirror", "map_softmax", "map_dc3", "map_hardnet", "map_rayen"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
}

TEST(Figures, TheFiguresOfThePaperAreWholeFilesOfFiniteNumbers) {
  for (const Figure& figure : all_figures()) {
    if (figure.name.starts_with("map_")) continue;
    const std::string svg = plot::svg_of(figure.draw());
    EXPECT_TRUE(is_well_formed(svg)) << figure.name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << figure.name;
    EXPECT_NE(svg.find("<title"), std::string::npos) << figure.name;
  }
}

// What figure 1 claims.
TEST(Figures, TheOrthogonalProjectionStallsAndTheSoftRadialOneArrives) {
  EXPECT_GT(SceneView(triangle_scene(), Orthogonal{}).last_loss(), 0.1);
  EXPECT_LT(SceneView(triangle_scene(), SoftRadial{}).last_loss(), 1e-4);
}

}  // namespace
}  // namespace softradial::study
