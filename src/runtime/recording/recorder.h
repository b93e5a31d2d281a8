// Writes down what a program gives to its device, so that the same launches can be simulated again, on other
// machines, without the program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "exec/texture/texture.h"
#include "mem/device_memory.h"
#include "runtime/recording/recording_format.h"
#include "runtime/recording/recording_frames.h"
#include "workload/launch.h"

namespace heddle::runtime {

// Which launches a recording holds. With Chosen, what lies between two of them (copies, fills, other
// launches) is there as what it changed in memory.
enum class RecordedLaunches : std::uint8_t { All, Chosen };

class Recorder {
 public:
  // Throws LostFile when the file cannot be written, as all that follow: then there is none.
  explicit Recorder(const std::string& file, RecordedLaunches what = RecordedLaunches::All);

  void load(std::string_view ptx, std::string_view name);
  // `host_writes`: the program may write it without telling the device.
  void allocate(mem::Address a, std::uint64_t bytes, std::string_view label, bool host_writes);
  void share(mem::Address a, std::uint64_t bytes);
  void release(mem::Address a);
  void write(mem::Address to, const void* from, std::uint64_t bytes);
  void fill(mem::Address to, std::uint8_t value, std::uint64_t bytes);
  void copy(mem::Address to, mem::Address from, std::uint64_t bytes);
  void create_texture(const exec::Texture& texture, std::uint64_t handle);
  void destroy_texture(std::uint64_t handle);
  // Before a launch: writes what the host has changed since the last one, too.
  void launch(const workload::Launch& launch, const mem::DeviceMemory& memory);
  // After it.
  void launched(const mem::DeviceMemory& memory, std::uint64_t warp_instructions);
  // Instead of both, after a launch that is left out.
  void pass(const workload::Launch& launch, std::uint64_t warp_instructions);
  // cudaDeviceReset: a recording has one device. Whatever else the program gives to it is refused.
  void device_reset() { ended_ = used_; }
  // The program uses something that cannot be repeated: throws Error, and leaves no file. So does whatever is
  // to be recorded after that.
  [[noreturn]] void refuse(std::string_view what);

 private:
  void require_open();
  void put(Operation operation);
  void put(std::uint64_t value);
  void put(std::string_view text);
  void put_bytes(const void* data, std::size_t bytes);
  void put_write(mem::Address to, const void* from, std::uint64_t bytes);
  void write_changed(const mem::DeviceMemory& memory);

  // What the recording's device knows of memory that may change without telling it, by page.
  struct Watched {
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> pages;  // hashes
  };
  FrameWriter file_;
  const RecordedLaunches what_;
  bool used_ = false, ended_ = false, refused_ = false;
  std::map<mem::Address, Watched> watched_;
};

}  // namespace heddle::runtime
