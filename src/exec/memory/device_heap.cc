#include "exec/memory/device_heap.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kArenaBytes = std::uint64_t{32} << 20;  // address space; untouched pages cost nothing
constexpr std::uint64_t kBlockAlign = 16;

[[noreturn]] void not_a_block(mem::Address a) {
  throw Error(
      fmt::format("free({:#x}): this is no block that malloc gave to a kernel, or it is free already", a));
}

}  // namespace

HeapArena::HeapArena(const DeviceHeap& heap, mem::Address begin, std::uint64_t bytes)
    : heap_(heap), begin_(begin), bytes_(bytes) {
  free_.insert(begin, bytes);
}

mem::Address HeapArena::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > bytes_) return 0;
  const std::uint64_t size = (bytes + kBlockAlign - 1) / kBlockAlign * kBlockAlign;
  const auto [at, room] = free_.first(size);
  if (room == 0) return 0;
  free_.erase(at);
  if (room != size) free_.insert(at + size, room - size);
  used_[at] = size;
  return at;
}

void HeapArena::release(mem::Address block) {
  if (contains(block))
    give_back(block);
  else if (heap_.contains(block))
    foreign_.push_back(block);
  else
    not_a_block(block);
}

void HeapArena::give_back(mem::Address block) {
  const auto it = used_.find(block);
  if (it == used_.end()) not_a_block(block);
  std::uint64_t size = it->second;
  used_.erase(it);
  size += free_.erase(block + size);
  mem::Address begin = block;
  if (const auto before = free_.before(block); before.bytes != 0 && before.begin + before.bytes == block) {
    size += free_.erase(before.begin);
    begin = before.begin;
  }
  free_.insert(begin, size);
}

void DeviceHeap::prepare(std::uint32_t sms) {
  for (const auto& from : arenas_) {
    const std::vector<mem::Address> blocks = std::move(from->foreign_);
    from->foreign_.clear();
    for (const mem::Address block : blocks)
      for (const auto& to : arenas_)
        if (to->contains(block)) to->give_back(block);
  }
  while (arenas_.size() < sms)
    arenas_.push_back(
        std::make_unique<HeapArena>(*this, memory_.allocate(kArenaBytes, "device heap"), kArenaBytes));
}

bool DeviceHeap::contains(mem::Address a) const {
  return std::any_of(arenas_.begin(), arenas_.end(), [&](const auto& x) { return x->contains(a); });
}

}  // namespace heddle::exec
