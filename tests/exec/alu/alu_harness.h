// Runs straight-line PTX with nothing but bind_alu: no parser, no executor, no memory system. It understands
// the kernels of tests/golden (loads of inputs, stores of outputs, no branches) and single instructions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/image/code.h"
#include "exec/warp/warp.h"
#include "ptx/ir/instr.h"

namespace heddle::exec::testing {

// A warp with its own register file: 8-byte slots for every register, so that a slot suits both lane widths.
class TestWarp : public Warp {
 public:
  TestWarp();
  static constexpr int kSlots = 128;
  static constexpr int kPredicates = 64;
  static Place slot(unsigned index) { return Place(Place::Registers, index * 8 * kLanes); }
  static Place constant(unsigned index) { return Place(Place::Constants, index * 8 * kLanes); }
  template <class T>
  T* constant_lanes(unsigned index) {
    return out<T>(constant(index));
  }

 private:
  std::vector<std::uint64_t> registers_, constants_;
  std::vector<Mask> masks_;
};

// The modifiers of "add.rn.ftz.f32" and the like; operands are left empty.
ptx::Instr parse_opcode(std::string_view text);

// One kernel of tests/golden, or any text of that shape.
class Program {
 public:
  explicit Program(std::string_view ptx);
  // Why it cannot be run by this harness; empty when it can.
  const std::string& refused() const { return refused_; }
  // Runs thread ids [0, n), blocks of 128. Parameters are host addresses.
  void run(std::uint64_t out, std::uint64_t a, std::uint64_t b, std::uint64_t c, unsigned n);

 private:
  enum class Kind { Alu, Param, Load, Store, Tid, Ctaid, Ntid, Copy };
  struct Step {
    Kind kind = Kind::Alu;
    Code code;
    unsigned bytes = 0, parameter = 0;
    std::int64_t offset = 0;
    unsigned value_slot = 0, address_slot = 0;
  };
  void add_line(std::string line);
  void add_alu(const ptx::Instr& opcode, std::vector<std::string> operands, Step step);
  bool add_special(const std::string& opcode, const std::vector<std::string>& operands, Step step);
  unsigned slot_of(const std::string& name);
  PredSlot predicate_of(std::string name, Mask* flip);
  Place source(const std::string& operand, unsigned bits);

  TestWarp warp_;
  std::map<std::string, unsigned> slots_;
  std::map<std::string, PredSlot> predicates_;
  std::vector<std::unique_ptr<ptx::Instr>> instrs_;
  std::vector<Step> steps_;
  unsigned constants_ = 0;
  std::string refused_;
};

}  // namespace heddle::exec::testing
