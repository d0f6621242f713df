#include "train/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace softradial::program {

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace softradial::program
