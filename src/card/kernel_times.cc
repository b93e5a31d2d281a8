#include "card/kernel_times.h"

#include <algorithm>

namespace heddle::card {

double LaunchTimes::median() const {
  std::vector<double> sorted = microseconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  if (n == 0) return 0;
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}
double LaunchTimes::least() const {
  return microseconds.empty() ? 0 : *std::min_element(microseconds.begin(), microseconds.end());
}
double LaunchTimes::most() const {
  return microseconds.empty() ? 0 : *std::max_element(microseconds.begin(), microseconds.end());
}

TimeSpan KernelTimes::span() const {
  TimeSpan all;
  for (const LaunchTimes& t : timed) {
    all.median += t.median();
    all.least += t.least();
    all.most += t.most();
  }
  return all;
}

}  // namespace heddle::card
