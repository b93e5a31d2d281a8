#include "mem/store_log.h"

#include <algorithm>
#include <cstring>

namespace heddle::mem {

void StoreLog::append(Address at, const void* data, std::uint32_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  while (bytes != 0) {
    const auto n = std::min(bytes, static_cast<std::uint32_t>(kLine - at % kLine));
    append_in_line(at, from, n);
    at += n;
    from += n;
    bytes -= n;
  }
}

void StoreLog::append_in_line(Address at, const std::byte* data, std::uint32_t bytes) {
  const auto b = static_cast<std::uint32_t>(bucket(at / kLine));
  const auto offset = static_cast<std::uint32_t>(data_.size());
  entries_.push_back({at, bytes, offset, heads_[b], b});
  heads_[b] = static_cast<std::uint32_t>(entries_.size() - 1);
  data_.insert(data_.end(), data, data + bytes);
}

void StoreLog::overlay(Address at, void* data, std::uint32_t bytes) const {
  auto* to = static_cast<std::byte*>(data);
  while (bytes != 0) {
    const auto n = std::min(bytes, static_cast<std::uint32_t>(kLine - at % kLine));
    overlay_line(at, to, n);
    at += n;
    to += n;
    bytes -= n;
  }
}

// From the newest entry back, each byte taken once: a byte written many times costs no more.
void StoreLog::overlay_line(Address at, std::byte* data, std::uint32_t bytes) const {
  using Bytes = unsigned __int128;  // one bit per byte of the line
  const auto bits = [](std::uint64_t first, std::uint64_t n) {
    return (n == kLine ? ~Bytes{0} : (Bytes{1} << n) - 1) << first;
  };
  Bytes missing = bits(at % kLine, bytes);
  for (std::uint32_t i = heads_[bucket(at / kLine)]; i != kNone && missing != 0; i = entries_[i].before) {
    const Entry& e = entries_[i];
    if (e.at / kLine != at / kLine) continue;
    const Bytes found = bits(e.at % kLine, e.bytes) & missing;
    if (found == 0) continue;
    missing &= ~found;
    const std::byte* const from = data_.data() + e.offset;
    const Address first = std::max(at, e.at), last = std::min(at + bytes, e.at + e.bytes);
    if (found == bits(first % kLine, last - first)) {
      std::memcpy(data + (first - at), from + (first - e.at), last - first);
      continue;
    }
    for (Address a = first; a < last; ++a)
      if ((found >> (a % kLine) & 1) != 0) data[a - at] = from[a - e.at];
  }
}

void StoreLog::commit(DeviceMemory& memory) {
  for (const Entry& e : entries_) {
    const std::byte* const from = data_.data() + e.offset;
    std::byte* const to = memory.host(e.at);
    switch (e.bytes) {
      case 4:
        std::memcpy(to, from, 4);
        break;
      case kLine:
        std::memcpy(to, from, kLine);
        break;
      default:
        std::memcpy(to, from, e.bytes);
    }
    heads_[e.bucket] = kNone;
  }
  entries_.clear();
  data_.clear();
}

}  // namespace heddle::mem
