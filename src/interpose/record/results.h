// What the library has seen in one process of a program: a line of the results' file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::interpose {

struct Range {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  void add(std::uint64_t n) {
    least = n < least ? n : least;
    most = n > most ? n : most;
  }
  bool none() const { return least > most; }
};

struct KernelResult {
  std::string name;  // as in its module
  std::uint64_t launches = 0, rewritten = 0;
  std::uint64_t timed = 0;
  double milliseconds = 0;  // of the timed ones
  Range ctas, agents;
  std::map<std::string, std::uint64_t> reasons;  // why launches were left as they are
};

// What the program has read back.
struct CopyResult {
  std::uint32_t stream = 0;  // streams in the order of their first copy
  std::uint64_t bytes = 0, hash = 0;
  friend bool operator==(const CopyResult&, const CopyResult&) = default;
};

struct ProcessResults {
  static constexpr std::size_t kMostCopies = 1 << 16;  // the others are counted, and in `chain`

  bool driver = false;  // it has asked for the driver's functions
  std::string device;
  std::uint32_t sms = 0;
  std::vector<KernelResult> kernels;  // in the order of first launch
  std::vector<CopyResult> copies;     // in the order of calls
  std::uint64_t copies_made = 0;
  std::uint64_t chain = 0;         // a hash of all
  std::vector<std::string> notes;  // about modules

  std::string to_line() const;
};

// Lines that were cut off are left out.
std::vector<ProcessResults> read_results(const std::string& file);

}  // namespace heddle::interpose
