// Who touched the same line before: the same warp, another warp of the CTA, another CTA, or nobody in this
// launch. Every touch is looked at; nothing is sampled or forgotten within a launch.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace heddle::analysis {

struct Touches {
  std::uint64_t first = 0, same_warp = 0, same_cta = 0, other_cta = 0;
  std::uint64_t all() const { return first + same_warp + same_cta + other_cta; }
};

class LineReuse {
 public:
  // A launch begins: nobody has touched anything. What was touched before stays in the footprint.
  void launch() { ++launch_; }
  // A request of one instruction for a line, in the order of time. `words`: the 4-byte words of it that lanes
  // touch, bit per word; for lines of 256 bytes one bit for two.
  void touch(std::uint64_t line, std::uint32_t words, std::uint64_t cta, std::uint32_t warp);

  const Touches& touches() const { return touches_; }
  std::uint64_t words() const { return words_; }         // distinct ones, of all launches
  std::uint64_t lines() const { return lines_.size(); }  // likewise

 private:
  struct Line {
    std::uint64_t cta = 0;
    std::uint32_t warp = 0, launch = 0;  // of the last touch
    std::uint32_t words = 0;
  };
  std::uint32_t launch_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;
  Touches touches_;
  std::uint64_t words_ = 0;
};

}  // namespace heddle::analysis
