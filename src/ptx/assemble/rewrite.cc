#include "ptx/assemble/rewrite.h"

#include <utility>

namespace heddle::ptx {

void drop_instructions(Function& f, const std::vector<std::uint8_t>& gone) {
  std::vector<std::uint32_t> moved;  // by old place
  std::vector<Instr> code;
  for (std::size_t i = 0; i < f.instrs.size(); ++i) {
    moved.push_back(static_cast<std::uint32_t>(code.size()));
    if (!gone[i]) code.push_back(f.instrs[i]);
  }
  moved.push_back(static_cast<std::uint32_t>(code.size()));
  for (Instr& in : code)
    if (in.op == Op::Bra) in.target = moved[in.target];
  for (auto& table : f.branch_tables)
    for (std::uint32_t& t : table) t = moved[t];
  for (std::uint32_t& i : f.no_unroll) i = moved[i];
  f.instrs = std::move(code);
}

}  // namespace heddle::ptx
