#include "apps/cli/terminal/interrupt.h"

#include <csignal>

namespace heddle::cli {
namespace {

// The one thing that a signal handler can reach.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction previous, previous_term;

extern "C" void on_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

InterruptFlag::InterruptFlag(bool terminate) : terminate_(terminate) {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous);
  if (terminate_) sigaction(SIGTERM, &action, &previous_term);
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &previous, nullptr);
  if (terminate_) sigaction(SIGTERM, &previous_term, nullptr);
}

const std::atomic<bool>& InterruptFlag::raised() const {
  return interrupted;
}

}  // namespace heddle::cli
