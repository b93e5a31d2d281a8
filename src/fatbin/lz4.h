// Raw LZ4 blocks, without a frame: what nvcc writes with -compress-mode=speed, and always wrote before
// CUDA 12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace heddle::fatbin {

// The block must give exactly `unpacked_bytes`; Error otherwise.
std::string unpack_lz4(std::span<const std::byte> block, std::uint64_t unpacked_bytes);

}  // namespace heddle::fatbin
