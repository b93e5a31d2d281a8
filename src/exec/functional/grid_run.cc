#include "exec/functional/grid_run.h"

#include <csignal>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/host_memory.h"
#include "exec/functional/functional_device.h"

namespace heddle::exec {
namespace {

// Chunks get smaller towards the end of the grid, so that threads end together.
constexpr std::uint64_t kChunksPerThread = 8;
constexpr std::uint64_t kLargestChunk = 64;
// How much must have been executed to judge the rest by.
constexpr std::uint64_t kEvidence = 16;
// Warp instructions between two looks at the host's memory, where CTAs are short.
constexpr std::uint64_t kMemoryCheckEvery = 1u << 12;
const OnExecuted kNoCallback;

// Signals are for the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

GridRun::GridRun(ExecContext& context, const FunctionalOptions& options, std::vector<CtaList>& idle,
                 std::optional<std::span<const std::uint64_t>> ctas)
    : context_(context),
      options_(options),
      idle_(idle),
      ctas_(ctas),
      total_(ctas ? ctas->size() : context.grid.count()),
      end_(total_) {
  if (idle_.empty()) idle_.emplace_back();
  workers_.push_back(std::make_unique<Worker>(context_, idle_[0]));
  workers_[0]->may_start_threads =
      options_.threads > 1 && total_ > 1 && !ctas_ && context_.image->separate_ctas;
  workers_[0]->on_executed = [this, &w = *workers_[0]](std::uint64_t executed) {
    w.executed += executed;
    if (w.may_start_threads) consider_threads(w);
  };
}

void GridRun::run() {
  Worker& first = *workers_[0];
  work(first);
  if (shared_) finish_together();
  if (!first.running.empty()) report_hang(first);
}

// CTAs run one after another. Only when all that run spin does the next one start beside them, so that CTAs
// which wait for each other meet. CTAs that remain in `running` at the end cannot proceed.
void GridRun::work(Worker& w) {
  for (;;) {
    if (w.running.empty() && !start_one(w)) return;
    bool working = false;
    round(w, working);
    if (working || w.running.empty()) continue;
    if (start_more(w)) continue;
    if (!w.runnable || w.idle_instructions > options_.spin_limit) return;
    w.repeats = !w.looping && w.repetition.seen(state(w));
    if (w.repeats) return;
  }
}

// Twice as many each time until one ends: all that run look again at what they wait for, and with one more at
// a time a barrier of the whole grid would take as many looks as the grid's square.
bool GridRun::start_more(Worker& w) {
  const std::size_t before = w.running.size();
  const std::uint64_t most = w.looping ? 1 : w.ctas_to_add;
  for (std::uint64_t i = 0; i < most && w.running.size() < options_.max_resident_ctas && start_one(w); ++i) {
  }
  if (!w.looping) w.ctas_to_add *= 2;
  return w.running.size() != before;
}

// Equal states, equal numbers: warps that can run, and what has changed besides them.
std::uint64_t GridRun::state(const Worker& w) const {
  Hasher h;
  for (const auto& cta : w.running) {
    h.add(cta->linear);
    for (const Warp& warp : cta->warps) {
      if (warp.done() || warp.mask() == 0) continue;
      h.add(std::uint64_t{warp.index()});
      warp.add_state(h);
    }
  }
  if (shared_) {
    h.add(visible_changes(*w.context));
  } else {  // the running CTAs may have been other threads'
    for (const auto& worker : workers_) h.add(visible_changes(*worker->context));
  }
  return h.value();
}

void GridRun::round(Worker& w, bool& working) {
  w.runnable = w.looping = false;
  for (std::size_t i = 0; i < w.running.size();) {
    Cta& cta = *w.running[i];
    if (shared_ && cta.linear >= end_.load(std::memory_order_relaxed)) {
      drop(w, i);
      continue;
    }
    try {
      if (w.until_memory_check == 0) {
        watch_host_memory();
        w.until_memory_check = kMemoryCheckEvery;
      }
      const CtaRound turn = run_round(cta, w.may_start_threads ? w.on_executed : kNoCallback);
      w.until_memory_check -= std::min(w.until_memory_check, turn.executed);
      working |= turn.working || turn.advanced;
      w.runnable |= turn.runnable;
      w.looping |= turn.looping;
      w.idle_instructions = turn.advanced ? 0 : w.idle_instructions + turn.executed;
      if (turn.endless) report_endless(cta);
    } catch (...) {
      if (!shared_) throw;
      fail(cta.linear, std::current_exception());
      drop(w, i);
      continue;
    }
    if (cta.done()) {
      ++w.ended;
      w.ctas_to_add = 1;
      drop(w, i);
    } else {
      ++i;
    }
  }
}

bool GridRun::start_one(Worker& w) {
  if (w.chunk.empty()) w.chunk = take_chunk();
  if (w.chunk.empty() || w.chunk.next >= end_.load(std::memory_order_relaxed)) return false;
  if (w.idle->empty()) w.idle->push_back(std::make_unique<Cta>());
  w.running.push_back(std::move(w.idle->back()));
  w.idle->pop_back();
  const std::uint64_t next = w.chunk.next++;
  w.running.back()->start(*context_.image, *w.context, ctas_ ? (*ctas_)[next] : next);
  return true;
}

GridRun::Chunk GridRun::take_chunk() {
  if (!unstarted_.empty()) {
    const Chunk chunk = unstarted_.back();
    unstarted_.pop_back();
    return chunk;
  }
  const std::uint64_t at = next_.load(std::memory_order_relaxed);
  if (at >= total_) return {};
  if (!shared_) {
    next_.store(at + 1, std::memory_order_relaxed);
    return {at, at + 1};
  }
  const std::uint64_t size =
      std::clamp<std::uint64_t>((total_ - at) / (threads() * kChunksPerThread), 1, kLargestChunk);
  const std::uint64_t first = next_.fetch_add(size, std::memory_order_relaxed);
  return {std::min(first, total_), std::min(first + size, total_)};
}

void GridRun::drop(Worker& w, std::size_t i) {
  w.idle->push_back(std::move(w.running[i]));
  w.running.erase(w.running.begin() + static_cast<std::ptrdiff_t>(i));
}

// ---- several threads ----------------------------------------------------------------------------------

// By instructions, not by time: what happens is the same in every run.
void GridRun::consider_threads(Worker& w) {
  if (w.executed < options_.worth_threads / kEvidence) return;
  const std::uint64_t left = total_ - next_.load(std::memory_order_relaxed);
  if (w.executed / std::max<std::uint64_t>(w.ended, 1) * left < options_.worth_threads) return;
  w.may_start_threads = false;
  if (left != 0) start_threads();
}

void GridRun::start_threads() {
  const std::uint64_t left = total_ - next_.load(std::memory_order_relaxed);
  const auto others = static_cast<std::uint32_t>(std::min<std::uint64_t>(options_.threads - 1, left));
  if (idle_.size() < others + 1) idle_.resize(others + 1);
  workers_[0]->idle = &idle_[0];
  for (std::uint32_t t = 1; t <= others; ++t)
    workers_.push_back(std::make_unique<Worker>(context_, idle_[t]));
  shared_ = true;
  const SignalsBlocked blocked;
  for (std::uint32_t t = 1; t <= others; ++t) {
    try {
      threads_.emplace_back([this, &w = *workers_[t]] {
        try {
          w.own.emplace(context_.memory, static_cast<const LaunchData&>(context_));
          w.own->count_accesses = context_.count_accesses;
          w.context = &*w.own;
          work(w);
        } catch (...) {  // not by a CTA: no memory, for example
          fail(total_, std::current_exception());
        }
      });
    } catch (const std::system_error&) {
      return;  // the host gives no more threads: those there are do it all
    }
  }
}

// CTAs that no thread could bring to an end run on together.
void GridRun::finish_together() {
  threads_.clear();
  if (error_ != nullptr) std::rethrow_exception(error_);
  shared_ = false;
  Worker& first = *workers_[0];
  for (std::size_t t = 1; t < workers_.size(); ++t) {
    Worker& w = *workers_[t];
    if (!w.chunk.empty()) unstarted_.push_back(w.chunk);
    first.idle_instructions = std::max(first.idle_instructions, w.idle_instructions);
    std::move(w.running.begin(), w.running.end(), std::back_inserter(first.running));
  }
  std::sort(first.running.begin(), first.running.end(),
            [](const auto& a, const auto& b) { return a->linear < b->linear; });
  work(first);
  for (std::size_t t = 1; t < workers_.size(); ++t)
    if (workers_[t]->own) context_.add_counts(*workers_[t]->own);
}

// Those behind a CTA that failed would not have run: only those before it matter.
void GridRun::fail(std::uint64_t cta, std::exception_ptr error) {
  const std::lock_guard lock(failing_);
  if (error_ != nullptr && failed_ <= cta) return;
  failed_ = cta;
  error_ = std::move(error);
  end_.store(std::min(cta, end_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
}

void GridRun::report_endless(const Cta& cta) const {
  throw Error(
      fmt::format("kernel '{}' never ends: a warp repeats the same loop with the same values, and nothing "
                  "in the loop could change that",
                  context_.image->name),
      "Who waits where:\n  " + cta.describe());
}

void GridRun::report_hang(const Worker& w) const {
  std::string who = "Who waits where:";
  for (std::size_t i = 0; i < std::min<std::size_t>(w.running.size(), 4); ++i)
    who += "\n  " + w.running[i]->describe();
  if (!w.runnable)
    throw Error(fmt::format("kernel '{}' is deadlocked: no warp can proceed", context_.image->name), who);
  if (w.repeats)
    throw Error(
        fmt::format("kernel '{}' makes no progress: every warp waits or repeats the same loop with the "
                    "same values, and memory does not change",
                    context_.image->name),
        who);
  throw Error(fmt::format("kernel '{}' makes no progress: for {} warp instructions no warp has ended, no "
                          "barrier has opened, and every warp only loops",
                          context_.image->name, w.idle_instructions),
              who);
}

}  // namespace heddle::exec
