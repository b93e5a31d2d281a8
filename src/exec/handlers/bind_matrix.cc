// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements. Lane 4g + t has the elements 2t and 2t +
// 1 of row g, or of column g with .trans; lane 8j + i has the address of row i of matrix j.
#include <array>
#include <cstring>

#include "exec/handlers/bind.h"
#include "exec/handlers/memory_operands.h"
#include "exec/memory/memory_access.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Space;
using ptx::Type;

constexpr unsigned kRowBytes = 16;
using Matrix = std::array<std::array<std::uint16_t, 8>, 8>;
static_assert(sizeof(Matrix) == 8 * kRowBytes);

std::uint32_t lane_pair(const Matrix& m, unsigned lane, bool transpose) {
  const unsigned g = lane / 4, t = lane % 4;
  const std::uint32_t low = transpose ? m[2 * t][g] : m[g][2 * t];
  const std::uint32_t high = transpose ? m[2 * t + 1][g] : m[g][2 * t + 1];
  return low | high << 16;
}

Matrix matrix_of(const std::uint32_t* lanes, bool transpose) {
  Matrix m;
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned g = l / 4, t = l % 4;
    (transpose ? m[2 * t][g] : m[g][2 * t]) = static_cast<std::uint16_t>(lanes[l]);
    (transpose ? m[2 * t + 1][g] : m[g][2 * t + 1]) = static_cast<std::uint16_t>(lanes[l] >> 16);
  }
  return m;
}

// The rows' addresses into warp.access(); false: the lanes wait for others.
bool set_rows(Warp& w, const Code& c, bool write, Mask& active) {
  active = w.gather(active, kAllLanes, c);
  const unsigned rows = 8 * (c.aux() & kVectorMask);
  const Mask with_row = active & (rows == kLanes ? kAllLanes : (1u << rows) - 1);
  set_addresses(w, c, kRowBytes, Space::Shared, write, with_row);
  if (with_row == 0) return false;
  if (c.instr->space == Space::Generic)
    for (std::uint64_t& a : w.access().address)
      if (a >= mem::kSharedWindow && a < mem::kSharedWindow + mem::kWindowBytes) a -= mem::kSharedWindow;
  return true;
}

void load_matrix(Warp& w, const Code& c, Mask active) {
  if (!set_rows(w, c, false, active)) return;
  std::array<Matrix, 4> m{};
  auto* const rows = reinterpret_cast<std::byte*>(m.data());
  with_regions(w, c, w.access().mask, [&](const Region& region, Mask lanes, const Shape&) {
    for (Mask l = lanes; l != 0; l &= l - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(l));
      std::memcpy(rows + lane * kRowBytes,
                  reinterpret_cast<const void*>(region.bias + w.access().address[lane]), kRowBytes);
    }
  });
  const auto places = values(c);
  for (unsigned j = 0; j < (c.aux() & kVectorMask); ++j)
    write_lanes(w.out<std::uint32_t>(places[j]), active,
                [&](int l) { return lane_pair(m[j], static_cast<unsigned>(l), c.instr->transpose); });
}

void store_matrix(Warp& w, const Code& c, Mask active) {
  if (!set_rows(w, c, true, active)) return;
  std::array<Matrix, 4> m{};
  const auto places = values(c);
  for (unsigned j = 0; j < (c.aux() & kVectorMask); ++j)
    m[j] = matrix_of(w.in<std::uint32_t>(places[j]), c.instr->transpose);
  const auto* const rows = reinterpret_cast<const std::byte*>(m.data());
  with_regions(w, c, w.access().mask, [&](const Region& region, Mask lanes, const Shape&) {
    for (Mask l = lanes; l != 0; l &= l - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(l));
      std::memcpy(reinterpret_cast<void*>(region.bias + w.access().address[lane]), rows + lane * kRowBytes,
                  kRowBytes);
    }
  });
}

void move_matrix(Warp& w, const Code& c, Mask active) {
  const Mask lanes = w.gather(active, kAllLanes, c);
  if (lanes == 0) return;
  const Matrix m = matrix_of(w.in<std::uint32_t>(c.a), false);
  write_lanes(w.out<std::uint32_t>(c.d), lanes,
              [&](int l) { return lane_pair(m, static_cast<unsigned>(l), true); });
}

}  // namespace

bool bind_matrix(const Instr& in, Binder& b, Code& c) {
  if (in.op == Op::MoveMatrix) {
    c.d = b.place(in.dst[0], Type::B32);
    c.a = b.place(in.src[0], Type::B32);
    c.handler = move_matrix;
    return true;
  }
  if (in.op != Op::LoadMatrix && in.op != Op::StoreMatrix) return false;
  const bool load = in.op == Op::LoadMatrix;
  Space space = in.space;
  bool kernel_param = false;
  c.set_aux(in.vector);
  bind_address_operand(in, b, c, space, kernel_param);
  std::array<Place, 4> places{};
  for (unsigned e = 0; e < in.vector; ++e) places[e] = b.place(load ? in.dst[e] : in.src[e], Type::B32);
  c.d = places[0];
  c.b = places[1];
  c.c = places[2];
  c.set_extra(places[3]);
  c.handler = load ? load_matrix : store_matrix;
  return true;
}

}  // namespace heddle::exec
