#include "fatbin/lz4.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::fatbin {
namespace {

// A byte of the block makes at most 255 bytes of output.
constexpr std::uint64_t kLargestRatio = 255;

class Block {
 public:
  explicit Block(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::uint8_t next() {
    if (at_end()) damaged("it ends too early");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  // A length of 15 is continued in further bytes, up to the first that is not 255.
  std::uint64_t length(unsigned nibble) {
    std::uint64_t n = nibble;
    if (nibble != 15) return n;
    for (std::uint8_t more = 255; more == 255;) n += more = next();
    return n;
  }
  void copy_to(std::string& out, std::uint64_t n) {
    if (n > bytes_.size() - at_) damaged("it ends too early");
    out.append(reinterpret_cast<const char*>(bytes_.data()) + at_, n);
    at_ += n;
  }
  [[noreturn]] void damaged(const char* why) const {
    throw Error(fmt::format("damaged LZ4 block in a fat binary: {} (byte {})", why, at_),
                "build the program again, or with -no-compress");
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

// The repeated text may overlap what it is appended to: a run.
void repeat(std::string& out, std::uint64_t distance, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) out.push_back(out[out.size() - distance]);
}

}  // namespace

std::string unpack_lz4(std::span<const std::byte> bytes, std::uint64_t unpacked_bytes) {
  Block block(bytes);
  if (unpacked_bytes / kLargestRatio > bytes.size()) block.damaged("it is too short for what it should hold");
  std::string out;
  out.reserve(unpacked_bytes);
  const auto room = [&](std::uint64_t n) {
    if (n > unpacked_bytes - out.size()) block.damaged("it holds more than its header says");
    return n;
  };
  while (!block.at_end()) {
    const unsigned token = block.next();
    block.copy_to(out, room(block.length(token >> 4)));
    if (block.at_end()) break;  // the last sequence has no repeat
    const unsigned low = block.next();
    const std::uint64_t distance = low | static_cast<unsigned>(block.next()) << 8;
    if (distance == 0 || distance > out.size()) block.damaged("a repeat reaches before the beginning");
    repeat(out, distance, room(block.length(token & 15) + 4));
  }
  if (out.size() != unpacked_bytes) block.damaged("it holds less than its header says");
  return out;
}

}  // namespace heddle::fatbin
