#include "apps/cli/terminal/interrupt.h"

#include <csignal>

namespace heddle::cli {
namespace {

// The one thing that a signal handler can reach.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction previous;

extern "C" void on_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

InterruptFlag::InterruptFlag() {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous);
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &previous, nullptr);
}

const std::atomic<bool>& InterruptFlag::raised() const {
  return interrupted;
}

}  // namespace heddle::cli
