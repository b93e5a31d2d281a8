#include "analysis/line_reuse.h"

#include <bit>

namespace heddle::analysis {

void LineReuse::touch(std::uint64_t line, std::uint32_t words, std::uint64_t cta, std::uint32_t warp) {
  Line& l = lines_[line];
  if (l.launch != launch_)
    ++touches_.first;
  else if (l.cta != cta)
    ++touches_.other_cta;
  else
    ++(l.warp == warp ? touches_.same_warp : touches_.same_cta);
  words_ += static_cast<std::uint64_t>(std::popcount(words & ~l.words));
  l = {cta, warp, launch_, l.words | words};
}

}  // namespace heddle::analysis
