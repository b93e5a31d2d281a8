// The reference of dxtc: how well a block of DXT1 fits its pixels, and how well one can.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::workloads::dxtc {

using Colour = std::array<double, 3>;  // 0 to 1
using Block = std::array<Colour, 16>;

Block colours_of(const std::uint32_t* pixels);

// Sum of squared distances of the colours to what the two words of a block decode to.
double error_of(const Block& colours, std::uint32_t ends, std::uint32_t codes);

struct Range {
  double low, high;
};
// The least error over all divisions of the colours in their order along the main direction, end colours by
// least squares and rounded. A range where single precision may round, or order, in more than one way.
Range best_error(const Block& colours);

}  // namespace heddle::workloads::dxtc
