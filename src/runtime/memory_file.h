// The device's memory in a file that other processes can map, too (IPC).
#pragma once

#include "mem/device_memory.h"

namespace heddle::runtime {

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
