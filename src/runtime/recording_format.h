// The file of a recording: what a program gave to its device, in order.
//
// An eight-byte mark, then operations: a byte that names it, then its fields. Numbers are little-endian and
// as wide as written below; text and bytes are {u64 length, u64 packed length (0: not packed), data}, packed
// with zstd.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::runtime {

inline constexpr std::string_view kRecordingMark = "HEDDLE1\n";

enum class Operation : std::uint8_t {
  Load = 1,       // text, name
  Allocate,       // u64 address, u64 bytes, label
  Release,        // u64 address
  Write,          // u64 address, bytes
  Fill,           // u64 address, u64 value, u64 bytes
  Copy,           // u64 to, u64 from, u64 bytes
  Launch,         // kernel, u64 module, u64 grid x, y, z, block x, y, z, dynamic shared, registers; arguments
  CreateTexture,  // older recordings: u64 handle, twelve fields of an exec::Texture (recording.cc)
  DestroyTexture,  // u64 handle; surfaces, too
  CreateObject,    // u64 handle, u64 n, n times u64: the fields of an exec::Texture (texture_words.cc)
};

}  // namespace heddle::runtime
