// Comparisons of integers, whatever their spelling.
#pragma once

#include "ptx/ir/types.h"

namespace heddle::ptx {

// lo, ls, hi and hs are lt, le, gt and ge of unsigned numbers. None: not a comparison of integers.
constexpr Cmp plain(Cmp c) {
  switch (c) {
    case Cmp::Lo:
      return Cmp::Lt;
    case Cmp::Ls:
      return Cmp::Le;
    case Cmp::Hi:
      return Cmp::Gt;
    case Cmp::Hs:
      return Cmp::Ge;
    default:
      return c <= Cmp::Ge ? c : Cmp::None;
  }
}

// What holds where `c`, a plain one, does not.
constexpr Cmp opposite(Cmp c) {
  switch (c) {
    case Cmp::Eq:
      return Cmp::Ne;
    case Cmp::Ne:
      return Cmp::Eq;
    case Cmp::Lt:
      return Cmp::Ge;
    case Cmp::Le:
      return Cmp::Gt;
    case Cmp::Gt:
      return Cmp::Le;
    case Cmp::Ge:
      return Cmp::Lt;
    default:
      return Cmp::None;
  }
}

// What holds between b and a where `c`, a plain one, holds between a and b.
constexpr Cmp mirrored(Cmp c) {
  switch (c) {
    case Cmp::Lt:
      return Cmp::Gt;
    case Cmp::Le:
      return Cmp::Ge;
    case Cmp::Gt:
      return Cmp::Lt;
    case Cmp::Ge:
      return Cmp::Le;
    default:
      return c;
  }
}

}  // namespace heddle::ptx
