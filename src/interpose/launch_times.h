// How long launches take: an event of the driver before each and one behind it, in its stream.
#pragma once

#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "interpose/abi.h"

namespace heddle::interpose {

class LaunchTimes {
 public:
  static LaunchTimes& get();

  struct Stamp {
    CUcontext context = nullptr;
    CUevent start = nullptr, end = nullptr;
    bool good() const { return end != nullptr; }
  };
  // Before a launch, in a stream that is not captured. Without a driver's event there is no time.
  Stamp start(CUstream stream);
  // Behind it. `number`: of the kernel, see Session::add_launch.
  void end(const Stamp& stamp, CUstream stream, std::size_t number);
  void give_up(const Stamp& stamp);  // there was no launch

  // Waits for all that is under way.
  void collect_all();
  // Its events end with it: they are collected, then forgotten.
  void forget(CUcontext context);

 private:
  struct Pending {
    Stamp stamp;
    std::size_t number;
  };
  CUevent take(CUcontext context);
  void collect(std::size_t most_left);
  void finish(const Pending& pending);

  std::mutex lock_;
  std::unordered_map<CUcontext, std::vector<CUevent>> free_;
  std::deque<Pending> pending_;
};

}  // namespace heddle::interpose
