#include "study/batch/runner.h"

namespace heddle::study {

bool LocalRunner::run(std::span<const Point> points, const Listener& listener) {
  return run_points(
      points, find_, options_,
      [&](const Finished& f) {
        listener.done({&f, 1});
      },
      [&](std::span<const std::size_t> running) {
        listener.tick({{running.begin(), running.end()}, {}});
      });
}

}  // namespace heddle::study
