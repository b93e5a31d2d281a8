// How each instruction gets its handler and operands when a kernel is linked.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "exec/code.h"
#include "exec/matrix.h"
#include "ptx/instr.h"
#include "ptx/module.h"

namespace heddle::exec {

// What a binder needs to know about the place of an instruction.
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
  virtual std::int64_t keep(std::span<const Place> places) = 0;
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

// Each fills handler and operands of `code` (guard and instr are set already); false: not its instruction.
bool bind_memory(const ptx::Instr& instr, Binder& binder, Code& code);  // ld, st
bool bind_copy(const ptx::Instr& instr, Binder& binder, Code& code);    // cp.async, prefetch, fences
bool bind_atomic(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_texture(const ptx::Instr& instr, Binder& binder, Code& code);  // tex, tld4, txq, suq
bool bind_surface(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_address(const ptx::Instr& instr, Binder& binder, Code& code);  // cvta, isspacep, mov of an address
bool bind_control(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_collective(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_wide_convert(const ptx::Instr& instr, Binder& binder, Code& code);  // cvt, wider registers
bool bind_mma(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_fragment(const ptx::Instr& instr, Binder& binder, Code& code);  // wmma.load, wmma.store
bool bind_matrix(const ptx::Instr& instr, Binder& binder, Code& code);    // ldmatrix and its like
bool bind_barrier(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_bulk(const ptx::Instr& instr, Binder& binder, Code& code);  // cp.async.bulk
bool bind_mbarrier(const ptx::Instr& instr, Binder& binder, Code& code);

}  // namespace heddle::exec
