#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"

extern char** environ;

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 256u << 20;   // more is nothing that Heddle would read
constexpr std::size_t kMostMessages = 64u << 10;  // of a program that does not stop complaining

// Milliseconds until `end`, as poll wants them; -1: no end.
int left(Clock::time_point end) {
  if (end == Clock::time_point::max()) return -1;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(ms, 0, 1 << 30));
}

// Reads both ends until the process closes them; either alone could fill up and stop it. False: time is up.
bool drain(int output, int messages, Clock::time_point end_of_time, ProcessResult& result) {
  pollfd ends[2] = {{output, POLLIN, 0}, {messages, POLLIN, 0}};
  std::vector<char> buffer(1 << 16);
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const int n_ready = ::poll(ends, 2, left(end_of_time));
    if (n_ready == 0) return false;
    if (n_ready < 0 && errno != EINTR) return true;
    if (n_ready < 0) continue;
    for (pollfd& end : ends) {
      if (end.fd < 0 || end.revents == 0) continue;
      const ssize_t n = ::read(end.fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      std::string& to = &end == &ends[0] ? result.output : result.messages;
      if (n <= 0)
        end.fd = -1;
      else if (to.size() < (&end == &ends[0] ? kMostOutput : kMostMessages))
        to.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }
  return true;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, std::chrono::seconds limit) {
  ProcessResult result;
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  if (::pipe2(err, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(out[0]), ::close(out[1]);
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(error)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<char*> argv;
  for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  result.start_error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]), ::close(err[1]);
  if (result.start_error == 0) {
    const auto end = limit.count() == 0 ? Clock::time_point::max() : Clock::now() + limit;
    result.timed_out = !drain(out[0], err[0], end, result);
    if (result.timed_out) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ::close(out[0]), ::close(err[0]);
  return result;
}

}  // namespace heddle
