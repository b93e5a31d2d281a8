// suld, sust and sured: bytes of a surface object's array, as global memory is accessed.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/memory/atomic_ops.h"
#include "exec/memory/logged_access.h"
#include "exec/memory/memory_access.h"
#include "exec/texture/bind.h"
#include "exec/texture/texture.h"
#include "exec/texture/texture_operands.h"
#include "exec/warp/kernel_fault.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::SurfaceBounds;
using ptx::TexGeometry;
using ptx::Type;

// Where the lanes of an instruction point.
class SurfaceLanes {
 public:
  SurfaceLanes(Warp& w, const Code& c, std::uint32_t bytes, bool write)
      : warp_(w), code_(c), operands_(w, c) {
    Access& a = w.access();
    a.begin(ptx::Space::Global, bytes, write, 0);
    a.payload = 0;
  }

  // The addresses of those that are inside go to warp.access(). Throws for .trap.
  Mask locate(Mask active) {
    Mask inside = 0;
    for (Mask m = active; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(m));
      if (locate_lane(lane)) inside |= 1u << lane;
    }
    Access& a = warp_.access();
    a.mask = inside;
    if (inside != 0) fill_inactive(a.address.data(), inside);
    return inside;
  }

 private:
  bool locate_lane(unsigned lane) {
    const std::uint64_t handle = warp_.in<std::uint64_t>(operands_.handle())[lane];
    if (surface_ == nullptr || handle != handle_) find(handle);
    const Texture& s = *surface_;
    const TexGeometry g = code_.instr->tex;
    const bool layered = g == TexGeometry::A1d || g == TexGeometry::A2d;
    unsigned next = 0;
    const auto coordinate = [&] {
      return std::int64_t{warp_.in<std::int32_t>(operands_.source(next++))[lane]};
    };
    std::int64_t z = layered ? coordinate() : 0;
    std::int64_t x = coordinate();
    std::int64_t y = g == TexGeometry::T1d || g == TexGeometry::A1d ? 0 : coordinate();
    if (g == TexGeometry::T3d) z = coordinate();
    const std::int64_t bytes = warp_.access().bytes;
    if (x % bytes != 0)
      stop(lane, fmt::format("x = {} is not a multiple of the {} bytes of the access", x, bytes),
           FaultKind::Misaligned);
    const std::int64_t row = std::int64_t{s.width} * s.texel_bytes();
    const bool inside = x >= 0 && x + bytes <= row && y >= 0 && y < s.height && z >= 0 && z < s.depth;
    if (!inside && code_.instr->bounds == SurfaceBounds::Zero) return false;
    if (!inside && code_.instr->bounds == SurfaceBounds::Trap)
      stop(lane,
           fmt::format("byte {} of row {} in slice {} lies outside of {} bytes x {} rows x {} slices", x, y,
                       z, row, s.height, s.depth),
           FaultKind::Other);
    x = std::clamp<std::int64_t>(x, 0, std::max<std::int64_t>(0, (row - bytes) / bytes * bytes));
    y = std::clamp<std::int64_t>(y, 0, s.height - 1);
    z = std::clamp<std::int64_t>(z, 0, s.depth - 1);
    const mem::Address a = s.address + static_cast<std::uint64_t>(z) * s.slice +
                           static_cast<std::uint64_t>(y) * s.pitch + static_cast<std::uint64_t>(x);
    check_memory(lane, a);
    warp_.access().address[lane] = a;
    return true;
  }

  void find(std::uint64_t handle) {
    const TextureTable* table = warp_.context().textures;
    const Texture* s = table != nullptr ? table->find(handle) : nullptr;
    if (s == nullptr || !s->surface)
      throw Error(warp_.image().place(warp_.pc() - 1),
                  fmt::format("{:#x} is not the handle of a surface object", handle));
    handle_ = handle;
    surface_ = s;
  }

  // The array may have been released since the object was made.
  void check_memory(unsigned lane, mem::Address a) {
    if (a >= begin_ && a < end_ && end_ - a >= warp_.access().bytes) return;
    const mem::Allocation* block = warp_.context().memory.find(a);
    if (block == nullptr || block->end - a < warp_.access().bytes)
      fault(warp_, code_, static_cast<int>(lane), a, "out-of-bounds surface");
    begin_ = block->begin;
    end_ = block->end;
  }

  [[noreturn]] void stop(unsigned lane, const std::string& why, FaultKind kind) const {
    throw KernelFault(
        kind, warp_.image().place(warp_.pc() - 1),
        fmt::format("surface {} by lane {} of warp {} in kernel '{}': {}",
                    warp_.access().write ? "store" : "load", lane, warp_.index(), warp_.image().name, why),
        kind == FaultKind::Other ? "x counts bytes, not elements." : "");
  }

  Warp& warp_;
  const Code& code_;
  TextureOperands operands_;
  const Texture* surface_ = nullptr;
  std::uint64_t handle_ = 0;
  mem::Address begin_ = 0, end_ = 0;  // of the allocation touched last
};

void count(Warp& w, const Code& c, Mask inside) {
  if (inside != 0 && w.context().count_accesses)
    count_access(w, c, shape_of(w.access().address.data(), inside, w.access().bytes));
}

// Code::aux: bit k: element k is in a 64-bit register.
bool is_wide(const Code& c, unsigned k) {
  return (c.aux() >> k & 1) != 0;
}

void load_surface(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  const mem::StoreLog* const log = w.context().log;
  const std::uint32_t element = ptx::bytes(in.type), bytes = element * in.vector;
  const Mask inside = SurfaceLanes(w, c, bytes, false).locate(active);
  if (log != nullptr && inside != 0 && awaits_atomic(w, inside)) {
    w.retry(active);
    return;
  }
  alignas(64) std::byte data[kLanes * kMostBytes] = {};
  for (Mask m = inside; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const mem::Address a = w.access().address[lane];
    std::memcpy(data + lane * bytes, w.context().memory.host(a), bytes);
    if (log != nullptr && log->may_touch(a, bytes)) log->overlay(a, data + lane * bytes, bytes);
  }
  const TextureOperands operands(w, c);
  for (unsigned k = 0; k < in.vector; ++k)
    for (Mask m = active; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(m));
      std::uint64_t v = 0;
      std::memcpy(&v, data + lane * bytes + k * element, element);
      if (is_wide(c, k))
        w.out<std::uint64_t>(operands.value(k))[lane] = v;
      else
        w.out<std::uint32_t>(operands.value(k))[lane] = static_cast<std::uint32_t>(v);
    }
  count(w, c, inside);
}

void store_surface(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  mem::StoreLog* const log = w.context().log;
  const std::uint32_t element = ptx::bytes(in.type), bytes = element * in.vector;
  if (log != nullptr && may_lack_operands(w, in)) {
    w.retry(active);
    return;
  }
  const Mask inside = SurfaceLanes(w, c, bytes, true).locate(active);
  if (log != nullptr && inside != 0 && awaits_atomic(w, inside)) {
    w.retry(active);
    return;
  }
  const TextureOperands operands(w, c);
  alignas(64) std::byte data[kLanes * kMostBytes];
  for (Mask m = inside; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    for (unsigned k = 0; k < in.vector; ++k) {
      const std::uint64_t v = is_wide(c, k) ? w.in<std::uint64_t>(operands.value(k))[lane]
                                            : w.in<std::uint32_t>(operands.value(k))[lane];
      std::memcpy(data + lane * bytes + k * element, &v, element);
    }
    if (log == nullptr)
      std::memcpy(w.context().memory.host(w.access().address[lane]), data + lane * bytes, bytes);
  }
  if (log != nullptr) append_lanes(*log, w.access(), inside, data);
  count(w, c, inside);
}

template <class Cell>
void reduce_lane(const Instr& in, std::byte* at, std::uint64_t b) {
  Cell old;
  std::memcpy(&old, at, sizeof old);
  const Cell next = apply_atomic(in, old, static_cast<Cell>(b), static_cast<Cell>(b), true);
  std::memcpy(at, &next, sizeof next);
}

// As red.global, at a place of the surface.
void reduce_surface(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  AtomicRecords* const records = w.context().atomics;
  const std::uint32_t bytes = ptx::bytes(in.type);
  const Mask inside = SurfaceLanes(w, c, bytes, true).locate(active);
  Access& access = w.access();
  if (records != nullptr && (records->full() || is_awaited(w, inside))) {
    w.retry(active);
    return;
  }
  access.atomic = true;
  const TextureOperands operands(w, c);
  std::array<std::uint64_t, kLanes> value{};
  for (Mask m = inside; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    value[lane] = is_wide(c, 0) ? w.in<std::uint64_t>(operands.value(0))[lane]
                                : w.in<std::uint32_t>(operands.value(0))[lane];
    std::byte* const at = w.context().memory.host(access.address[lane]);
    if (records == nullptr && bytes == 8) reduce_lane<std::uint64_t>(in, at, value[lane]);
    if (records == nullptr && bytes == 4) reduce_lane<std::uint32_t>(in, at, value[lane]);
  }
  if (records != nullptr && inside != 0) {
    access.payload = records->take();
    AtomicRecord& r = (*records)[access.payload];
    r.instr = &in;
    r.destination = nullptr;
    r.mask = inside;
    r.bytes = static_cast<std::uint8_t>(bytes);
    r.address = access.address;
    r.b = r.c = value;
    records->count_lines(r);
  }
  count(w, c, inside);
}

}  // namespace

bool bind_surface(const Instr& in, Binder& b, Code& c) {
  if (in.op != Op::Suld && in.op != Op::Sust && in.op != Op::Sured) return false;
  const bool load = in.op == Op::Suld;
  std::array<Place, TextureOperands::kValues> values{};
  std::uint32_t wide = 0;
  for (unsigned k = 0; k < in.vector; ++k) {
    const ptx::Operand& o = load ? in.dst[k] : in.src[k];
    const Type reg = o.kind == ptx::Operand::Kind::Reg ? b.register_type(o) : in.type;
    const bool is_64 = ptx::bits(reg) == 64;
    if (is_64) wide |= 1u << k;
    values[k] = b.place(o, is_64 ? Type::B64 : Type::B32);
  }
  TextureOperands::bind(in, b, c, std::span(values).first(in.vector), load ? 0 : in.vector);
  c.set_aux(wide);
  c.handler = load ? load_surface : in.op == Op::Sust ? store_surface : reduce_surface;
  return true;
}

}  // namespace heddle::exec
