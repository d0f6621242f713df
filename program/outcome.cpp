#include "outcome.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "softradial/errors.hpp"

namespace softradial::program {

namespace {

constexpr std::size_t kMaxQuoted = 40;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// A path that cannot be used is the user's mistake; a full or broken device is not.
ExitCode exit_code_of(const std::error_code& error) {
  for (const std::errc failure : {std::errc::no_space_on_device, std::errc::io_error, std::errc::file_too_large,
                                  std::errc::not_enough_memory, std::errc::too_many_files_open}) {
    if (error == failure) return ExitCode::internal_failure;
  }
  return ExitCode::bad_input;
}

ExitCode report(ExitCode code, const std::string& message) {
  tell("error: " + message);
  return code;
}

}  // namespace

ExitCode guarded(const std::function<ExitCode()>& work) noexcept {
  // If the reader leaves early, the next write fails, and OutputFile ends the program quietly.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that grows beyond its limit gives a failed write with a message, and does not end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return work();
  } catch (const OutputClosed&) {
    return ExitCode::done;
  } catch (const Interrupted& error) {
    tell(std::string("interrupted") + error.what());
    return ExitCode::interrupted;
  } catch (const CLI::ParseError& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const BadInput& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const Error& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::internal_failure, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return report(exit_code_of(error.code()), error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    // LibTorch's messages go on with thousands of letters of addresses.
    const std::string_view message = error.what();
    return report(ExitCode::internal_failure, std::string(message.substr(0, message.find('\n'))));
  } catch (...) {
    return report(ExitCode::internal_failure, "unknown failure");
  }
}

void tell(const std::string& message) noexcept {
  // A file name may contain control characters. They become blanks, which cannot break the line.
  std::string line = "softradial: " + message;
  std::ranges::replace_if(line, is_control, ' ');
  std::fputs((line + "\n").c_str(), stderr);
}

std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes.substr(0, kMaxQuoted)) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(c) || byte >= 0x80) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + (bytes.size() > kMaxQuoted ? "...\"" : "\"");
}

}  // namespace softradial::program
