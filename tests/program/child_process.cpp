#include "program/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

namespace softradial::test {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    value_ = std::exchange(other.value_, -1);
    return *this;
  }
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return value_; }
  void close() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
  }

 private:
  int value_;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
};

pid_t spawn(const Arguments& arguments, int in, int out, int err) {
  Arguments all = {SOFTRADIAL_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, SOFTRADIAL_PROGRAM, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " SOFTRADIAL_PROGRAM);
  return pid;
}

void feed(Descriptor in, const Source& source) {
  for (std::string text = source(); !text.empty(); text = source()) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t count = ::write(in.get(), rest.data(), rest.size());
      if (count < 0) return;  // the program has ended without reading everything
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
  }
}

void drain(Descriptor out, const Sink& sink) {
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ssize_t count = ::read(out.get(), buffer.data(), buffer.size());
    if (count <= 0 || !sink({buffer.data(), static_cast<std::size_t>(count)})) return;
  }
}

Source once(std::string_view text) {
  return [text]() mutable { return std::string(std::exchange(text, {})); };
}

Sink into(std::string& text) {
  return [&text](std::string_view piece) {
    text += piece;
    return true;
  };
}

using Started = std::function<void(pid_t child)>;  // called once, while the child runs

ChildResult run(const Arguments& arguments, const Source& source, const Sink& sink, Descriptor file,
                const Started& started = {}) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe in;
  Pipe out;
  Pipe err;
  const bool to_file = file.get() >= 0;
  const pid_t pid =
      spawn(arguments, in.read_end.get(), to_file ? file.get() : out.write_end.get(), err.write_end.get());
  in.read_end.close();
  out.write_end.close();
  err.write_end.close();

  ChildResult result;
  std::thread feeder([&] { feed(std::move(in.write_end), source); });
  std::thread errors([&] { drain(std::move(err.read_end), into(result.err)); });
  std::thread watcher([&] {
    if (started) started(pid);
  });
  drain(std::move(out.read_end), sink);
  watcher.join();

  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  feeder.join();
  errors.join();
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.peak_memory_kib = usage.ru_maxrss;
  return result;
}

}  // namespace

ChildResult run_softradial(const Arguments& arguments, std::string_view input) {
  std::string text;
  ChildResult result = run(arguments, once(input), into(text), Descriptor());
  result.out = std::move(text);
  return result;
}

ChildResult run_softradial(const Arguments& arguments, const Source& source, const Sink& sink) {
  return run(arguments, source, sink, Descriptor());
}

ChildResult run_softradial_into(const std::string& file, const Arguments& arguments, std::string_view input) {
  const auto ignore = [](std::string_view) { return true; };
  return run(arguments, once(input), ignore, Descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC)));
}

ChildResult run_softradial_until(const std::function<bool()>& now, int signal, const Arguments& arguments) {
  std::string text;
  // The child is waited for only after the watcher has ended: until then its number is its own.
  ChildResult result = run(arguments, once(""), into(text), Descriptor(), [&](pid_t child) {
    const auto has_ended = [&] {
      siginfo_t state{};
      return ::waitid(P_PID, static_cast<id_t>(child), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             state.si_pid == child;
    };
    while (!now()) {
      if (has_ended()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, signal);
  });
  result.out = std::move(text);
  return result;
}

}  // namespace softradial::test
