#include "runtime/device/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/error.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kFilePage = 4096;

std::uint64_t page_of(std::uint64_t offset) {
  return offset / kFilePage * kFilePage;
}

// Pages that hold only zeros need no room in the file.
bool copy_page(int file, std::uint64_t offset) {
  static constexpr std::array<char, kFilePage> kZeros{};
  const void* const from = reinterpret_cast<const void*>(mem::kDeviceBase + offset);
  if (std::memcmp(from, kZeros.data(), kFilePage) == 0) return true;
  return pwrite(file, from, kFilePage, static_cast<off_t>(offset)) == static_cast<ssize_t>(kFilePage);
}

bool move_into(int file, const mem::DeviceMemory& memory) {
  const std::uint64_t capacity = memory.capacity();
  if (ftruncate(file, static_cast<off_t>(capacity)) != 0) return false;
  // The last page of an allocation may be the first of the next: it is copied twice, with the same content.
  for (const auto& [begin, a] : memory.allocations()) {
    if (a.begin < mem::kDeviceBase || a.begin - mem::kDeviceBase >= capacity) continue;  // adopted
    for (std::uint64_t at = page_of(a.begin - mem::kDeviceBase); at < a.end - mem::kDeviceBase;
         at += kFilePage)
      if (!copy_page(file, at)) return false;
  }
  constexpr int kFlags = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
  return mmap(reinterpret_cast<void*>(mem::kDeviceBase), capacity, PROT_READ | PROT_WRITE, kFlags, file, 0) !=
         MAP_FAILED;
}

}  // namespace

MappedPart map_part(int file, std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t offset = begin - mem::kDeviceBase, first = page_of(offset);
  MappedPart part;
  part.page_bytes = page_of(offset + bytes - first + kFilePage - 1);
  void* const pages =
      mmap(nullptr, part.page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(first));
  if (pages == MAP_FAILED) return {};
  part.pages = pages;
  part.begin = static_cast<char*>(pages) + (offset - first);
  return part;
}

void unmap(const MappedPart& part) {
  munmap(part.pages, part.page_bytes);
}

MemoryFile::MemoryFile(const mem::DeviceMemory& memory)
    : file_(memfd_create("heddle device memory", MFD_CLOEXEC)) {
  if (file_ >= 0 && move_into(file_, memory)) return;
  if (file_ >= 0) close(file_);
  throw Error("the device's memory cannot be shared with other processes",
              "Is there room for a second copy of it while it is moved?");
}

MemoryFile::~MemoryFile() {
  close(file_);
}

void MemoryFile::clear(const mem::Allocation& a) {
  std::memset(reinterpret_cast<void*>(a.begin), 0, a.end - a.begin);
}

}  // namespace heddle::runtime
