// How the bytes of a recording lie in its file: in frames with checksums, and an end without which it is not
// complete. recording_format.h says what the bytes mean.
//
// A mark of eight bytes, then frames: {u64 length, u64 checksum, bytes}. A checksum covers all bytes from the
// beginning. The end is a frame of length 0.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"

namespace heddle::runtime {

inline constexpr std::string_view kRecordingMark = "HEDDLE2\n";
inline constexpr std::uint64_t kMostFrameBytes = 1 << 20;

class FrameEncoder {
 public:
  // 1 to kMostFrameBytes bytes.
  std::string frame(std::string_view bytes);
  std::string end() const;

 private:
  Hasher sum_;
};

// A file could not be written; it is gone.
class LostFile : public Error {
  using Error::Error;
};

class FrameWriter {
 public:
  // Throw LostFile, as all that write.
  explicit FrameWriter(const std::string& file);
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  void add(const void* data, std::size_t bytes);
  // From now on the file is a complete recording of what was added so far, until more is added.
  void complete();
  // What was written is of no use to anybody.
  void discard();

 private:
  void write(const std::string& bytes);
  std::string name_;
  int file_ = -1;
  std::uint64_t at_ = 0;  // where the next frame goes
  std::string open_;      // its bytes
  FrameEncoder encoder_;
};

class FrameReader {
 public:
  // Throw Error, as all that read, when the file is damaged. `name` is for messages; `in` must outlive it.
  FrameReader(std::istream& in, std::string name);

  bool more();
  void take(void* to, std::size_t bytes);
  // Reads to the end: all of it is as it was written.
  void check_rest();
  [[noreturn]] void damaged(const std::string& why) const;

 private:
  void next();
  std::istream& in_;
  std::string name_;
  std::string frame_;
  std::size_t at_ = 0;  // in frame_
  bool ended_ = false;
  FrameEncoder encoder_;
};

}  // namespace heddle::runtime
