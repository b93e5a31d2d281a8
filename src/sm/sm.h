// A streaming multiprocessor: resident CTAs, warp schedulers, scoreboard, execution units, load/store unit.
//
// Most of an SM's resources are timestamps: when a register is ready, when an execution unit takes the next
// instruction. A warp whose next instruction becomes ready at a known cycle waits in a wheel of warp masks;
// one that waits for memory is in no structure until the answer comes. So a cycle costs work only for warps
// that can issue, and cycles in which nobody can are skipped.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/time.h"
#include "sm/available_warps.h"
#include "sm/code_fetch.h"
#include "sm/fence_waits.h"
#include "sm/load_store_unit.h"
#include "sm/occupancy.h"
#include "sm/ready_warps.h"
#include "sm/sm_spec.h"
#include "sm/sm_stats.h"
#include "sm/spin_watch.h"
#include "sm/unit_pools.h"
#include "sm/warp_scheduler.h"
#include "sm/warp_states.h"
#include "workload/hardware_view.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

// A CTA that ended, for the dispatcher.
struct Retired {
  sim::Cycle at = 0;
  std::uint64_t cta = 0;
  std::uint32_t kernel = 0;
};

// Hears when CTAs start and end; nobody listens by default.
class CtaObserver {
 public:
  virtual void cta_started(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, sim::Cycle now) = 0;
  virtual void cta_ended(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, sim::Cycle now) = 0;

 protected:
  ~CtaObserver() = default;
};

// What an SM knows of a grid's code beside its instructions.
struct KernelCode {
  std::uint64_t number = 0;             // of all launches of a kernel: tells its lines from those of others
  const std::uint8_t* waits = nullptr;  // static_waits.h, with sm.static_waits; as long as the grid
};

class Sm final : public workload::HardwareView, private LsuClient {
 public:
  Sm(const SmSpec& spec, std::uint32_t id, std::uint32_t count, Frequency clock);

  void connect(mem::L1Port& port, const FrontL1& l1) { lsu_.connect(port, l1); }
  mem::L1Client& client() { return lsu_; }
  bool takes_replies() const { return lsu_.takes_replies(); }
  LoadFront* front() { return lsu_.front(); }  // nullptr: instructions stay in order
  const LoadFront* front() const { return lsu_.front(); }
  // Looks at every load from global memory, line by line; nullptr: nobody does.
  void measure(mem::PotentialMeter* meter) { lsu_.measure(meter); }
  mem::PotentialMeter* meter() const { return lsu_.meter(); }
  void observe(CtaObserver* observer) { observer_ = observer; }
  // Is told after each step how many memory instructions wait, and every line request; nullptr: nobody is.
  void watch(AccessPressure* pressure) {
    pressure_ = pressure;
    watched_ = true;
    lsu_.watch(pressure);
  }
  AccessPressure* pressure() const { return pressure_; }
  // Is told in each step how many warps could issue; nullptr: nobody is.
  void watch(AvailableWarps* available) {
    available_ = available;
    watched_ = true;
  }
  AvailableWarps* available() const { return available_; }
  // Is told what holds each warp; nullptr: nobody is.
  void watch(WarpStates* states);
  WarpStates* warp_states() const { return states_; }
  const TextureCache* textures() const { return lsu_.textures(); }  // nullptr: they use the L1

  // ---- between windows ----------------------------------------------------------------------------
  // CTA `cta` of `grid` starts at cycle `at`; the dispatcher has made sure that it fits. `kernel` comes back
  // in Retired.
  void launch(workload::GridStream& grid, std::uint32_t kernel, std::uint64_t cta, sim::Cycle at,
              const KernelCode& code = {});
  std::vector<Retired>& retired() { return retired_; }
  const std::vector<Retired>& retired() const { return retired_; }
  // From cycle `at` on nothing is issued, and no cycle is counted; what is under way comes to its end. Then
  // idle() is true although CTAs are resident: execute_rest() executes what is left of them.
  void halt(sim::Cycle at) { halt_ = at; }
  // Who listens hears that resident CTAs end with the halt.
  void tell_cut() const;
  // A turn for each of their warps, without time; `atomic` executes the operands of a record at once. Returns
  // how many instructions were executed; 0 with CTAs left: their warps wait for each other without end.
  std::uint64_t execute_rest(const std::function<void(const workload::WarpAccess&)>& atomic);
  std::uint32_t resident_ctas() const;
  // Called when a kernel has ended on the whole machine.
  void kernel_end() {
    lsu_.kernel_end();
    if (!spec_.icache_kept) code_fetch_.flush();
  }

  // ---- in a window --------------------------------------------------------------------------------
  // Brings what the next instructions need into the host's cache.
  void prefetch() const;
  // Cycle `now` begins: replies to the L1 come first, then step(). Cycles that were skipped are counted
  // before: a reply may end a CTA.
  void begin(sim::Cycle now) {
    now_ = now;
    settle(now);
  }
  void step(sim::Cycle now);
  // After step(now): the next cycle at which something happens without a reply.
  sim::Cycle next(sim::Cycle now) const;
  // A reply has reached the L1: what was blocked may go.
  void unblock() { lsu_.unblock(); }

  // ---- for everybody ------------------------------------------------------------------------------
  std::uint64_t clock() const override { return now_; }
  std::uint64_t globaltimer() const override;
  std::uint32_t smid() const override { return id_; }
  std::uint32_t nsmid() const override { return count_; }
  const WarpMask& ready_warps() const { return any_ready_; }
  bool idle() const { return (resident_ == 0 || now_ >= halt_) && starting_.empty() && lsu_.idle(); }
  std::uint32_t resident_warps() const;
  const SmStats& statistics() const { return stats_; }
  // Counters that depend on time passing are brought up to `now`.
  void settle(sim::Cycle now);
  // The statistics as settle(now) would leave them, for who looks on: nothing changes.
  SmStats settled(sim::Cycle now) const;
  // After settle(): the states of warps that are resident still.
  void settle_states();
  void clear_statistics();
  std::string waits() const;
  // Whether every warp waits at a barrier or has been seen twice in the same state with a backward branch in
  // between: if memory has not changed meanwhile, none will ever do anything else. Between windows; a
  // question now and then. `again`: memory or warps have changed, what was seen before does not count.
  bool only_spins(bool again);
  // When the oldest atomic in global memory was issued that has not been answered; kNever when there is none.
  sim::Cycle oldest_atomic() const { return lsu_.oldest_atomic(); }

 private:
  enum class Stall : std::uint8_t { Memory, Dependency, Unit, Lsu, Barrier, Drain };
  struct CtaSlot {
    workload::CtaStream* stream = nullptr;
    workload::GridStream* grid = nullptr;
    std::uint32_t kernel = 0;
    std::uint32_t live_warps = 0;
    std::uint32_t unacknowledged = 0;  // stores and atomics of all its warps
    std::uint32_t copies = 0;          // asynchronous copies under way
    std::uint32_t place = 0;           // among CTAs of its kernel, with LocalLayout::Interleaved
    WarpMask warps = 0;
    KernelCode code;
  };
  struct Starting {
    workload::GridStream* grid;
    std::uint32_t kernel;
    std::uint64_t cta;
    sim::Cycle at;
    KernelCode code;
  };
  // Asynchronous copies of a warp, and where its groups of them end. They complete nearly in the order of
  // their issue, so that how many have completed says which.
  struct CopyGroups {
    static constexpr std::uint32_t kKept = 8;  // groups that a wait can tell apart
    std::uint32_t issued = 0, completed = 0, groups = 0;
    std::array<std::uint32_t, kKept> end{};  // of the last groups: copies issued until then
    void commit() { end[groups++ % kKept] = issued; }
    // Whether all but the last `left` groups are complete (StaticInstr::kAllCopies: everything).
    bool complete(std::uint32_t left) const {
      if (left == workload::StaticInstr::kAllCopies) return completed == issued;
      left = std::min(left, kKept - 1);
      return groups <= left || completed >= end[(groups - 1 - left) % kKept];
    }
  };
  // One line of the host's cache: issue() reads it for another warp every time.
  struct alignas(64) WarpState {
    const workload::StaticInstr* code = nullptr;
    sim::Cycle* ready = nullptr;  // by register: cycle, or kPending + record
    workload::CtaStream* stream = nullptr;
    sim::Cycle earliest = 0;              // fetch and branch
    const void* running_state = nullptr;  // CtaStream's
    std::uint32_t pc = 0;
    std::uint32_t fetched = CodeFetch::kNothing;  // instruction line
    std::uint32_t unacknowledged = 0;             // stores and reductions
    std::uint32_t atomics = 0;                    // of these, reductions and atomics
    std::uint32_t launch = 0;                     // counts the warps that have used the context
    std::uint8_t cta = 0;                         // context
    std::uint8_t in_cta = 0;                      // index in the CTA
    std::uint8_t scheduler = 0;
    UnitKind unit = UnitKind::None;  // where the next instruction waits
  };
  static_assert(sizeof(WarpState) == 64);
  // A scheduler and what it issues from and to.
  struct IssuePort {
    ReadyWarps ready;
    sim::Cycle free_at = 0;
    std::unique_ptr<WarpScheduler> policy;
    WarpMask warps = 0;              // contexts
    UnitPools* units = nullptr;      // its own, or those of the SM
    std::uint64_t* banks = nullptr;  // of registers; when each is free, in ports
  };
  // From here on a register's timestamp names the memory instruction that will write it.
  static constexpr sim::Cycle kPending = sim::Cycle{1} << 63, kFencing = ~sim::Cycle{0};

  void start_due(sim::Cycle now);
  void start_cta(const Starting& s, sim::Cycle now);
  unsigned context_for(std::uint32_t i, WarpMask free) const;
  void interleave_local(std::uint32_t slot);
  void retire_if_done(std::uint32_t slot, sim::Cycle now);
  void forget(std::uint32_t slot);
  std::uint64_t execute_turn(CtaSlot& cta, unsigned warp,
                             const std::function<void(const workload::WarpAccess&)>& atomic);
  void release_now(CtaSlot& cta);
  void forget_issue();
  void collect(sim::Cycle now);
  void schedule(unsigned warp, sim::Cycle now);
  void wait_until(unsigned warp, sim::Cycle at, sim::Cycle now);
  void make_ready(unsigned warp);
  void prefetch(const WarpState& w) const {
    constexpr std::size_t kHostLine = 64;
    __builtin_prefetch(w.stream);
    __builtin_prefetch(w.running_state);
    __builtin_prefetch(static_cast<const char*>(w.running_state) + kHostLine);
  }
  [[gnu::always_inline]] inline sim::Cycle operands_ready(const WarpState& w,
                                                          const workload::StaticInstr& i) const;
  // Registers that an instruction's own record has no room for. Not inline: few instructions have any.
  [[gnu::noinline]] static sim::Cycle rest_ready(const WarpState& w, const workload::StaticInstr& i,
                                                 sim::Cycle at);
  [[gnu::noinline]] static void set_rest(WarpState& w, const workload::StaticInstr& i, sim::Cycle at);
  [[gnu::noinline]] void expect_rest(WarpState& w, const workload::StaticInstr& i, std::uint32_t record);
  // Where an instruction waits: whatever accesses memory needs room in the load/store unit.
  UnitKind unit_of(const workload::StaticInstr& i) const {
    return (i.flags & workload::StaticInstr::kMemory) != 0 ? UnitKind::Memory
                                                           : timing_[static_cast<std::size_t>(i.cls)].unit;
  }
  bool run_free(unsigned warp, sim::Cycle now);
  std::uint32_t instruction_line(const WarpState& w) const {
    return static_cast<std::uint32_t>(std::uint64_t{w.pc} * spec_.instruction_bytes / SmallCache::kLine);
  }
  bool fetch(unsigned warp, std::uint32_t line, sim::Cycle now);

  // With a load front: what the warp's next instruction is to it, and which warps it holds back.
  void note_next(unsigned warp, const workload::StaticInstr& i);
  WarpMask held_by_front() const {
    if (lsu_.front() == nullptr) return 0;
    const LoadFront::Holds& h = lsu_.front()->holds();
    return (next_load_ & h.loads) | (next_store_ & h.stores) | (next_drain_ & h.drain);
  }
  // Whom the scheduler does not let issue, ready or not.
  WarpMask held_by_scheduler(const IssuePort& port) const;
  WarpMask held_by_schedulers() const;
  // May not issue, ready or not.
  WarpMask held(const IssuePort& port) const {
    if (!may_hold_) [[likely]]
      return 0;
    return held_by_front() | held_by_scheduler(port);
  }
  // Nothing is issued before this cycle.
  sim::Cycle stalls_until() const { return spec_.lsu_stalls_issue ? lsu_.stalls_until() : 0; }
  AvailableWarps::State available_now() const;
  bool issue_all(sim::Cycle now);
  // When a unit of the kind takes an instruction; kNever: not before the load/store unit has made room.
  sim::Cycle takes_at(const IssuePort& port, std::size_t kind) const {
    const bool full = kind == static_cast<std::size_t>(UnitKind::Memory) && !lsu_.can_accept();
    return full ? sim::kNever : port.units->free_at(kind);
  }
  // When the first of its ready warps, of which there are some, can issue.
  sim::Cycle issues_at(const IssuePort& port) const;
  WarpMask candidates(const IssuePort& port, sim::Cycle now) const;
  // False when execution refused the instruction (Issued::Event::Retry).
  bool issue(IssuePort& port, unsigned warp, sim::Cycle now);
  void retry(sim::Cycle now);
  // An instruction of a warp in attended_ is issued.
  [[gnu::noinline, gnu::cold]] void attend(unsigned warp, workload::Issued r, sim::Cycle now);
  // Before and after a step issues, with somebody who looks on.
  [[gnu::noinline, gnu::cold]] void look_before(sim::Cycle now);
  [[gnu::noinline, gnu::cold]] void look_after(sim::Cycle now);

  // For WarpStates, where it is there (sm_states.cc).
  void states_before(sim::Cycle now);
  void states_after(sim::Cycle now);
  void count_throttles(sim::Cycle from, sim::Cycle until, const WarpStates::Between& b);
  void note_ready(sim::Cycle now);
  std::uint64_t throttled(const IssuePort& port, const WarpState& w, sim::Cycle now) const;
  std::uint64_t collectors_taken(const IssuePort& port, sim::Cycle now) const;
  IssueState throttle_of(const WarpState& w) const;
  IssueState result_state(const workload::StaticInstr& i, const workload::Issued& r) const;
  // Counts all that has held the warp until now; `i` is its next instruction.
  void state_until(unsigned warp, const workload::StaticInstr& i, sim::Cycle now);
  void operands_until(unsigned warp, const workload::StaticInstr& i, sim::Cycle end);
  void state_issued(unsigned warp, const workload::Issued& r, sim::Cycle now);
  [[gnu::noinline, gnu::cold]] void state_not_fetched(unsigned warp, sim::Cycle now);
  [[gnu::noinline, gnu::cold]] void state_free(unsigned warp, const workload::StaticInstr& i, sim::Cycle at);
  [[gnu::noinline, gnu::cold]] void state_acknowledged(unsigned warp, sim::Cycle now);
  [[gnu::noinline, gnu::cold]] void states_ended(WarpMask warps, sim::Cycle now);
  void states_refused(sim::Cycle now);
  [[gnu::always_inline]] inline sim::Cycle use_unit(IssuePort& port, unsigned warp,
                                                    const workload::StaticInstr& i, const ClassTiming& t,
                                                    sim::Cycle now);
  [[gnu::always_inline]] inline void after_issue(unsigned warp, const workload::StaticInstr& i,
                                                 const workload::Issued& r, sim::Cycle now);
  std::uint32_t slots_of(const workload::StaticInstr& i, const ClassTiming& t) const {
    return t.slots + (spec_.count == Counting::AsSass ? i.extra_slots() : 0);
  }
  void count(const workload::StaticInstr& i, const workload::Issued& r, std::uint32_t slots);
  [[gnu::always_inline]] inline sim::Cycle read_operands(IssuePort& port, unsigned warp,
                                                         const workload::StaticInstr& i, sim::Cycle now);
  void to_memory(unsigned warp, const workload::StaticInstr& i, const workload::Issued& r, sim::Cycle now);
  void block(unsigned warp, const workload::StaticInstr& i, sim::Cycle now);
  void exit(unsigned warp, sim::Cycle now);
  // `from`: when the last of those who are let go has arrived.
  void release(CtaSlot& cta, sim::Cycle now, sim::Cycle from);
  void fence(unsigned warp, const workload::StaticInstr& i, sim::Cycle now);
  void answered(unsigned context, sim::Cycle now);
  bool waits_for_all(const workload::StaticInstr& i) const {
    return fence_waits_ != nullptr && i.cls == workload::InstrClass::Fence && i.acquires();
  }
  bool awaits_value(const WarpState& w) const;
  // Why nothing is issued in cycle `at`, the state being that of now.
  Stall stall_reason(sim::Cycle at) const;
  void account(sim::Cycle now, bool issued);
  std::uint32_t memory_instructions_waiting() const;
  // Cycles from `from` on in which nothing was issued.
  void count_idle(sim::Cycle from, sim::Cycle cycles, SmStats& stats) const;

  void completed(const InFlight& record, std::uint32_t index, sim::Cycle at) override;
  void copied(const InFlight& record, sim::Cycle now);
  void acknowledged(unsigned warp, std::uint32_t launch, sim::Cycle now) override;
  void drop_acknowledgement(unsigned warp, bool atomic, sim::Cycle now);

  SmSpec spec_;
  std::uint32_t id_, count_;
  Frequency clock_;
  sim::Cycle now_ = 0;
  SmStats stats_;
  LoadStoreUnit lsu_;
  CtaObserver* observer_ = nullptr;
  AccessPressure* pressure_ = nullptr;
  AvailableWarps* available_ = nullptr;

  // Residents.
  std::array<WarpState, kMaxWarps> warps_;
  std::array<std::uint64_t, kMaxWarps> turns_{};             // backward branches taken
  std::array<std::array<CopyGroups, 2>, kMaxWarps> copies_;  // by warp and StaticInstr::Copies
  std::vector<sim::Cycle> scoreboard_;                       // warps x registers
  std::uint32_t registers_ = 0;                              // per warp in scoreboard_
  std::vector<CtaSlot> ctas_;
  WarpMask resident_ = 0;  // contexts taken
  WarpMask running_ = 0;   // not exited
  WarpMask at_barrier_ = 0, waiting_memory_ = 0, waiting_ack_ = 0;
  WarpMask reducing_ = 0;  // of those at barriers: that get a result
  sim::Cycle barriers_free_ = 0, fences_free_ = 0;
  WarpMask with_atomics_ = 0;                       // that have reductions or atomics under way
  std::unique_ptr<FenceWaits> fence_waits_;         // with sm.fences_wait_for_all
  std::array<sim::Cycle, kMaxWarps> fence_ends_{};  // of warps that wait so: not before
  WarpMask acquiring_ = 0;  // wait for the value of an acquiring access (sm.fences_empty_l1)
  WarpMask refused_ =
      0;  // wait until an atomic of the SM has ended, or a warp that waited for one has gone on
  WarpMask retrying_ = 0;                                     // were refused, and try again
  WarpMask next_load_ = 0, next_store_ = 0, next_drain_ = 0;  // with a load front, by the next instruction
  WarpAges ages_;
  std::uint64_t launches_ = 0;
  std::uint32_t turn_ = 0;  // the scheduler of the next CTA's first warp, with warps_in_turn
  std::vector<Starting> starting_;
  SpinWatch spins_;
  std::vector<Retired> retired_;

  // Issue.
  std::vector<IssuePort> ports_;
  bool limits_ = false;     // schedulers may hold warps back
  bool may_hold_ = false;   // they or a load front
  WarpMask any_ready_ = 0;  // in one of them
  std::array<WarpMask, 64> wheel_{};
  std::uint64_t wheel_used_ = 0;  // bit per bucket, by cycle modulo 64
  WarpMask far_ = 0;              // ready later than the wheel reaches
  std::array<sim::Cycle, kMaxWarps> far_at_{};
  sim::Cycle far_next_ = sim::kNever;
  std::vector<UnitPools> units_;              // per scheduler, or one for all
  std::vector<std::uint64_t> bank_free_;      // likewise
  std::uint32_t bank_mask_ = 0;               // banks_ - 1 for powers of two
  std::uint32_t banks_ = 1, collectors_ = 1;  // per scheduler with sub_core
  CodeFetch code_fetch_;
  std::array<ClassTiming, workload::kInstrClasses> timing_;  // with `count` applied

  sim::Cycle last_step_ = 0;
  sim::Cycle halt_ = sim::kNever;

  WarpStates* states_ = nullptr;
  WarpMask attended_ = 0;  // retrying_, or all with states_
  bool watched_ = false;   // pressure_, available_ or states_ is there
};

}  // namespace heddle::sm
