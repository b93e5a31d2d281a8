// What all entry points of a process share: options, what has been seen, and its writing at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpose/abi.h"
#include "interpose/record/options.h"
#include "interpose/record/results.h"

namespace heddle::interpose {

class Session {
 public:
  // False: the library was loaded without HEDDLE_CLUSTER, and nothing is to be done.
  static bool wanted();
  static Session& get();

  const Options& options() const { return options_; }

  // The program has asked for the driver: there will be a line, which exit() writes.
  void note_driver();
  void note(const std::string& text);

  // A launch of the kernel; the number under which its time is told.
  struct LaunchNote {
    std::uint64_t ctas = 0, agents = 0;  // agents 0: it has none
    bool rewritten = false;
    std::string reason;  // why not
  };
  std::size_t add_launch(const std::string& kernel, const LaunchNote& note);
  void add_time(std::size_t number, double milliseconds);

  // A copy to the host, in the order of calls; its hash may come later, from another thread.
  std::size_t add_copy(CUstream stream, std::uint64_t bytes);
  void set_hash(std::size_t copy, std::uint64_t hash);
  void drop_copy(std::size_t copy);  // nobody will know its hash
  void expect_hash() { ++expected_hashes_; }
  void hash_came() { --expected_hashes_; }
  void forget_stream(CUstream stream);  // the next one may have the same handle

  // Writes the line, once. Waits for what is under way.
  void finish();

 private:
  Session();
  void describe_device();

  Options options_;
  std::atomic<bool> noted_driver_ = false, noted_launch_ = false;
  std::atomic<std::int64_t> expected_hashes_ = 0;
  std::mutex lock_;
  bool finished_ = false;
  ProcessResults results_;
  std::unordered_map<std::string, std::size_t> numbers_;  // of kernels
  std::unordered_map<CUstream, std::uint32_t> streams_;
  std::vector<CopyResult> copies_;
};

}  // namespace heddle::interpose
