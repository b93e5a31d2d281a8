// Counters of agents: one set per stream, since the launches of a stream do not overlap.
#pragma once

#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "interpose/abi.h"

namespace heddle::interpose {

class Workspaces {
 public:
  static Workspaces& get();

  // Memory of the current context that is zero when the stream's next launch begins; 0: there is none to be
  // had.
  CUdeviceptr of_stream(CUstream stream, std::uint64_t bytes);
  // Before a stream is destroyed. Its launches may still be under way.
  void forget_stream(CUstream stream);
  void forget(CUcontext context);

 private:
  // The stream of the calling thread has one handle for all threads.
  using Key = std::tuple<CUcontext, CUstream, std::thread::id>;
  static Key key(CUcontext context, CUstream stream);
  CUdeviceptr take(CUcontext context);

  struct Pool {
    std::vector<CUdeviceptr> free;
  };
  std::mutex lock_;
  std::map<Key, CUdeviceptr> used_;
  std::map<CUcontext, Pool> pools_;
};

}  // namespace heddle::interpose
