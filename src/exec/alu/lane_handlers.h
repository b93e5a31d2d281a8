// Makes handlers out of functions on single lanes: `lanes<add_f32<...>>` is the handler that applies it to a
// warp.
#pragma once

#include <array>
#include <cstdint>

#include "exec/image/code.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"

namespace heddle::exec::alu {

inline constexpr auto kLaneBits = [] {
  std::array<std::uint32_t, kLanes> bits{};
  for (int i = 0; i < kLanes; ++i) bits[static_cast<std::size_t>(i)] = 1u << i;
  return bits;
}();

// d[i] = f(i) for active lanes. Unlike lanes.h's write_lanes there is one loop for full and partial warps,
// which halves the code and never leaves the partial case to a worse compilation.
template <class T, class F>
inline void store_lanes(T* d, Mask active, F&& f) {
  alignas(64) T t[kLanes];
  T* to = active == kAllLanes ? d : t;
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) to[i] = f(i);
  if (active == kAllLanes) [[likely]]
    return;
  const std::uint32_t* bit = kLaneBits.data();
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) d[i] = (active & bit[i]) != 0 ? t[i] : d[i];
}

// One bit per lane where f(i) holds.
template <class F>
inline Mask lane_mask(F&& f) {
  std::uint32_t m = 0;
  const std::uint32_t* bit = kLaneBits.data();
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) m |= f(i) ? bit[i] : 0u;
  return m;
}

inline Place place_of_bits(std::int64_t bits) {
  const auto b = static_cast<std::uint32_t>(bits);
  return Place(static_cast<Place::Bank>(b >> 30), b & 0x3fffffffu);
}

template <auto F, class D, class A>
void run1(Warp& warp, const Code& code, Mask active) {
  const A* a = warp.in<A>(code.a);
  store_lanes(warp.out<D>(code.d), active, [a](int i) { return F(a[i]); });
}
template <auto F, class D, class A, class B>
void run2(Warp& warp, const Code& code, Mask active) {
  const A* a = warp.in<A>(code.a);
  const B* b = warp.in<B>(code.b);
  store_lanes(warp.out<D>(code.d), active, [a, b](int i) { return F(a[i], b[i]); });
}
template <auto F, class D, class A, class B, class C>
void run3(Warp& warp, const Code& code, Mask active) {
  const A* a = warp.in<A>(code.a);
  const B* b = warp.in<B>(code.b);
  const C* c = warp.in<C>(code.c);
  store_lanes(warp.out<D>(code.d), active, [a, b, c](int i) { return F(a[i], b[i], c[i]); });
}
template <auto F, class D, class A, class B, class C, class E>
void run4(Warp& warp, const Code& code, Mask active) {
  const A* a = warp.in<A>(code.a);
  const B* b = warp.in<B>(code.b);
  const C* c = warp.in<C>(code.c);
  const E* e = warp.in<E>(place_of_bits(code.imm));
  store_lanes(warp.out<D>(code.d), active, [a, b, c, e](int i) { return F(a[i], b[i], c[i], e[i]); });
}
// Functions that look at the instruction itself: rare forms, one instantiation for all their modifiers.
template <auto F, class D, class A>
void run_with1(Warp& warp, const Code& code, Mask active) {
  const A* a = warp.in<A>(code.a);
  const ptx::Instr& instr = *code.instr;
  store_lanes(warp.out<D>(code.d), active, [a, &instr](int i) { return F(instr, a[i]); });
}
template <auto F, class D, class A, class B>
void run_with2(Warp& warp, const Code& code, Mask active) {
  const A* a = warp.in<A>(code.a);
  const B* b = warp.in<B>(code.b);
  const ptx::Instr& instr = *code.instr;
  store_lanes(warp.out<D>(code.d), active, [a, b, &instr](int i) { return F(instr, a[i], b[i]); });
}
template <auto F, class D, class A, class B, class C>
void run_with3(Warp& warp, const Code& code, Mask active) {
  const A* a = warp.in<A>(code.a);
  const B* b = warp.in<B>(code.b);
  const C* c = warp.in<C>(code.c);
  const ptx::Instr& instr = *code.instr;
  store_lanes(warp.out<D>(code.d), active, [a, b, c, &instr](int i) { return F(instr, a[i], b[i], c[i]); });
}

template <auto F, class D, class A>
constexpr Handler handler_of(D (*)(A)) {
  return &run1<F, D, A>;
}
template <auto F, class D, class A, class B>
constexpr Handler handler_of(D (*)(A, B)) {
  return &run2<F, D, A, B>;
}
template <auto F, class D, class A, class B, class C>
constexpr Handler handler_of(D (*)(A, B, C)) {
  return &run3<F, D, A, B, C>;
}
template <auto F, class D, class A, class B, class C, class E>
constexpr Handler handler_of(D (*)(A, B, C, E)) {
  return &run4<F, D, A, B, C, E>;
}
template <auto F, class D, class A>
constexpr Handler handler_of(D (*)(const ptx::Instr&, A)) {
  return &run_with1<F, D, A>;
}
template <auto F, class D, class A, class B>
constexpr Handler handler_of(D (*)(const ptx::Instr&, A, B)) {
  return &run_with2<F, D, A, B>;
}
template <auto F, class D, class A, class B, class C>
constexpr Handler handler_of(D (*)(const ptx::Instr&, A, B, C)) {
  return &run_with3<F, D, A, B, C>;
}

template <auto F>
inline constexpr Handler lanes = handler_of<F>(F);

}  // namespace heddle::exec::alu
