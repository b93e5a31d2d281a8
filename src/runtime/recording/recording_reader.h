// The fields of a recording's operations (recording_format.h). Lengths are only believed as far as there are
// data.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "runtime/recording/recording_format.h"
#include "runtime/recording/recording_frames.h"

namespace heddle::runtime {

inline constexpr std::uint64_t kLargestField = std::uint64_t{16} << 30;

class RecordingReader {
 public:
  // Throw Error, as all that read, when it is damaged. `name` is for messages; `in` must outlive it.
  RecordingReader(std::istream& in, const std::string& name) : in_(in, name) {}

  bool more() { return in_.more(); }
  Operation operation();
  // Behind an operation: its fields, whatever they hold.
  void skip(Operation operation);
  void skip_launch();  // behind the kernel's name

  std::uint64_t number();
  std::uint32_t small();  // a number of 32 bits
  std::string text();
  std::uint64_t texture_fields();  // how many follow

  [[noreturn]] void damaged(const std::string& why) const { in_.damaged(why); }

 private:
  void skip_numbers(std::uint64_t n);
  void skip_text();

  FrameReader in_;
};

}  // namespace heddle::runtime
