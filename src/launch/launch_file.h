// A launch file: what `heddle run my.ptx --launch launch.toml` needs to know besides the kernel.
//
//   [buffer.x]                         # device memory and its first contents
//   type = "f32"
//   count = 1024
//   pattern = "iota"
//
//   [[launch]]                         # one or more, run in this order
//   kernel = "saxpy"
//   grid = 4
//   block = 256
//   args = [1024, { f32 = 2.0 }, "x", "y"]
//
//   [output.y]                         # what to do with the results
//   compare = "expected.bin"
//
// docs/launch-files.md describes every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "launch/launch_data.h"
#include "workload/device.h"

namespace heddle::launch {

struct BufferSpec {
  std::string name;
  Element type = Element::F32;
  std::vector<std::uint64_t> shape;  // row-major; the last dimension is contiguous
  std::uint64_t count = 0;
  Fill fill;
  std::string symbol;             // a variable of the module instead of an allocation
  SourcePlace place, fill_place;  // of the table; of the key that decides the contents
  std::uint64_t bytes() const { return count * size_of(type); }
};

struct TextureSpec {
  std::string name;
  std::string buffer;
  std::uint32_t width = 0, height = 1;  // texels
  std::uint32_t channels = 1;
  bool linear = false;
  std::string address_u = "clamp", address_v = "clamp";  // wrap, clamp, mirror, border
  bool normalized_coordinates = false, normalized_values = false;
  SourcePlace place;
};

struct ArgName {  // of a buffer or texture
  std::string name;
  std::uint64_t offset = 0;  // elements
};
struct ArgScalar {
  Number value;
  std::optional<Element> type;  // none: taken from the kernel's parameter
};

// One kernel argument, or one member of a struct that is passed by value.
struct ArgSpec {
  using Name = ArgName;
  using Scalar = ArgScalar;
  std::variant<Name, Scalar, std::vector<std::byte>, std::vector<ArgSpec>> value;
  SourcePlace place;
};

struct LaunchStep {
  std::string kernel;
  workload::Dim3 grid, block;
  std::uint32_t dynamic_shared = 0;
  std::uint64_t repeat = 1;
  std::vector<ArgSpec> args;
  std::optional<std::uint32_t> registers;                  // per thread, instead of the estimate
  std::vector<std::pair<std::string, std::string>> swaps;  // names exchanged after every repetition
  SourcePlace place, kernel_place, block_place, args_place, registers_place;
};

struct OutputSpec {
  enum class Against : std::uint8_t { Nothing, File, Constant, Buffer };
  std::string buffer;
  Against against = Against::Nothing;
  std::string file;  // File; relative to the launch file
  Number constant = std::int64_t{0};
  std::string other;                // Buffer
  std::optional<double> tolerance;  // none: exact
  std::string dump;                 // "", "-", or a path ending in .bin or .csv
  std::size_t first = 16;           // values that "-" prints
  SourcePlace place, compare_place, dump_place;
};

struct LaunchFile {
  std::filesystem::path folder;  // that relative paths count from
  std::string file;
  std::vector<BufferSpec> buffers;
  std::vector<TextureSpec> textures;
  std::vector<LaunchStep> launches;
  std::vector<OutputSpec> outputs;

  const BufferSpec* find_buffer(std::string_view name) const;
  const TextureSpec* find_texture(std::string_view name) const;
};

// Both throw Error with file, line and column.
LaunchFile load_launch_file(const std::filesystem::path& path);
LaunchFile parse_launch_file(std::string text, std::string file);

}  // namespace heddle::launch
