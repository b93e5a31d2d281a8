// Loads and stores.
#include <bit>
#include <utility>

#include "exec/handlers/bind.h"
#include "exec/handlers/memory_operands.h"
#include "exec/memory/logged_access.h"
#include "exec/memory/memory_access.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

// A lane vector that holds E.
template <class E>
using E4or8 = std::conditional_t<sizeof(E) == 8, std::uint64_t, std::uint32_t>;

template <class E>
E read_host(std::uintptr_t p) {
  E v;
  std::memcpy(&v, reinterpret_cast<const void*>(p), sizeof v);
  return v;
}

// One element of every lane into a lane vector, zero-extended.
template <class E, class Lane>
void load_element(const Access& access, const Region& region, Mask lanes, const Shape& shape,
                  std::size_t offset, Lane* d) {
  const std::uint64_t* a = access.address.data();
  const std::uintptr_t base = region.bias + offset;
  if (region.lane_stride == 0) {
    if (shape.uniform() && lanes == kAllLanes) {
      const Lane v = read_host<E>(base + a[0]);
      for (int i = 0; i < kLanes; ++i) d[i] = v;
      return;
    }
    if (shape.contiguous && access.bytes == sizeof(E)) {
      if constexpr (sizeof(E) == sizeof(Lane)) {
        std::memcpy(d, reinterpret_cast<const void*>(base + a[0]), sizeof(Lane) * kLanes);
      } else {
        E t[kLanes];
        std::memcpy(t, reinterpret_cast<const void*>(base + a[0]), sizeof t);
        for (int i = 0; i < kLanes; ++i) d[i] = t[i];
      }
      return;
    }
    // Inactive lanes have a valid address too: read all, keep what is asked for.
    if (lanes == kAllLanes) {
      for (int i = 0; i < kLanes; ++i) d[i] = read_host<E>(base + a[i]);
    } else if (shape.uniform()) {
      Lane t[kLanes];
      const Lane v = read_host<E>(base + a[0]);
      for (int i = 0; i < kLanes; ++i) t[i] = v;
      blend(d, t, lanes);
    } else {
      Lane t[kLanes];
      for (int i = 0; i < kLanes; ++i) t[i] = read_host<E>(base + a[i]);
      blend(d, t, lanes);
    }
    return;
  }
  for (Mask m = lanes; m != 0; m &= m - 1) {
    const int i = std::countr_zero(m);
    d[i] = read_host<E>(base + a[i] + static_cast<std::size_t>(i) * region.lane_stride);
  }
}

template <class E, class Lane>
void sign_extend(Lane* d, Mask lanes, bool narrow16) {
  using S = std::make_signed_t<E>;
  write_lanes(d, lanes, [&](int i) {
    const auto v = static_cast<Lane>(static_cast<std::make_signed_t<Lane>>(static_cast<S>(d[i])));
    return narrow16 ? static_cast<Lane>(v & 0xffff) : v;
  });
}

template <class E, class Lane>
void load_all(Warp& w, const Code& c, const Access& access, const Region& region, Mask lanes,
              const Shape& shape) {
  const std::uint32_t n = c.aux() & kVectorMask;
  const auto places = values(c);
  for (std::uint32_t e = 0; e < n; ++e) {
    Lane* d = w.out<Lane>(places[e]);
    load_element<E, Lane>(access, region, lanes, shape, e * sizeof(E), d);
    if ((c.aux() & kSignExtend) != 0) sign_extend<E, Lane>(d, lanes, (c.aux() & kNarrow16) != 0);
  }
}

template <class E>
void load_lanes(Warp& w, const Code& c, const Access& access, const Region& region, Mask lanes,
                const Shape& shape) {
  if constexpr (sizeof(E) == 8) {
    load_all<E, std::uint64_t>(w, c, access, region, lanes, shape);
  } else {
    if ((c.aux() & kWide) != 0)
      load_all<E, std::uint64_t>(w, c, access, region, lanes, shape);
    else
      load_all<E, std::uint32_t>(w, c, access, region, lanes, shape);
  }
}

// The short way, for whole warps that access one element each of global memory along a line when nobody wants
// to know which addresses those were: warp.access() is left alone. Not found: take the long way, which also
// finds out what is wrong.
inline LinearAddresses plain_addresses(Warp& w, const Code& c, Mask active, std::uint32_t bytes) {
  const ExecContext& context = w.context();
  const std::uint32_t one_element = bytes == 8 ? 1 | kWide : 1;  // and nothing special about it
  if (active != kAllLanes || c.aux() != one_element || context.log != nullptr || context.count_accesses)
    return {};
  LinearAddresses line = linear_addresses(w.in<std::uint64_t>(c.a), static_cast<std::uint64_t>(c.imm));
  line.found = line.found && within(bounds_of(w, c), line.lowest(), line.highest()) &&
               ((line.first | line.stride) & (bytes - 1)) == 0;
  return line;
}

template <class E>
bool load_linear(Warp& w, const Code& c, Mask active) {
  const LinearAddresses line = plain_addresses(w, c, active, sizeof(E));
  if (!line.found) return false;
  const std::uintptr_t base = w.context().global + line.first;
  E* const d = w.out<E>(c.d);
  if (line.stride == sizeof(E)) {
    std::memcpy(d, reinterpret_cast<const void*>(base), kLanes * sizeof(E));
  } else if (line.stride == 0) {
    const E v = read_host<E>(base);
    for (int i = 0; i < kLanes; ++i) d[i] = v;
  } else {
    for (unsigned i = 0; i < kLanes; ++i) d[i] = read_host<E>(base + i * line.stride);
  }
  return true;
}

template <class E>
bool store_linear(Warp& w, const Code& c, Mask active) {
  const LinearAddresses line = plain_addresses(w, c, active, sizeof(E));
  if (!line.found) return false;
  const std::uintptr_t base = w.context().global + line.first;
  const E* const s = w.in<E>(c.d);
  if (line.stride == sizeof(E))
    std::memcpy(reinterpret_cast<void*>(base), s, kLanes * sizeof(E));
  else  // in lane order: of lanes that write the same address the highest one stays
    for (unsigned i = 0; i < kLanes; ++i)
      std::memcpy(reinterpret_cast<void*>(base + i * line.stride), s + i, sizeof(E));
  return true;
}

template <int Bytes, Space S>
void load(Warp& w, const Code& c, Mask active) {
  using E = typename Element<Bytes>::type;
  if constexpr (S == Space::Global && Bytes >= 4)
    if (load_linear<E>(w, c, active)) return;
  constexpr bool kMayBeGlobal = S == Space::Global || S == Space::Generic;
  set_addresses(w, c, Bytes * (c.aux() & kVectorMask), S, false, active);
  const mem::StoreLog* const log = kMayBeGlobal ? w.context().log : nullptr;
  if (log != nullptr && awaits_atomic(w, active)) {
    w.retry(active);
    return;
  }
  if ((c.aux() & kSpinHint) != 0) w.note_spin_hint();
  with_regions(w, c, active, [&](const Region& region, Mask lanes, const Shape& shape) {
    if (log != nullptr && w.access().space == Space::Global && may_touch(*log, w.access(), lanes, shape)) {
      alignas(64) std::byte data[kLanes * kMostBytes];
      read_logged(*log, w.access(), region, lanes, shape, data);
      load_lanes<E>(w, c, Access{}, {reinterpret_cast<std::uintptr_t>(data), w.access().bytes}, lanes, shape);
      return;
    }
    load_lanes<E>(w, c, w.access(), region, lanes, shape);
  });
}

template <class E, class Lane>
void store_element(const Access& access, const Region& region, Mask lanes, const Shape& shape,
                   std::size_t offset, const Lane* s) {
  const std::uint64_t* a = access.address.data();
  const std::uintptr_t base = region.bias + offset;
  if (region.lane_stride == 0 && shape.contiguous && access.bytes == sizeof(E) && sizeof(E) == sizeof(Lane)) {
    std::memcpy(reinterpret_cast<void*>(base + a[0]), s, sizeof(Lane) * kLanes);
    return;
  }
  // Lanes that write the same address do so in lane order: the highest one stays.
  for (Mask m = lanes; m != 0; m &= m - 1) {
    const int i = std::countr_zero(m);
    const E v = static_cast<E>(s[i]);
    std::memcpy(reinterpret_cast<void*>(base + a[i] + static_cast<std::size_t>(i) * region.lane_stride), &v,
                sizeof v);
  }
}

// All elements of all lanes, where `access` and `region` say.
template <class E>
void store_lanes(Warp& w, const Code& c, const Access& access, const Region& region, Mask lanes,
                 const Shape& shape) {
  const std::uint32_t n = c.aux() & kVectorMask;
  const auto places = values(c);
  for (std::uint32_t e = 0; e < n; ++e) {
    if (sizeof(E) == 8 || (c.aux() & kWide) != 0)
      store_element<E>(access, region, lanes, shape, e * sizeof(E), w.in<std::uint64_t>(places[e]));
    else
      store_element<E>(access, region, lanes, shape, e * sizeof(E), w.in<std::uint32_t>(places[e]));
  }
}

template <class E>
void store_logged(Warp& w, const Code& c, mem::StoreLog& log, Mask lanes, const Shape& shape) {
  const Access& access = w.access();
  const bool wide = sizeof(E) == 8 || (c.aux() & kWide) != 0;
  if (shape.contiguous && access.bytes == sizeof(E) && sizeof(E) == (wide ? 8 : 4)) {
    log.append(access.address[0], w.in<E4or8<E>>(c.d), kLanes * sizeof(E));
    return;
  }
  alignas(64) std::byte data[kLanes * kMostBytes];
  store_lanes<E>(w, c, Access{}, {reinterpret_cast<std::uintptr_t>(data), access.bytes}, lanes, shape);
  append_lanes(log, access, lanes, data);
}

template <int Bytes, Space S>
void store(Warp& w, const Code& c, Mask active) {
  using E = typename Element<Bytes>::type;
  if constexpr (S == Space::Global && Bytes >= 4)
    if (store_linear<E>(w, c, active)) return;
  set_addresses(w, c, Bytes * (c.aux() & kVectorMask), S, true, active);
  mem::StoreLog* const log = S == Space::Global || S == Space::Generic ? w.context().log : nullptr;
  if (log != nullptr && awaits_atomic(w, active)) {
    w.retry(active);
    return;
  }
  with_regions(w, c, active, [&](const Region& region, Mask lanes, const Shape& shape) {
    if (log != nullptr && w.access().space == Space::Global)
      store_logged<E>(w, c, *log, lanes, shape);
    else
      store_lanes<E>(w, c, w.access(), region, lanes, shape);
  });
}

template <template <int, Space> class H, Space S>
Handler by_size(unsigned bytes) {
  switch (bytes) {
    case 1:
      return &H<1, S>::run;
    case 2:
      return &H<2, S>::run;
    case 4:
      return &H<4, S>::run;
    case 8:
      return &H<8, S>::run;
    default:
      return nullptr;
  }
}
template <int B, Space S>
struct Load {
  static void run(Warp& w, const Code& c, Mask m) { load<B, S>(w, c, m); }
};
template <int B, Space S>
struct Store {
  static void run(Warp& w, const Code& c, Mask m) { store<B, S>(w, c, m); }
};

template <template <int, Space> class H>
Handler by_space(Space space, unsigned bytes) {
  switch (space) {
    case Space::Global:
      return by_size<H, Space::Global>(bytes);
    case Space::Const:
      return by_size<H, Space::Const>(bytes);
    case Space::Shared:
      return by_size<H, Space::Shared>(bytes);
    case Space::Local:
      return by_size<H, Space::Local>(bytes);
    case Space::Param:
      return by_size<H, Space::Param>(bytes);
    case Space::Generic:
      return by_size<H, Space::Generic>(bytes);
    default:
      return nullptr;
  }
}

}  // namespace

bool bind_memory(const Instr& in, Binder& b, Code& c) {
  if (in.op != Op::Ld && in.op != Op::St) return false;
  Space space = in.space;
  bool kernel_param = false;
  c.set_aux(in.vector);
  bind_address_operand(in, b, c, space, kernel_param);
  const bool is_load = in.op == Op::Ld;
  const unsigned bytes = ptx::bytes(in.type);
  std::uint32_t flags = 0;
  std::array<Place, 4> places{};
  for (unsigned e = 0; e < in.vector; ++e) {
    const Operand& o = is_load ? in.dst[e] : in.src[e];
    const Type reg = o.kind == Operand::Kind::Reg ? b.register_type(o) : in.type;
    const bool wide = ptx::bits(reg) == 64;
    if (wide) flags |= kWide;
    if (is_load && ptx::is_signed(in.type) && ptx::bits(reg) > 8 * bytes)
      flags |= kSignExtend | (ptx::bits(reg) == 16 ? std::uint32_t{kNarrow16} : 0u);
    places[e] = b.place(o, wide ? Type::B64 : Type::B32);
  }
  c.d = places[0];
  c.b = places[1];
  c.c = places[2];
  c.set_extra(places[3]);
  if (in.order != ptx::MemOrder::Weak || in.cache == ptx::CacheHint::Cg || in.cache == ptx::CacheHint::Cv)
    flags |= kSpinHint;
  c.set_aux(c.aux() | flags);
  c.handler = kernel_param && is_load ? kernel_param_handler(bytes)
              : is_load               ? by_space<Load>(space, bytes)
                                      : by_space<Store>(space, bytes);
  if (c.handler == nullptr) b.unsupported("this state space or size");
  return true;
}

}  // namespace heddle::exec
