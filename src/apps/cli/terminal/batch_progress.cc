#include "apps/cli/terminal/batch_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace heddle::cli {

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, std::round(seconds)));
  if (whole < 90) return fmt::format("{} s", whole);
  const std::uint64_t minutes = (whole + 30) / 60;
  if (minutes < 90) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string batch_line(std::size_t done, std::size_t points, double left_seconds,
                       std::span<const std::string> running) {
  constexpr std::size_t kWidth = 20;
  const std::size_t filled = points == 0 ? kWidth : done * kWidth / points;
  std::string text = fmt::format("[{}{}] {} of {}", std::string(filled, '#'),
                                 std::string(kWidth - filled, '.'), done, points);
  if (left_seconds >= 0 && done < points) text += fmt::format(", about {} left", duration(left_seconds));
  if (!running.empty()) text += ": " + visible(join(running, ", "));
  return text;
}

std::string interrupted_text(const study::Batch& batch, bool elsewhere) {
  if (batch.store_gone)
    return "heddle: interrupted; nothing is kept, because the store was removed or replaced\n";
  if (elsewhere)
    return fmt::format(
        "heddle: interrupted; {} collected and kept. The jobs go on: the same command picks them up again, "
        "with --cancel it ends them.\n",
        counted(batch.simulated, "point"));
  return fmt::format("heddle: interrupted; {} simulated and kept. The same command goes on from there.\n",
                     counted(batch.simulated, "point"));
}

void BatchLines::start(std::size_t points, std::size_t from_store) {
  points_ = points;
  done_ = from_store;
  if (points == from_store) return;
  std::fprintf(out_, "%s\n",
               fmt::format("{}, {} of them in the store", counted(points, "point"), from_store).c_str());
  std::fflush(out_);
}

void BatchLines::tick(std::size_t done, std::size_t points, double left_seconds,
                      std::span<const std::string> running) {
  done_ = done;
  if (!in_place_) return;
  std::fprintf(out_, "\r\033[K%s", batch_line(done, points, left_seconds, running).substr(0, 110).c_str());
  std::fflush(out_);
  shown_ = true;
}

void BatchLines::finished(const study::Job& job, const std::string& error) {
  ++done_;
  if (in_place_ && error.empty()) return;
  clear();
  const std::string what =
      visible(fmt::format("{} {}{}{}", job.point.workload, job.label.design,
                          job.label.perturbation.empty() ? "" : ", ", job.label.perturbation));
  if (error.empty())
    std::fprintf(out_, "%s\n", fmt::format("{} of {}: {}", done_, points_, what).c_str());
  else
    std::fprintf(out_, "%s\n", fmt::format("heddle: {}: {}", what, visible(error, true)).c_str());
  std::fflush(out_);
}

void BatchLines::warn(const std::string& what) {
  clear();
  std::fprintf(out_, "heddle: %s\n", visible(what).c_str());
  std::fflush(out_);
}

void BatchLines::end() {
  clear();
}

void BatchLines::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
  shown_ = false;
}

}  // namespace heddle::cli
