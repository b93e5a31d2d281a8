// The device's memory in a file that other processes can map, too (IPC).
#pragma once

#include "mem/device_memory.h"

namespace heddle::runtime {

// A part of another process's memory that is mapped here.
struct MappedPart {
  void* begin = nullptr;  // nullptr: it could not be mapped
  void* pages = nullptr;  // whole ones
  std::uint64_t page_bytes = 0;
};
// `begin` as it is called there.
MappedPart map_part(int file, std::uint64_t begin, std::uint64_t bytes);
void unmap(const MappedPart& part);

class MemoryFile {
 public:
  // Moves the whole window of `memory`, which lies at its own addresses, into a new file: what is allocated
  // later is shared, too. Throws Error.
  explicit MemoryFile(const mem::DeviceMemory& memory);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return file_; }
  // To be called before `a` is released: pages of a file stay what they are when the host gets them back.
  static void clear(const mem::Allocation& a);

 private:
  int file_ = -1;
};

}  // namespace heddle::runtime
