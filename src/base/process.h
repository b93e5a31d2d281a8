// Other programs that heddle calls: a compiler, a browser.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace heddle {

struct ProcessResult {
  int start_error = 0;     // errno, when it could not be started
  int status = 0;          // exit status; 128 + signal when it was killed
  bool timed_out = false;  // killed after `limit`
  std::string output;      // standard output
  std::string messages;    // standard error
};

// Without a shell: names of files are arguments, whatever they contain. Standard input is empty. Throws Error
// when there are no pipes to be had. `limit` 0: as long as it takes.
ProcessResult run_process(const std::vector<std::string>& command, std::chrono::seconds limit = {});

}  // namespace heddle
