// How a container begins: shared by the reader of containers and those who look for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::fatbin {

inline constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
inline constexpr std::uint64_t kContainerHeader = 16;

// Size of the container that begins here, from its header; Error when it is none. It may be larger than the
// span.
std::uint64_t container_bytes(std::span<const std::byte> container);

}  // namespace heddle::fatbin
