#include "apps/cli/terminal/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/numbers.h"
#include "base/text.h"

namespace heddle::cli {

std::string progress_text(const gpu::Progress& p, double rate) {
  std::string text = fmt::format("{} (launch {}): {} cycles, {} warp instructions, {}, {} of {} CTAs",
                                 visible(base_name(std::string(p.kernel))), p.launch + 1, grouped(p.cycles),
                                 millions(p.instructions), per_second(rate, "cycles"), grouped(p.ctas_ended),
                                 grouped(p.ctas));
  // CTAs that have ended say how many cycles the rest will take; early on they say nothing.
  if (p.ctas_ended * 50 >= p.ctas && p.ctas_ended < p.ctas && rate > 0) {
    const double all =
        static_cast<double>(p.cycles) * static_cast<double>(p.ctas) / static_cast<double>(p.ctas_ended);
    text += fmt::format(", about {:.0f} s left", (all - static_cast<double>(p.cycles)) / rate);
  }
  return text;
}

double ProgressLine::since(Clock::time_point t) const {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

void ProgressLine::show(const gpu::Progress& p) {
  constexpr double kPause = 0.2;  // seconds
  if (last_ != Clock::time_point{} && since(last_) < kPause) return;
  last_ = Clock::now();
  const std::string text = progress_text(p, static_cast<double>(p.now) / std::max(since(began_), 1e-9));
  if (in_place_)
    std::fprintf(out_, "\r\033[K%s", text.substr(0, 120).c_str());
  else
    std::fprintf(out_, "%s\n", text.c_str());
  std::fflush(out_);
  shown_ = in_place_;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
  shown_ = false;
}

}  // namespace heddle::cli
