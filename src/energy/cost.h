// What a piece of hardware takes: area, and power that it takes for being there.
#pragma once

namespace heddle::energy {

struct Cost {
  double area_um2 = 0;
  double static_nw = 0;

  Cost& operator+=(const Cost& b) {
    area_um2 += b.area_um2;
    static_nw += b.static_nw;
    return *this;
  }
  friend Cost operator+(Cost a, const Cost& b) { return a += b; }
  friend Cost operator*(double n, const Cost& c) { return {n * c.area_um2, n * c.static_nw}; }
};

// Of the wires of random data, in a cycle: those that go from 0 to 1, which charge the wire.
inline constexpr double kRising = 0.25;

}  // namespace heddle::energy
