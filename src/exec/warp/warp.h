// The state of one warp: lane vectors, predicates, and which lanes run where.
//
// Lanes that run together form a *split*. When a branch separates them, a *join* records where they meet
// again (the branch's immediate post-dominator) and who is expected there; joins nest. One split of the
// warp runs at a time; it runs until it meets its join, blocks, or leaves. That is a SIMT stack, except
// that lanes which wait at a join may be let go on alone when others cannot proceed without them: after
// many turns of a loop that looks like a spin, or when a .sync mask or a barrier needs them. So code that
// relies on the independent thread scheduling of sm_70 and later ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/image/code.h"
#include "ptx/ir/instr.h"
#include "workload/hardware_view.h"
#include "workload/launch.h"
#include "workload/warp_stream.h"

namespace heddle {
class Hasher;
}
namespace heddle::exec {

struct CallInfo;
struct Cta;
struct ExecContext;
struct KernelImage;
struct LoopBranch;
struct PcCount;

// What a memory instruction touched, lane by lane.
struct Access {
  ptx::Space space = ptx::Space::None;
  bool write = false;
  bool atomic = false;
  std::uint8_t parts = 0;     // Warp::part(): more than this one access; 0: it is all
  std::uint16_t payload = 0;  // deferred atomics: the record
  std::uint32_t bytes = 0;    // per lane
  Mask mask = 0;
  workload::AccessShape shape;  // of the addresses of `mask`; nothing before somebody has looked
  alignas(64) std::array<std::uint64_t, kLanes> address{};  // in the space's own addresses

  // All but the addresses and the payload.
  void begin(ptx::Space in, std::uint32_t bytes_per_lane, bool writes, Mask lanes) {
    space = in;
    write = writes;
    atomic = false;
    parts = 0;
    bytes = bytes_per_lane;
    mask = lanes;
    shape = {};
  }
};

// Accesses of one instruction: lanes may point into different spaces, a texture's filter reads several
// texels.
inline constexpr unsigned kMostParts = 8;

// Of the memory instruction that was executed last.
struct LastAccess {
  Access whole;
  std::array<Access, kMostParts> part;  // whole.parts of them
};

class Warp {
 public:
  // ---- lane vectors -------------------------------------------------------------------------------
  // T is a 4-byte or 8-byte type; narrower values live zero-extended in 4-byte lanes.
  template <class T>
  const T* in(Place p) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return reinterpret_cast<const T*>(bank_[p.bank()] + p.offset());
  }
  template <class T>
  T* out(Place p) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return reinterpret_cast<T*>(bank_[p.bank()] + p.offset());
  }

  Mask predicate(PredSlot slot, Mask flip = 0) const { return predicates_[slot] ^ flip; }
  // Replaces the bits of active lanes; writing to kPredFalse does nothing.
  void set_predicate(PredSlot slot, Mask value, Mask active) {
    if (slot == kPredFalse) return;
    predicates_[slot] = (predicates_[slot] & ~active) | (value & active);
  }

  // The condition code of add.cc and its kin.
  Mask carry() const { return carry_; }
  void set_carry(Mask value, Mask active) { carry_ = (carry_ & ~active) | (value & active); }

  // Of the last division, root or reciprocal.
  workload::LongWay long_way() const { return long_way_; }
  void set_long_way(workload::LongWay way) { long_way_ = way; }

  // ---- life ---------------------------------------------------------------------------------------
  // Prepares the warp for a new CTA. `live`: lanes that have a thread.
  void start(const KernelImage& image, ExecContext& context, Cta& cta, std::uint32_t index, Mask live);
  bool done() const { return live_ == 0; }
  Mask live() const { return live_; }
  std::uint32_t index() const { return index_; }
  Cta& cta() { return *cta_; }
  ExecContext& context() { return *context_; }
  const KernelImage& image() const { return *image_; }
  const Code& code(std::uint32_t pc) const { return code_[pc]; }

  // ---- execution ----------------------------------------------------------------------------------
  enum class Stop : std::uint8_t {
    None,
    Exited,   // no lane is left
    Barrier,  // every lane waits at a barrier of the CTA
    Yield,    // seems to spin: let other warps run
    Budget,   // has executed as much as it was asked to
    Stuck,    // lanes wait for each other and nobody can proceed
    Retry,    // the instruction must wait for an atomic under way: as if it had not been issued
    Access,   // before an access that is to be in step with other warps
    Long,     // a long loop that does not seem to wait for anybody
  };
  // Executes until executed() is `end`, or something stops the warp before.
  Stop run(std::uint64_t end);
  // The same, but stops before a write that is to be in step, and before such a read unless fewer than
  // `free_reads` instructions have been executed by then. An access at the beginning is executed.
  Stop run_to_access(std::uint64_t end, std::uint64_t free_reads);
  // Some lanes run elsewhere, or wait.
  bool is_split() const { return !splits_.empty(); }
  // Executes one instruction, as the timing side does; `lanes` receives those that took part. None: nothing
  // stops the warp. Defined in warp_step.h.
  [[gnu::always_inline]] inline Stop step(Mask& lanes);

  std::uint32_t pc() const { return pc_; }
  Mask mask() const { return mask_; }
  std::uint64_t executed() const { return executed_; }
  // A clock for execution without time: the warp's own instructions. Who reads it over and over waits for it,
  // and it hurries.
  std::uint64_t poll_clock();
  // What its last instruction has touched; valid until a warp of the same context executes the next memory
  // instruction.
  const Access& access() const { return last_access_->whole; }

  // ---- for control-flow handlers ------------------------------------------------------------------
  // Lanes `taken` go to `target`, the others on; they meet at `reconvergence` (kNone: at the function's end).
  void branch(Mask taken, std::uint32_t target, std::uint32_t reconvergence);
  // brx.idx: each active lane to its own target.
  void branch_indexed(Mask active, const std::uint32_t* lane_target, std::uint32_t reconvergence);
  // The same in a loop that some may leave while others wait in it.
  void branch(Mask taken, std::uint32_t target, const LoopBranch& in_loop);
  void branch_indexed(Mask active, const std::uint32_t* lane_target, const LoopBranch& in_loop);
  void call(Mask active, const CallInfo& info, std::uint32_t function);
  // Each active lane calls its own function.
  void call_indirect(Mask active, const CallInfo& info, const std::uint32_t* lane_function);
  void ret(Mask active);
  void exit(Mask active);
  // Waits until the CTA's barrier releases these lanes; execution goes on after the instruction.
  void wait_at_barrier(Mask active, std::uint32_t barrier);
  // Releases every split of this warp that waits at `barrier`.
  void release_barrier(std::uint32_t barrier);
  Mask waiting_at(std::uint32_t barrier) const;
  // Calls f(warp with that frame entered, pc of the barrier instruction, lanes) for every group that waits.
  template <class F>
  void for_each_waiting(std::uint32_t barrier, F&& f) {
    const std::uint32_t frame = frame_;
    for (const Split& s : splits_) {
      if (s.state != State::Barrier || s.barrier != barrier) continue;
      enter_frame(s.frame);
      f(*this, s.pc - 1, s.mask);
    }
    enter_frame(frame);
  }
  // Collective instructions. `required` are the lanes that the membermasks of `active` name. Returns the
  // lanes that execute the instruction together now; 0 when the split has been parked to wait for others.
  Mask gather(Mask active, Mask required, const Code& code);
  void note_spin_hint() { spin_hint_ = true; }

  // ---- under timing ---------------------------------------------------------------------------------
  // For a handler that has changed nothing yet: undoes the issue.
  void retry(Mask active);
  // Accesses of one instruction to several spaces or places; valid as access() is.
  void add_part(const Access& part);
  const Access& part(unsigned i) const { return last_access_->part[i]; }
  // Results of deferred atomics on their way to this warp's registers.
  void expect_result() { ++results_; }
  void result_came() { --results_; }
  bool awaits_result() const { return results_ != 0; }
  // The running frame may hold registers that a result is on its way to.
  bool frame_awaits_result() const { return results_ != 0 && frames_[frame_].caller != kNone; }

  // Local memory: the running frame's base, per lane storage.
  std::uint32_t local_base() const { return frames_[frame_].local_base; }
  std::byte* local(int lane) { return local_.get() + static_cast<std::size_t>(lane) * local_bytes_; }
  std::uint32_t local_bytes() const { return local_bytes_; }
  Access& access() { return last_access_->whole; }

  // Who waits where, for the report of a kernel that cannot end.
  std::string describe() const;
  // A number for all that decides what the warp does next, besides memory: equal states, equal numbers. 0: it
  // cannot be told, because lanes may take turns.
  std::uint64_t state() const;
  // The same with how lanes take turns.
  void add_state(Hasher& h) const;
  // For a warp that has just yielded: whether its running lanes only compute, and come back to the same
  // state, so that they never end whatever others do. Executes one more turn of the loop to find out.
  bool loops_for_ever();

 protected:
  enum class State : std::uint8_t { Ready, Barrier, Sync };
  struct Split {
    std::uint32_t pc = 0;
    Mask mask = 0;
    std::uint32_t join = kNone;
    std::uint32_t frame = 0;
    State state = State::Ready;
    std::uint32_t barrier = 0;
    Mask required = 0;    // Sync: lanes it needs
    bool forced = false;  // executes its collective instruction without waiting again
  };
  struct Join {
    std::uint32_t pc = 0;
    Mask expected = 0;
    Mask arrived = 0;
    std::uint32_t parent = kNone;
    std::uint32_t frame = 0;     // in which lanes go on
    std::uint32_t loop = kNone;  // who leaves it, or one around it, is not expected any more
    bool call = false;           // the return from a call
    bool used = false;
  };
  struct Frame {
    std::uint32_t function = 0;
    std::uint32_t caller = kNone;  // frame index
    std::uint32_t local_base = 0;
    const CallInfo* call = nullptr;
    Mask lanes = 0;  // that have not returned yet
    std::byte* registers = nullptr;
    Mask* predicates = nullptr;
    bool used = false;
  };
  struct FreeDeleter {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  using Storage = std::unique_ptr<std::byte, FreeDeleter>;

  void enter_frame(std::uint32_t frame);
  std::uint32_t new_frame(std::uint32_t function, Mask lanes);
  void leave_frame(std::uint32_t frame, Mask lanes);
  std::uint32_t new_join(std::uint32_t pc, Mask expected, bool call);
  void arrive(std::uint32_t join, Mask lanes);  // lanes wait at (or complete) a join
  void drop_from_join(std::uint32_t join, Mask lanes);
  void resume_from_join(std::uint32_t join, Mask lanes);
  void park_current(State state);
  void run_split(std::size_t i);
  bool pick_next();
  bool release_waiting_lanes();
  bool release_one_join();
  void meet();
  void expect_to_meet(std::uint32_t pc);
  void expect_to_meet(const LoopBranch& in_loop);
  std::uint32_t leave_loop(Mask lanes, std::uint32_t loop);  // returns the join that is left to them
  void go(Mask lanes, std::uint32_t pc, std::uint32_t join);
  void yield_if_spinning();
  bool has_repeated();
  void forget_repetition();
  void fill_specials();
  void fill_cta_specials();
  template <bool ToAccess>
  Stop execute(std::uint64_t end, std::uint64_t free_reads);

  Mask guarded(const Code& c) const {
    return c.unguarded() ? mask_ : mask_ & (predicates_[c.guard] ^ c.guard_flip);
  }

  // What every instruction needs lies together, within one line of the host's cache: warps take turns, and
  // each finds its own state gone from the nearest cache.
  alignas(64) std::array<std::byte*, 3> bank_{};
  Mask* predicates_ = nullptr;
  const Code* code_ = nullptr;
  std::uint64_t executed_ = 0;
  // The running split.
  std::uint32_t pc_ = 0;
  Mask mask_ = 0;
  std::uint32_t meet_pc_ = kNone;  // pc of its join, kNone when it has none
  Stop stop_ = Stop::None;
  // The second line: what most need.
  PcCount* counts_ = nullptr;
  LastAccess* last_access_ = nullptr;
  ExecContext* context_ = nullptr;
  workload::LongWay long_way_ = workload::LongWay::None;
  Cta* cta_ = nullptr;
  const KernelImage* image_ = nullptr;
  std::uint32_t join_ = kNone;
  std::uint32_t frame_ = 0;
  std::uint32_t index_ = 0;
  Mask live_ = 0;
  Mask carry_ = 0;
  std::uint32_t results_ = 0;

  std::uint64_t clock_read_at_ = 0, clock_ahead_ = 0;
  std::uint32_t clock_polls_ = 0;
  std::uint32_t turns_ = 0;         // of loops, weighted; since the warp last yielded
  std::uint32_t hinted_turns_ = 0;  // of those, with a hint
  // Recognising a loop that changes nothing: its state after as many turns is compared with the next ones'.
  static constexpr std::uint32_t kFirstComparison = 1u << 14;
  std::uint32_t loops_ = 0, compare_from_ = kFirstComparison;
  std::uint64_t seen_state_ = 0;
  bool repeats_ = false;    // why it has yielded
  std::size_t yields_ = 0;  // since lanes were last let go from a join
  bool spin_hint_ = false;
  bool forced_ = false;

  std::vector<Split> splits_;  // those that do not run
  std::vector<Join> joins_;
  std::vector<Frame> frames_;
  std::vector<Storage> frame_storage_;  // by frame index
  std::vector<std::size_t> storage_bytes_;
  Storage specials_;
  std::size_t specials_bytes_ = 0;
  struct SpecialsKey {  // what they were filled for
    const KernelImage* image = nullptr;
    const workload::HardwareView* view = nullptr;
    workload::Dim3 grid, block;
    std::uint32_t shared_bytes = 0, dynamic_shared = 0;
    std::uint64_t grid_workspace = 0;
    friend bool operator==(const SpecialsKey&, const SpecialsKey&) = default;
  };
  SpecialsKey specials_key_;
  workload::Dim3 specials_cta_;
  std::unique_ptr<std::byte[]> local_;
  std::uint32_t local_bytes_ = 0;
  std::size_t local_capacity_ = 0;
};

}  // namespace heddle::exec
