// What a recording holds: what a program gave to its device, in order.
//
// Operations one after another (recording_frames.h has their place in the file): a byte that names it, then
// its fields. Numbers are little-endian and as wide as written below; text and bytes are {u64 length, u64
// packed length (0: not packed), data}, packed with zstd.
#pragma once

#include <cstdint>

namespace heddle::runtime {

enum class Operation : std::uint8_t {
  Load = 1,      // text, name
  Allocate = 2,  // u64 address, u64 bytes, label
  Release = 3,   // u64 address
  Write = 4,     // u64 address, bytes
  Fill = 5,      // u64 address, u64 value, u64 bytes
  Copy = 6,      // u64 to, u64 from, u64 bytes
  Launch = 7,    // kernel, u64 module, u64 grid x, y, z, block x, y, z, dynamic shared, registers; arguments
  CreateObject = 8,    // u64 handle, u64 n, n times u64: the fields of an exec::Texture (texture_encoding.h)
  DestroyTexture = 9,  // u64 handle; surfaces, too
  // Where launches are left out:
  Pass = 10,  // kernel, u64 warp instructions: one of those
  Ran = 11,   // u64 warp instructions, of the launch before
};

}  // namespace heddle::runtime
