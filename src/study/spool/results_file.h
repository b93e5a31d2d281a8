// What a worker has done, one file for each time that a task runs: entries with seals, appended.
//
// A file has one writer, so nothing is locked. A writer that is killed leaves a torn end, which is no entry.
// An entry that is damaged is passed over: its point counts as not simulated.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "study/batch/pool.h"

namespace heddle::study {

// One run of a task.
struct Attempt {
  std::size_t task = 0;
  std::uint32_t submission = 0;  // which made it run; 0: none
  std::string node;              // where it ran
  std::string job;               // "4711_3", for people
};

struct SpoolEntry {
  enum class Kind {
    Head,     // `record` is the attempt
    Begun,    // a point is under way
    Record,   // it is done
    Failed,   // it cannot be simulated: `error`
    Lost,     // it had too little memory here: `error`; with more it may go
    Refused,  // the whole task: `error`; to try again is no use
  };
  Kind kind = Kind::Head;
  std::string key;  // of the point; empty where there is none
  std::string record, detail, error;
  double seconds = 0;
};

// Bytes of one entry, and back. For tests and the two below.
std::string encode(const SpoolEntry& entry);
struct DecodedEntries {
  std::vector<SpoolEntry> entries;
  std::size_t used = 0;     // bytes; the rest is the beginning of an entry
  std::size_t damaged = 0;  // entries that were passed over
};
DecodedEntries decode(std::string_view bytes);

class ResultsWriter {
 public:
  // Makes a file of its own in `folder`. Throws Error.
  ResultsWriter(const std::filesystem::path& folder, const Attempt& attempt);
  ~ResultsWriter();
  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;

  // On disk a second later at most, if more follow; at the end at once. Throws Error.
  void add(const SpoolEntry& entry);
  void sync();

 private:
  std::filesystem::path file_;
  int fd_ = -1;
  std::chrono::steady_clock::time_point synced_;
};

class ResultsReader {
 public:
  explicit ResultsReader(std::filesystem::path file) : file_(std::move(file)) {}

  const std::filesystem::path& file() const { return file_; }
  const Attempt& attempt() const { return attempt_; }  // as far as it is known
  // What has come since the last call, without heads; of much, the first part: none is left when nothing
  // comes back. A file that is gone has nothing.
  std::vector<SpoolEntry> poll();
  std::size_t damaged() const { return damaged_; }  // so far

 private:
  std::filesystem::path file_;
  Attempt attempt_;
  std::uintmax_t read_ = 0;
  std::size_t damaged_ = 0;
};

}  // namespace heddle::study
