// How an instruction finds its operands while a kernel is linked.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "exec/image/code.h"
#include "exec/image/matrix.h"
#include "ptx/ir/instr.h"
#include "ptx/ir/module.h"

namespace heddle::exec {

// What the functions that bind an instruction need to know about its place.
class Binder {
 public:
  virtual ~Binder() = default;
  // Lane vector of an operand, as 4-byte or 8-byte lanes. `element`: the type in which the instruction reads
  // it.
  virtual Place place(const ptx::Operand& operand, ptx::Type element) = 0;
  virtual PredSlot predicate(const ptx::Operand& operand) = 0;
  virtual ptx::Type register_type(const ptx::Operand& operand) const = 0;
  // Broadcast constants.
  virtual Place constant32(std::uint32_t value) = 0;
  virtual Place constant64(std::uint64_t value) = 0;
  // Places of an instruction with more operands than Code has room for: KernelImage::places from there on.
  virtual std::int64_t add_places(std::span<const Place> places) = 0;
  [[noreturn]] virtual void unsupported(const std::string& why) = 0;

  struct Resolved {
    enum class Kind : std::uint8_t { Fixed, FrameRelative, EntryParam } kind = Kind::Fixed;
    std::uint64_t value = 0;  // address in the symbol's space
  };
  virtual Resolved resolve(const ptx::Operand& symbol) = 0;
  virtual bool in_entry() const = 0;
  virtual const ptx::MatrixInstr& matrix(const ptx::Instr& instr) const = 0;
  // Its index in KernelImage::matrices.
  virtual std::uint32_t add_matrix(MatrixCode code) = 0;
};

}  // namespace heddle::exec
