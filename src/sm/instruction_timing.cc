#include "sm/instruction_timing.h"

namespace heddle::sm {

using config::range;
using workload::InstrClass;

void ClassTiming::fields(config::Reader& r) {
  r.choice("unit", unit,
           {{"none", UnitKind::None, "no execution unit"},
            {"int", UnitKind::Int, "integer"},
            {"float", UnitKind::Float, "single precision"},
            {"double", UnitKind::Double, "double precision"},
            {"special", UnitKind::Special, "special functions"},
            {"tensor", UnitKind::Tensor, "tensor cores"},
            {"memory", UnitKind::Memory, "load/store unit"}},
           "Unit that executes it");
  r.field("latency", latency, range(0u, 10'000u), "Cycles from the unit's input to the result");
  r.field("interval", interval, range(1u, 1'000u), "Cycles until the unit takes the next warp instruction");
  r.field("slots", slots, range(0u, 100u),
          "Issue slots, i.e. hardware instructions; 0: the assembler removes it");
}

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

void TimingTable::fields(config::Reader& r) {
  for (int i = 0; i < workload::kInstrClasses; ++i)
    r.section(workload::name(static_cast<InstrClass>(i)), classes[static_cast<std::size_t>(i)]);
}

}  // namespace heddle::sm
