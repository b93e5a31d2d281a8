#include "mem/merge_window.h"

#include <algorithm>
#include <numeric>

namespace heddle::mem {

double left_with_window(const WindowCounts& counts, std::uint32_t w) {
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const std::uint64_t saved = std::accumulate(counts.begin() + 1, counts.begin() + 1 + w, std::uint64_t{0});
  return all == 0 ? 1 : 1 - static_cast<double>(saved) / static_cast<double>(all);
}

void MergeWindow::request(std::uint64_t line, Op op, WindowCounts& counts) {
  std::uint32_t back = 0;
  const auto reach = static_cast<std::uint32_t>(std::min<std::uint64_t>(begun_, kMostWindow));
  for (std::uint32_t i = 1; i <= reach && back == 0; ++i)
    if (last_[(begun_ - i) % kMostWindow].line == line) back = i;
  const bool saved = back != 0 && op != Op::Atomic && last_[(begun_ - back) % kMostWindow].op == op;
  ++counts[saved ? back : 0];
  last_[begun_++ % kMostWindow] = {line, op};
}

}  // namespace heddle::mem
