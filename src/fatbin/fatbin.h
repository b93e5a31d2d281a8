// PTX and machine code inside CUDA programs: fat binaries as nvcc and clang embed them.
//
// The layout was found by experiment (docs/fat-binaries.md). Everything read here comes from a user's file: a
// damaged one gives Error, never a crash, and never more memory than its entries say and a limit allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::fatbin {

// Other: intermediate code for link-time optimisation, and what later versions may add; it can be listed
// only.
enum class Kind : std::uint16_t { Other = 0, Ptx = 1, Cubin = 2 };
enum class Packing : std::uint8_t { Stored, Lz4, Zstd };

struct Entry {
  Kind kind = Kind::Ptx;
  std::uint32_t architecture = 0;  // 75 for sm_75 or compute_75
  std::uint32_t ptx_major = 0, ptx_minor = 0;
  Packing packing = Packing::Stored;
  bool debug = false;
  bool specific = false;               // for this architecture alone: sm_90a, compute_100f
  std::string source;                  // name of the source file, when there is one
  std::span<const std::byte> payload;  // packed, inside the container
  std::uint64_t unpacked_bytes = 0;
};

// The entries of one container ("fat binary"), in file order. `container` begins at the magic number; its end
// is found from its header and must lie within the span.
std::vector<Entry> entries(std::span<const std::byte> container);
// Like entries(), for a container in this process's memory, as __cudaRegisterFatBinary is given it: the size
// is the header's.
std::vector<Entry> entries_in_memory(const void* container);

// PTX text without its final NUL, or the bytes of the cubin.
std::string unpack(const Entry& entry);

// PTX for later cards may use what Heddle does not have (clusters, the TMA) where the same program for
// earlier ones does without.
inline constexpr std::uint32_t kUsualArchitecture = 89;
// The PTX to simulate among `all`: not `specific` if there is another, and of those the highest architecture
// not above `architecture`, or else the lowest above; nullptr when there is none.
const Entry* choose_ptx(std::span<const Entry> all, std::uint32_t architecture = kUsualArchitecture);

// Programs that were compiled with -rdc=true may carry CUDA's own code for launches from the device.
bool is_device_runtime(std::string_view ptx);

// Registers per thread by kernel name, from a cubin (an ELF).
std::map<std::string, std::uint32_t> registers(std::span<const std::byte> cubin);

// What a program's file says about itself before it is run.
struct Program {
  enum class Cudart : std::uint8_t { None, Shared, Static };
  Cudart cudart = Cudart::None;
  std::string cudart_name;                      // "libcudart.so.13"
  bool relocatable = false;                     // -rdc=true: PTX in __nv_relfatbin
  std::string machine;                          // "arm64", "x86-64"; empty for a .fatbin
  bool this_machine = true;                     // this computer can run it
  std::vector<std::vector<std::byte>> modules;  // containers, in file order
};
// Reads an executable, a library (shared or static), an object or a .fatbin; Error: none of these, damaged,
// ... A file without device code gives a Program without modules.
Program read_program(const std::filesystem::path& file);
Program parse_program(std::span<const std::byte> file);

// What keeps Heddle from running a program as it was built, and what to do about it. Empty: nothing that its
// file tells.
struct Obstacle {
  std::string what, advice;
};
std::vector<Obstacle> obstacles(const Program& program);

// "arm64": the computer that this was compiled for.
std::string this_machine();

}  // namespace heddle::fatbin
