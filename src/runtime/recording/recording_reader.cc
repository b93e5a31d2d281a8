#include "runtime/recording/recording_reader.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>

#include <zstd.h>

namespace heddle::runtime {
namespace {

constexpr std::size_t kPiece = 1 << 17;

class Unpacker {
 public:
  Unpacker() : stream_(ZSTD_createDCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~Unpacker() { ZSTD_freeDCtx(stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Adds what `packed` holds to `out`, up to `most` bytes of it. False: it cannot be unpacked, or is more.
  bool add(std::string_view packed, std::string& out, std::uint64_t most) {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    for (bool full = true; in.pos < in.size || full;) {
      const std::size_t before = out.size();
      out.resize(before + kPiece);
      ZSTD_outBuffer to{out.data() + before, kPiece, 0};
      const std::size_t left = ZSTD_decompressStream(stream_, &to, &in);
      out.resize(before + to.pos);
      if (ZSTD_isError(left) != 0 || out.size() > most) return false;
      ended_ = left == 0;
      if (ended_) return in.pos == in.size;
      full = to.pos == kPiece;
    }
    return true;
  }
  bool ended() const { return ended_; }

 private:
  ZSTD_DCtx* stream_;
  bool ended_ = false;
};

}  // namespace

Operation RecordingReader::operation() {
  Operation o{};
  in_.take(&o, 1);
  return o;
}

std::uint64_t RecordingReader::number() {
  unsigned char bytes[8];
  in_.take(bytes, 8);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

std::uint32_t RecordingReader::small() {
  const std::uint64_t value = number();
  if (value > 0xffff'ffffu) damaged("a number cannot be right");
  return static_cast<std::uint32_t>(value);
}

std::string RecordingReader::text() {
  const std::uint64_t length = number(), packed = number();
  if (length > kLargestField || packed > kLargestField) damaged("a length cannot be right");
  std::string out, piece;
  std::optional<Unpacker> unpacker;
  if (packed != 0) unpacker.emplace();
  for (std::uint64_t left = packed != 0 ? packed : length; left != 0; left -= piece.size()) {
    piece.resize(std::min<std::uint64_t>(left, kPiece));
    in_.take(piece.data(), piece.size());
    if (!unpacker)
      out += piece;
    else if (unpacker->ended() || !unpacker->add(piece, out, length))
      damaged("packed data cannot be unpacked");
  }
  if (unpacker && (!unpacker->ended() || out.size() != length)) damaged("packed data cannot be unpacked");
  return out;
}

std::uint64_t RecordingReader::texture_fields() {
  constexpr std::uint64_t kMostFields = 64;
  const std::uint64_t n = number();
  if (n > kMostFields) damaged("a texture has too many fields");
  return n;
}

void RecordingReader::skip_numbers(std::uint64_t n) {
  for (; n != 0; --n) number();
}

void RecordingReader::skip_text() {
  const std::uint64_t length = number(), packed = number();
  if (length > kLargestField || packed > kLargestField) damaged("a length cannot be right");
  std::string piece;
  for (std::uint64_t left = packed != 0 ? packed : length; left != 0; left -= piece.size()) {
    piece.resize(std::min<std::uint64_t>(left, kPiece));
    in_.take(piece.data(), piece.size());
  }
}

void RecordingReader::skip_launch() {
  skip_numbers(9);
  skip_text();
}

void RecordingReader::skip(Operation operation) {
  switch (operation) {
    case Operation::Load:
      skip_text();
      skip_text();
      return;
    case Operation::Allocate:
      skip_numbers(2);
      skip_text();
      return;
    case Operation::Release:
    case Operation::DestroyTexture:
    case Operation::Ran:
      skip_numbers(1);
      return;
    case Operation::Write:
      skip_numbers(1);
      skip_text();
      return;
    case Operation::Fill:
    case Operation::Copy:
      skip_numbers(3);
      return;
    case Operation::Launch:
      skip_text();
      skip_launch();
      return;
    case Operation::CreateObject:
      skip_numbers(1);
      skip_numbers(texture_fields());
      return;
    case Operation::Pass:
      skip_text();
      skip_numbers(1);
      return;
  }
  damaged("an operation is unknown");
}

}  // namespace heddle::runtime
