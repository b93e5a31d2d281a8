#include "study/batch/pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::study {
namespace {

using Clock = std::chrono::steady_clock;

// What a child sends: one of these, then the text; the end of the pipe ends the text. A record is followed by
// a zero byte, which JSON has none of, and the run's detail.
constexpr char kRecord = 'R', kError = 'E', kNoMemory = 'M';
constexpr int kTick = 500;    // milliseconds between calls of `tick`
constexpr int kNotice = 100;  // ... after which an interrupt is noticed at the latest

struct Child {
  std::size_t index = 0;
  pid_t pid = -1;
  int pipe = -1;
  std::string text;
  Clock::time_point began = Clock::now();
};

// Closes its end and collects the child; returns its status as waitpid gives it.
int collect(Child& child) {
  close(child.pipe);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool send(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(to, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// The life of a child. It ends without the parent's destructors and buffers: those are the parent's.
[[noreturn]] void live(const Point& point, const FindWorkload& find, int to) {
  char kind = kRecord;
  std::string text;
  try {
    std::string detail;
    text = simulate(point, find(point.workload), 1, &detail);
    text += '\0' + detail;
  } catch (const std::bad_alloc&) {
    kind = kNoMemory;
    text = "out of memory; try a smaller scale, or fewer points at once";
  } catch (const std::exception& e) {
    kind = kError;
    text = e.what();
  }
  _exit(send(to, {&kind, 1}) && send(to, text) ? 0 : 1);
}

// Nothing of a child may outlive the parent, however that ends; and Ctrl-C in a terminal reaches children,
// too, but to end them is the parent's business.
void obey(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it was gone before the line above
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
}

std::string why_without_record(int status) {
  if (!WIFSIGNALED(status))
    return fmt::format("ended with exit status {} and no record", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format(
      "killed by signal {} ({}){}", signal, strsignal(signal),
      signal == SIGKILL ? ": perhaps the machine ran out of memory; try fewer points at once" : "");
}

// The children under way. Its end ends them all.
class Children {
 public:
  Children() = default;
  ~Children() {
    for (const Child& c : all_) kill(c.pid, SIGKILL);
    for (Child& c : all_) collect(c);
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  std::vector<std::size_t> indices() const {
    std::vector<std::size_t> out;
    for (const Child& c : all_) out.push_back(c.index);
    return out;
  }

  // False: the system has no room for another process or pipe right now.
  bool start(std::size_t index, const Point& point, const FindWorkload& find) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
      obey(parent);
      for (const Child& c : all_) close(c.pipe);
      close(ends[0]);
      live(point, find, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
      close(ends[0]);
      return false;
    }
    Child& c = all_.emplace_back();
    c.index = index;
    c.pid = pid;
    c.pipe = ends[0];
    return true;
  }

  // Waits for a while and reads what has come; hands out the points that ended.
  std::vector<Finished> wait(int milliseconds) {
    std::vector<pollfd> polled;
    for (const Child& c : all_) polled.push_back({c.pipe, POLLIN, 0});
    std::vector<Finished> ended;
    if (poll(polled.data(), polled.size(), milliseconds) <= 0) return ended;
    for (std::size_t i = polled.size(); i-- > 0;) {
      if (polled[i].revents == 0 || !at_end(all_[i])) continue;
      ended.push_back(finish(all_[i]));
      all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return ended;
  }

 private:
  // Reads what is in the pipe, at most one buffer of it.
  static bool at_end(Child& c) {
    char buffer[1 << 16];
    const ssize_t n = read(c.pipe, buffer, sizeof buffer);
    if (n < 0) return errno != EINTR;
    c.text.append(buffer, static_cast<std::size_t>(n));
    return n == 0;
  }

  static void split(const std::string& text, Finished& f) {
    const std::size_t end = text.find('\0');
    f.record = text.substr(1, end - 1);
    f.detail = text.substr(end + 1);
  }

  static Finished finish(Child& c) {
    Finished f;
    f.index = c.index;
    const int status = collect(c);
    f.seconds = std::chrono::duration<double>(Clock::now() - c.began).count();
    const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !c.text.empty();
    if (WIFSIGNALED(status)) f.killed_by = WTERMSIG(status);
    f.no_memory = f.killed_by == SIGKILL || (whole && c.text[0] == kNoMemory);
    if (!whole)
      f.error = why_without_record(status);
    else if (c.text[0] == kRecord)
      split(c.text, f);
    else
      f.error = c.text.substr(1);
    return f;
  }

  std::vector<Child> all_;
};

}  // namespace

std::uint32_t processes(const PoolOptions& options) {
  return options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
}

bool run_points(std::span<const Point> points, const FindWorkload& find, const PoolOptions& options,
                const std::function<void(const Finished&)>& done,
                const std::function<void(std::span<const std::size_t> running)>& tick) {
  const std::size_t jobs = processes(options);
  const auto interrupted = [&] { return options.interrupt != nullptr && options.interrupt->load(); };
  Children children;
  std::size_t next = 0;
  auto ticked = Clock::now();
  while (next < points.size() || !children.empty()) {
    if (interrupted()) return false;
    while (next < points.size() && children.size() < jobs) {
      if (children.start(next, points[next], find)) {
        ++next;
      } else if (children.empty()) {
        throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)),
                    "the system has too many processes or too little memory; try fewer at once");
      } else {
        break;  // when one ends there is room again
      }
    }
    for (const Finished& f : children.wait(kNotice)) done(f);
    if (tick && Clock::now() - ticked >= std::chrono::milliseconds(kTick)) {
      ticked = Clock::now();
      tick(children.indices());
    }
  }
  return true;
}

}  // namespace heddle::study
