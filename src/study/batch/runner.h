// Where the points of a batch are simulated: in processes of this machine (pool.h), or on others
// (study/slurm).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "study/batch/pool.h"

namespace heddle::study {

// What is under way.
struct Activity {
  std::vector<std::size_t> points;
  std::vector<std::string> places;  // "node1: 2 tasks", in place of the points' names; empty: those
};

class PointRunner {
 public:
  virtual ~PointRunner() = default;

  struct Listener {
    std::function<void(std::span<const Finished>)> done;  // each point once; they are kept together
    std::function<void(const Activity&)> tick;            // every half second or so
    std::function<void(const std::string&)> warn;
  };
  // Simulates points, which differ, until all have ended. False: interrupted. Throws Error.
  virtual bool run(std::span<const Point> points, const Listener& listener) = 0;
  // Points that are simulated side by side, for the time left; 0: not known yet.
  virtual std::size_t at_once() const = 0;
};

// In processes of this machine.
class LocalRunner final : public PointRunner {
 public:
  LocalRunner(FindWorkload find, const PoolOptions& options) : find_(std::move(find)), options_(options) {}
  bool run(std::span<const Point> points, const Listener& listener) override;
  std::size_t at_once() const override { return processes(options_); }

 private:
  FindWorkload find_;
  PoolOptions options_;
};

}  // namespace heddle::study
