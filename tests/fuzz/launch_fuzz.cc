// Any text as a launch file: an Error that has a place or a LaunchFile within its limits; never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "launch/launch_file.h"

namespace {

using namespace heddle;

// What running relies on without checking.
void check(const launch::LaunchFile& f) {
  if (f.launches.empty()) std::abort();
  for (const launch::BufferSpec& b : f.buffers)
    if (b.count == 0 || f.find_buffer(b.name) == nullptr) std::abort();
  for (const launch::TextureSpec& t : f.textures)
    if (f.find_buffer(t.buffer) == nullptr) std::abort();
  for (const launch::OutputSpec& o : f.outputs)
    if (f.find_buffer(o.buffer) == nullptr) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(launch::parse_launch_file(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml"));
  } catch (const Error& e) {
    if (e.place().file != "fuzz.toml") std::abort();
  }
  return 0;
}
