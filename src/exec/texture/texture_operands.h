// Operands of texture and surface instructions: more than Code has room for, so they lie in the image's table
// of places.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "exec/image/binder.h"
#include "exec/image/kernel_image.h"
#include "exec/warp/context.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

class TextureOperands {
 public:
  static constexpr unsigned kValues = 4;

  TextureOperands(const Warp& w, const Code& c) : place_(w.image().places.data() + c.imm) {}
  Place handle() const { return place_[0]; }
  Place value(unsigned k) const { return place_[1 + k]; }  // results, or what is stored
  Place source(unsigned i) const { return place_[1 + kValues + i]; }

  // `values`: kValues at most. Sources from `first` on.
  static void bind(const ptx::Instr& in, Binder& b, Code& c, std::span<const Place> values, unsigned first) {
    if (in.address.kind != ptx::Operand::Kind::Reg)
      b.unsupported("texture and surface references; use texture and surface objects");
    std::vector<Place> all(1 + kValues);
    all[0] = b.place(in.address, ptx::Type::U64);
    for (unsigned k = 0; k < values.size(); ++k) all[1 + k] = values[k];
    for (unsigned i = first; i < in.n_src; ++i) all.push_back(b.place(in.src[i], ptx::Type::B32));
    c.imm = b.add_places(all);
  }

 private:
  const Place* place_;
};

// The timing side knows only the first registers that such an instruction reads (StaticInstr::src). One with
// more must not execute while the result of an atomic is under way to any register of its warp.
inline bool may_lack_operands(const Warp& w, const ptx::Instr& in) {
  constexpr unsigned kKnown = 5;  // beside the guard and the handle
  return in.n_src > kKnown && w.awaits_result();
}

}  // namespace heddle::exec
