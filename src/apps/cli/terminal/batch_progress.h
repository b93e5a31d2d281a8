// How far a batch of points is: one line in place on a terminal, a line per point elsewhere.
#pragma once

#include <cstdio>
#include <string>

#include "study/batch/batch.h"

namespace heddle::cli {

class BatchLines final : public study::BatchProgress {
 public:
  BatchLines(std::FILE* out, bool in_place) : out_(out), in_place_(in_place) {}

  void start(std::size_t points, std::size_t from_store) override;
  void tick(std::size_t done, std::size_t points, double left_seconds,
            std::span<const std::string> running) override;
  void finished(const study::Job& job, const std::string& error) override;
  void warn(const std::string& what) override;
  void end() override;

 private:
  void clear();

  std::FILE* out_;
  bool in_place_;
  bool shown_ = false;
  std::size_t points_ = 0, done_ = 0;
};

// "[####......] 12 of 40, about 2 h 10 min left: hotspot DB, lud D".
std::string batch_line(std::size_t done, std::size_t points, double left_seconds,
                       std::span<const std::string> running);
// A line. `elsewhere`: jobs of a cluster go on.
std::string interrupted_text(const study::Batch& batch, bool elsewhere = false);
std::string duration(double seconds);  // "40 s", "12 min", "2 h 10 min"

}  // namespace heddle::cli
