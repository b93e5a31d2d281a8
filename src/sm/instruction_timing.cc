#include "sm/instruction_timing.h"

namespace heddle::sm {

using config::range;
using workload::InstrClass;

bool can_be_free(InstrClass c) {
  switch (c) {
    case InstrClass::Shuffle:
    case InstrClass::Vote:
    case InstrClass::Branch:
    case InstrClass::Barrier:
    case InstrClass::Fence:
    case InstrClass::ReadClock:
    case InstrClass::LoadConst:
    case InstrClass::Load:
    case InstrClass::Store:
    case InstrClass::LoadShared:
    case InstrClass::StoreShared:
    case InstrClass::AtomicShared:
    case InstrClass::Atomic:
    case InstrClass::Texture:
    case InstrClass::Tensor:
    case InstrClass::TensorDouble:
    case InstrClass::Other:
      return false;
    default:
      return true;
  }
}

namespace {

// What one class of instructions costs.
struct ClassSection {
  InstrClass cls;
  Counting count;
  ClassTiming& t;

  void fields(config::Reader& r) {
    r.choice("unit", t.unit,
             {{"none", UnitKind::None, "no execution unit"},
              {"int", UnitKind::Int, "integer"},
              {"float", UnitKind::Float, "single precision"},
              {"double", UnitKind::Double, "double precision"},
              {"special", UnitKind::Special, "special functions"},
              {"tensor", UnitKind::Tensor, "tensor cores"},
              {"memory", UnitKind::Memory, "load/store unit"}},
             "Unit that executes it");
    r.field("latency", t.latency, range(0u, 10'000u), "Cycles from the unit's input to the result");
    r.field("interval", t.interval, range(1u, 1'000u),
            "Cycles until the unit takes the next warp instruction");
    if (can_be_free(cls))
      r.field("slots", t.slots, range(0u, 100u),
              "Issue slots, i.e. hardware instructions; 0: the assembler removes it");
    else
      r.field("slots", t.slots, range(1u, 100u), "Issue slots, i.e. hardware instructions");
    if (t.unit == UnitKind::None) r.unused({"interval"}, "it has no unit (unit = none)");
    if (count == Counting::AsPtx)
      r.unused({"slots"}, "every instruction takes one slot with sm.count = as_ptx");
    else if (t.slots == 0)
      r.unused({"unit", "latency", "interval"}, "the assembler removes it (slots = 0)");
    if (cls == InstrClass::Branch) r.unused({"latency"}, "sm.branch_latency says when the warp goes on");
    if (cls == InstrClass::Fence)
      r.unused({"latency"}, "a fence has no result; it waits for its warp's accesses");
  }
};

}  // namespace

void UnitCounts::fields(config::Reader& r) {
  r.field("int", integer, range(0u, 64u), "Integer units (per scheduler with sub_core, else per SM)");
  r.field("float", floating, range(0u, 64u), "Single-precision units");
  r.field("double", double_precision, range(0u, 64u), "Double-precision units");
  r.field("special", special, range(0u, 64u), "Special-function units");
  r.field("tensor", tensor, range(0u, 64u), "Tensor cores");
  r.field("memory", memory, range(1u, 64u), "Paths into the load/store unit");
}

std::uint32_t UnitCounts::of(UnitKind kind) const {
  switch (kind) {
    case UnitKind::Int:
      return integer;
    case UnitKind::Float:
      return floating;
    case UnitKind::Double:
      return double_precision;
    case UnitKind::Special:
      return special;
    case UnitKind::Tensor:
      return tensor;
    case UnitKind::Memory:
      return memory;
    case UnitKind::None:
      break;
  }
  return 1;
}

std::array<ClassTiming, workload::kInstrClasses> TimingTable::defaults() {
  std::array<ClassTiming, workload::kInstrClasses> t{};
  auto set = [&](UnitKind unit, std::uint32_t latency, std::uint32_t interval, auto... cls) {
    ((t[static_cast<std::size_t>(cls)] = {unit, latency, interval, 1}), ...);
  };
  using C = InstrClass;
  set(UnitKind::Int, 4, 2, C::IntAdd, C::IntMinMax, C::IntMul, C::IntMad, C::Int64Add, C::Bits, C::Convert,
      C::Move, C::AddressSpace, C::ReadClock, C::Vote, C::Branch, C::Other);
  set(UnitKind::Int, 8, 4, C::Int64Mul);
  set(UnitKind::Int, 100, 8, C::IntDiv);
  set(UnitKind::Float, 4, 2, C::FloatAdd, C::FloatMinMax, C::FloatMul, C::FloatMad, C::HalfMath);
  set(UnitKind::Float, 40, 8, C::FloatDiv);
  set(UnitKind::Double, 8, 4, C::DoubleAdd, C::DoubleMinMax, C::DoubleMul, C::DoubleMad);
  set(UnitKind::Double, 200, 64, C::DoubleDiv);
  set(UnitKind::Special, 20, 8, C::Special);
  // NVIDIA's A100 whitepaper: a tensor core does 256 multiply-adds of f16 per cycle, 16 of f64. Latency as
  // measured by Luo et al., arXiv 2402.13499 (recalled), for m16n8k16: 33 cycles.
  set(UnitKind::Tensor, 29, 4, C::Tensor);
  set(UnitKind::Tensor, 29, 16, C::TensorDouble);
  set(UnitKind::Memory, 20, 2, C::Shuffle);
  set(UnitKind::None, 0, 1, C::Barrier, C::Fence);
  set(UnitKind::Memory, 0, 1, C::LoadParam, C::LoadConst, C::Load, C::Store, C::LoadShared, C::StoreShared,
      C::AtomicShared, C::Atomic, C::Texture);
  return t;
}

void TimingTable::fields(config::Reader& r, Counting count) {
  for (int i = 0; i < workload::kInstrClasses; ++i) {
    const auto cls = static_cast<InstrClass>(i);
    ClassSection section{cls, count, classes[static_cast<std::size_t>(i)]};
    r.section(workload::name(cls), section);
  }
}

}  // namespace heddle::sm
