// What a check found wrong, one sentence each: none is what a sound implementation gives. Checks return them
// instead of failing, so that tests of the checks can run them on what is broken on purpose.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle::contract {

using Findings = std::vector<std::string>;

// Collects findings; what is broken is wrong thousands of times, the first few tell enough.
class Notes {
 public:
  template <class... T>
  void expect(bool holds, fmt::format_string<T...> what, T&&... args) {
    if (!holds && found.size() < kMost) found.push_back(fmt::format(what, std::forward<T>(args)...));
  }
  bool full() const { return found.size() == kMost; }
  Findings found;

 private:
  static constexpr std::size_t kMost = 8;
};

inline void append(Findings& all, const std::string& where, const Findings& more) {
  for (const std::string& f : more) all.push_back(where + ": " + f);
}

}  // namespace heddle::contract
