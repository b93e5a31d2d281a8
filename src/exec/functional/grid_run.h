// Executes the CTAs of one launch, on one host thread or on several.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/functional/cta_round.h"
#include "exec/functional/repetition.h"
#include "exec/warp/context.h"
#include "exec/warp/cta.h"

namespace heddle::exec {

struct FunctionalOptions;

using CtaList = std::vector<std::unique_ptr<Cta>>;

// The calling thread starts alone. When what is left of the grid is worth it and the kernel's CTAs are
// separate (separate_ctas.h), it starts others; all take CTAs from one counter, each counts for itself.
// None of them lives longer than the launch: the process may fork or end at any other time.
class GridRun {
 public:
  // `idle`: storage of CTAs to use again, by thread. `ctas`: only these, ascending, on one thread.
  GridRun(ExecContext& context, const FunctionalOptions& options, std::vector<CtaList>& idle,
          std::optional<std::span<const std::uint64_t>> ctas = {});
  GridRun(const GridRun&) = delete;
  GridRun& operator=(const GridRun&) = delete;

  // Afterwards all counts are in the context. Throws what the lowest of the CTAs that failed has thrown, or
  // who waits where when nobody can proceed.
  void run();
  std::uint32_t threads() const { return static_cast<std::uint32_t>(workers_.size()); }

 private:
  struct Chunk {
    std::uint64_t next = 0, end = 0;
    bool empty() const { return next >= end; }
  };
  // What one thread has.
  struct Worker {
    Worker(ExecContext& c, CtaList& i) : context(&c), idle(&i) {}
    std::optional<ExecContext> own;  // the first one uses the launch's
    ExecContext* context;
    CtaList* idle;
    CtaList running;
    Chunk chunk;
    std::uint64_t executed = 0, ended = 0;
    std::uint64_t idle_instructions = 0;   // since something has advanced
    std::uint64_t until_memory_check = 0;  // instructions, of the host's memory
    std::uint64_t ctas_to_add = 1;         // when all that run spin
    Repetition repetition;
    bool runnable = false;           // in the last round
    bool looping = false;            // in the last round a warp was in a long loop that may end
    bool repeats = false;            // nothing will ever change
    bool may_start_threads = false;  // once that is worth it
    OnExecuted on_executed;          // of the first one
  };

  void work(Worker& w);
  void round(Worker& w, bool& working);
  bool start_one(Worker& w);
  bool start_more(Worker& w);
  std::uint64_t state(const Worker& w) const;
  Chunk take_chunk();
  void drop(Worker& w, std::size_t i);
  void consider_threads(Worker& w);
  void start_threads();
  void finish_together();
  void fail(std::uint64_t cta, std::exception_ptr error);
  [[noreturn]] void report_hang(const Worker& w) const;
  [[noreturn]] void report_endless(const Cta& cta) const;

  ExecContext& context_;
  const FunctionalOptions& options_;
  std::vector<CtaList>& idle_;
  const std::optional<std::span<const std::uint64_t>> ctas_;
  const std::uint64_t total_;
  bool shared_ = false;           // there are other threads
  std::vector<Chunk> unstarted_;  // of threads that gave up
  alignas(64) std::atomic<std::uint64_t> next_{0};
  alignas(64) std::atomic<std::uint64_t> end_;  // nobody is interested in this CTA and those behind it
  std::mutex failing_;
  std::uint64_t failed_ = ~std::uint64_t{0};
  std::exception_ptr error_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::jthread> threads_;  // last: ends first
};

}  // namespace heddle::exec
