// What each class of instruction costs: the execution unit it runs on, latency, how long the unit is busy,
// and how many hardware instructions it becomes.
#pragma once

#include <array>
#include <cstdint>

#include "config/reader.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

enum class UnitKind : std::uint8_t { None, Int, Float, Double, Special, Tensor, Memory };
inline constexpr int kUnitKinds = 7;

struct ClassTiming {
  UnitKind unit = UnitKind::Int;
  std::uint32_t latency = 4;   // cycles in the unit, from the first operand read to the result
  std::uint32_t interval = 1;  // cycles until the unit takes the next warp instruction
  std::uint32_t slots = 1;     // issue slots: hardware instructions; 0: none, the assembler removes it
};

// Whether the vendor's assembler may make nothing of an instruction of the class: it only moves or computes
// values of its own lanes. Whatever touches memory, other lanes, control flow or time has a place in the
// order of issue.
bool can_be_free(workload::InstrClass c);

enum class Counting : std::uint8_t { AsPtx, AsSass };

// How many units there are: per scheduler when the SM is divided into sub-cores, else per SM.
struct UnitCounts {
  std::uint32_t integer = 1, floating = 1, double_precision = 1, special = 1, tensor = 1, memory = 1;
  void fields(config::Reader& r);
  std::uint32_t of(UnitKind kind) const;
};

struct TimingTable {
  std::array<ClassTiming, workload::kInstrClasses> classes = defaults();
  const ClassTiming& of(workload::InstrClass c) const { return classes[static_cast<std::size_t>(c)]; }
  void fields(config::Reader& r, Counting count);
  static std::array<ClassTiming, workload::kInstrClasses> defaults();
};

}  // namespace heddle::sm
