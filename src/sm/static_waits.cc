#include "sm/static_waits.h"

#include <algorithm>

namespace heddle::sm {
namespace {

using workload::InstrClass;
using workload::StaticInstr;

constexpr std::uint64_t kLongest = 255;

// Machine code's opcodes without a scoreboard (validation/training/sass.tar.gz).
bool is_fixed(InstrClass c) {
  switch (c) {
    case InstrClass::IntAdd:
    case InstrClass::IntMinMax:
    case InstrClass::IntMul:
    case InstrClass::IntMad:
    case InstrClass::Int64Add:
    case InstrClass::Int64Mul:
    case InstrClass::Bits:
    case InstrClass::FloatAdd:
    case InstrClass::FloatMinMax:
    case InstrClass::FloatMul:
    case InstrClass::FloatMad:
    case InstrClass::HalfMath:
    case InstrClass::DoubleAdd:
    case InstrClass::DoubleMinMax:
    case InstrClass::DoubleMul:
    case InstrClass::DoubleMad:
    case InstrClass::AddressSpace:
    case InstrClass::Move:
    case InstrClass::Vote:
      return true;
    default:
      return false;
  }
}

class Waits {
 public:
  Waits(const workload::StaticCode& code, const SmSpec& spec)
      : code_(code), spec_(spec), there_(code.registers), waits_(code.instr.size(), 1) {}

  std::vector<std::uint8_t> take() {
    for (std::size_t pc = 0; pc < code_.instr.size(); ++pc) step(pc);
    return std::move(waits_);
  }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};

  std::uint64_t operands(const StaticInstr& i) const {
    std::uint64_t at = 0;
    for (std::uint32_t k = 0; k < i.n_src; ++k) at = std::max(at, there_[i.src[k]]);
    if ((i.wide_src & StaticInstr::kGuarded) != 0 && there_[i.src[0]] != 0)
      at = std::max(at, there_[i.src[0]] + spec_.guard_delay);
    return at;
  }

  void step(std::size_t pc) {
    const StaticInstr& i = code_.instr[pc];
    const ClassTiming& t = spec_.timing.of(i.cls);
    const std::uint64_t needed = operands(i);
    const bool sass = spec_.count == Counting::AsSass;
    if (sass && t.slots == 0) return results(i, needed);  // the assembler removes it
    const std::uint64_t at = std::max(next_, needed);
    if (before_ != kNobody) waits_[before_] = static_cast<std::uint8_t>(std::min(kLongest, at - before_at_));
    before_ = pc;
    before_at_ = at;
    next_ = at + (sass ? t.slots + i.extra_slots() : 1);
    results(i, is_fixed(i.cls)
                   ? at + spec_.pipeline + t.latency + i.extra_latency() + (i.repeat - 1u) * t.interval
                   : 0);
    if ((i.flags &
         (StaticInstr::kBranch | StaticInstr::kCall | StaticInstr::kExit | StaticInstr::kBarrier)) != 0)
      leave();
  }

  void results(const StaticInstr& i, std::uint64_t at) {
    for (std::uint32_t k = 0; k < i.n_dst; ++k) there_[i.dst[k]] = at;
  }

  // What comes behind is another block: what is under way is waited for when it is needed.
  void leave() {
    std::fill(there_.begin(), there_.end(), 0);
    before_ = kNobody;
  }

  const workload::StaticCode code_;
  const SmSpec& spec_;
  std::vector<std::uint64_t> there_;  // by register; 0: it is, or nobody knows when
  std::vector<std::uint8_t> waits_;
  std::uint64_t next_ = 1, before_at_ = 0;
  std::size_t before_ = kNobody;  // the instruction that issued last in this block
};

}  // namespace

std::vector<std::uint8_t> static_waits(const workload::StaticCode& code, const SmSpec& spec) {
  return Waits(code, spec).take();
}

}  // namespace heddle::sm
