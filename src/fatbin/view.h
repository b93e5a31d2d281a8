// Bytes of a user's file, read with bounds checked.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace heddle::fatbin {

class View {
 public:
  static constexpr std::size_t kLongestName = 64 << 10;

  View() = default;
  // `what` names the thing in errors: "fat binary", "ELF file".
  View(std::span<const std::byte> bytes, std::string_view what) : bytes_(bytes), what_(what) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  // All formats here are little-endian, whatever the host is.
  std::uint8_t u8(std::uint64_t at) const { return static_cast<std::uint8_t>(number(at, 1)); }
  std::uint16_t u16(std::uint64_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t u32(std::uint64_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t u64(std::uint64_t at) const { return number(at, 8); }

  View part(std::uint64_t at, std::uint64_t size) const {
    check(at, size);
    return {bytes_.subspan(at, size), what_};
  }
  // Text up to a NUL, which must be there.
  std::string_view c_string(std::uint64_t at) const {
    check(at, 1);
    const std::string_view rest = text().substr(at, kLongestName);
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos)
      throw Error(fmt::format("damaged {}: a name at byte {} has no end", what_, at));
    return rest.substr(0, end);
  }

 private:
  void check(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at)
      throw Error(fmt::format("damaged {}: expected {} bytes at byte {}, but it has only {}", what_, size, at,
                              bytes_.size()),
                  "the file may have been cut off; build or copy it again");
  }
  std::uint64_t number(std::uint64_t at, unsigned size) const {
    check(at, size);
    std::uint64_t n = 0;
    for (unsigned i = size; i-- > 0;) n = n << 8 | static_cast<std::uint8_t>(bytes_[at + i]);
    return n;
  }

  std::span<const std::byte> bytes_;
  std::string_view what_;
};

}  // namespace heddle::fatbin
