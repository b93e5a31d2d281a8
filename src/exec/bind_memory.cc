// Loads, stores, asynchronous copies.
#include <bit>
#include <utility>

#include "exec/bind.h"
#include "exec/logged_access.h"
#include "exec/memory_access.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

// Code::aux of a memory instruction.
enum Flag : std::uint32_t {
  kVectorMask = 0xf,         // number of elements
  kFrameRelative = 1u << 4,  // the address counts from the running frame
  kWide = 1u << 5,           // registers of 8-byte lanes
  kSignExtend = 1u << 6,     // from the element's size ...
  kNarrow16 = 1u << 7,       // ... to a 16-bit register
  kAddress32 = 1u << 8,      // the address register has 4-byte lanes
  kSpinHint = 1u << 9,
};

std::array<Place, 4> values(const Code& c) {
  return {c.d, c.b, c.c, c.extra()};
}

void set_addresses(Warp& w, const Code& c, std::uint32_t bytes, Space space, bool write, Mask active) {
  Access& access = w.access();
  access.space = space;
  access.write = write;
  access.atomic = false;
  access.bytes = bytes;
  access.mask = active;
  access.parts = 0;
  std::uint64_t add = static_cast<std::uint64_t>(c.imm);
  if ((c.aux() & kFrameRelative) != 0) add += w.local_base();
  std::uint64_t* const out = access.address.data();
  if ((c.aux() & kAddress32) != 0) {
    const std::uint32_t* a = w.in<std::uint32_t>(c.a);
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i)
      out[i] = static_cast<std::uint32_t>(a[i] + static_cast<std::uint32_t>(add));
  } else {
    const std::uint64_t* a = w.in<std::uint64_t>(c.a);
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) out[i] = a[i] + add;
  }
}

template <int Bytes>
struct Element;
template <>
struct Element<1> {
  using type = std::uint8_t;
};
template <>
struct Element<2> {
  using type = std::uint16_t;
};
template <>
struct Element<4> {
  using type = std::uint32_t;
};
template <>
struct Element<8> {
  using type = std::uint64_t;
};

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

template <int Bytes, Space S>
void load(Warp& w, const Code& c, Mask active) {
  using E = typename Element<Bytes>::type;
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

// ld.param of a kernel's parameter at a fixed place: the same value for every lane.
template <int Bytes>
void load_kernel_param(Warp& w, const Code& c, Mask active) {
  using E = typename Element<Bytes>::type;
  const std::uint32_t n = c.aux() & kVectorMask;
  const auto places = values(c);
  const std::byte* const block = w.context().params.data() + c.imm;
  for (std::uint32_t e = 0; e < n; ++e) {
    E v;
    std::memcpy(&v, block + e * sizeof(E), sizeof v);
    const auto extended =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::make_signed_t<E>>(v)));
    std::uint64_t value = (c.aux() & kSignExtend) != 0 ? extended : v;
    if ((c.aux() & kNarrow16) != 0) value &= 0xffff;
    if (Bytes == 8 || (c.aux() & kWide) != 0)
      write_lanes(w.out<std::uint64_t>(places[e]), active, [&](int) { return value; });
    else
      write_lanes(w.out<std::uint32_t>(places[e]), active,
                  [&](int) { return static_cast<std::uint32_t>(value); });
  }
}

void nothing(Warp&, const Code&, Mask) {}

// cp.async: the copy is complete at once; commit and wait have nothing left to do.
void copy_async(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  std::uint8_t data[kLanes][16] = {};
  Access& access = w.access();
  const std::uint64_t* from = w.in<std::uint64_t>(c.b);
  const std::uint32_t* size = in.n_src > 1 ? w.in<std::uint32_t>(c.c) : nullptr;
  Mask reads = active;
  for (int i = 0; i < kLanes; ++i) {
    access.address[static_cast<unsigned>(i)] = from[i] + static_cast<std::uint64_t>(in.offset2);
    if (size != nullptr && size[i] == 0) reads &= ~(1u << i);
  }
  access.space = Space::Global;
  access.write = access.atomic = false;
  access.bytes = in.cp_size;
  access.mask = reads;
  access.parts = 0;
  const mem::StoreLog* const log = w.context().log;
  if (log != nullptr && reads != 0 && awaits_atomic(w, reads)) {
    w.retry(active);
    return;
  }
  if (reads != 0)
    with_regions(w, c, reads, [&](const Region& region, Mask lanes, const Shape&) {
      for (Mask m = lanes; m != 0; m &= m - 1) {
        const int i = std::countr_zero(m);
        const std::size_t n = size != nullptr ? std::min<std::size_t>(size[i], in.cp_size) : in.cp_size;
        std::memcpy(data[i],
                    reinterpret_cast<const void*>(region.bias + access.address[static_cast<unsigned>(i)]), n);
        if (log != nullptr)
          log->overlay(access.address[static_cast<unsigned>(i)], data[i], static_cast<unsigned>(n));
      }
    });
  Access source;
  if (log != nullptr) source = access;
  set_addresses(w, c, in.cp_size, Space::Shared, true, active);
  fill_inactive(access.address.data(), active);
  const Region region = check_access(w, c, active, shape_of(access.address.data(), active, access.bytes));
  for (Mask m = active; m != 0; m &= m - 1) {
    const int i = std::countr_zero(m);
    std::memcpy(reinterpret_cast<void*>(region.bias + access.address[static_cast<unsigned>(i)]), data[i],
                in.cp_size);
  }
  if (log == nullptr) return;
  if (reads != 0) w.add_part(source);
  w.add_part(access);
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

Handler kernel_param_handler(unsigned bytes) {
  switch (bytes) {
    case 1:
      return load_kernel_param<1>;
    case 2:
      return load_kernel_param<2>;
    case 4:
      return load_kernel_param<4>;
    case 8:
      return load_kernel_param<8>;
    default:
      return nullptr;
  }
}

}  // namespace

// Sets a, imm and the address flags; may change `space`: parameters of functions lie in their frame.
void bind_address_operand(const Instr& in, Binder& b, Code& c, Space& space, bool& kernel_param) {
  c.imm = in.offset;
  kernel_param = false;
  if (in.address.kind == Operand::Kind::Reg) {
    const bool narrow = ptx::bits(b.register_type(in.address)) <= 32;
    if (narrow) c.set_aux(c.aux() | kAddress32);
    c.a = b.place(in.address, narrow ? Type::U32 : Type::U64);
    if (space == Space::Param && !b.in_entry()) space = Space::Local;
    return;
  }
  c.a = b.constant64(0);
  if (in.address.kind == Operand::Kind::Imm) {
    c.imm += static_cast<std::int64_t>(in.address.value);
    return;
  }
  const Binder::Resolved r = b.resolve(in.address);
  c.imm += static_cast<std::int64_t>(r.value);
  if (r.kind == Binder::Resolved::Kind::FrameRelative) {
    space = Space::Local;
    c.set_aux(c.aux() | kFrameRelative);
  } else if (r.kind == Binder::Resolved::Kind::EntryParam) {
    kernel_param = true;
  }
}

bool bind_memory(const Instr& in, Binder& b, Code& c) {
  if (in.op == Op::Prefetch || in.op == Op::CpAsyncCommit || in.op == Op::CpAsyncWait ||
      in.op == Op::Membar) {
    c.handler = nothing;
    return true;
  }
  if (in.op != Op::Ld && in.op != Op::St && in.op != Op::CpAsync) return false;
  Space space = in.space;
  bool kernel_param = false;
  c.set_aux(in.vector);
  bind_address_operand(in, b, c, space, kernel_param);
  if (in.op == Op::CpAsync) {
    c.b = b.place(in.src[0], Type::U64);
    if (in.n_src > 1) c.c = b.place(in.src[1], Type::U32);
    c.handler = copy_async;
    return true;
  }
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
