// Whatever the text: parse_module returns a module or throws heddle::Error, within small limits; and what it
// takes can be read as a tree, whose text it takes again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "ptx/parse/parse_module.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"

namespace {

// What the layers above rely on without checking.
void check(const heddle::ptx::Module& m) {
  using heddle::ptx::Op;
  using heddle::ptx::Operand;
  for (const auto& f : m.functions) {
    for (const auto& i : f.instrs) {
      const auto sound = [&](const Operand& o) {
        if (o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred) {
          if (o.index >= f.registers.size()) std::abort();
        } else if (o.kind == Operand::Kind::Symbol) {
          if (o.index >= m.symbols.size()) std::abort();
        }
      };
      for (const Operand& o : i.dst) sound(o);
      for (const Operand& o : i.src) sound(o);
      sound(i.guard);
      sound(i.address);
      if (i.op == Op::Bra && i.target >= f.instrs.size()) std::abort();
      if (i.op == Op::BrxIdx && i.target >= f.branch_tables.size()) std::abort();
      if (i.op == Op::Call && i.call >= f.calls.size()) std::abort();
    }
    for (const auto& table : f.branch_tables)
      for (const auto target : table)
        if (target >= f.instrs.size()) std::abort();
  }
}

heddle::ptx::ParseLimits small_limits() {
  heddle::ptx::ParseLimits limits;
  limits.max_text_bytes = 1u << 16;
  limits.max_initializer_bytes = 1u << 20;
  limits.max_registers_per_function = 1u << 16;
  return limits;
}

bool parses(const std::string& text, const heddle::ptx::ParseLimits& limits,
            std::vector<heddle::ptx::Unsupported>* unsupported) {
  try {
    check(heddle::ptx::parse_module(text, "fuzz.ptx", limits, unsupported));
    return true;
  } catch (const heddle::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first byte chooses whether unsupported instructions are collected.
  if (size == 0) return 0;
  heddle::ptx::ParseLimits limits = small_limits();
  std::vector<heddle::ptx::Unsupported> unsupported;
  auto* const collected = (data[0] & 1) != 0 ? &unsupported : nullptr;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool taken = parses(text, limits, collected);
  try {
    const std::string printed =
        heddle::ptx::tree::print(heddle::ptx::tree::read_module(text, "fuzz.ptx", limits));
    limits.max_text_bytes *= 128;  // indentation
    if (taken && !parses(printed, limits, collected)) std::abort();
  } catch (const heddle::Error&) {
    if (taken) std::abort();
  }
  return 0;
}
