// Programs and their kernels by what people call them: "lud", "lud.2", or as the papers print it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace heddle::workload {

// A word means, in this order:
// - the program or kernel of this name ("hotspot", "lud.2");
// - what papers call so: a program's abbreviation ("HS") or what else papers print for it, a kernel's label
//   ("ATAX_1"), one of a program's names with a kernel's number behind it ("LUD_2", "LUD.2");
// - the same without regard to upper and lower case.
// A step that finds several finds none: the word is ambiguous.
class Directory {
 public:
  // `programs` outlive this.
  explicit Directory(std::span<const Workload* const> programs);
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Null: there is none, or there are several. What comes back lives as long as the directory.
  const Workload* find(std::string_view word) const;
  // Throws Error that says what there is.
  const Workload& require(std::string_view word) const;

 private:
  struct Named {
    std::string name;
    const Workload* workload;
  };
  std::vector<const Workload*> meant(std::string_view word) const;

  std::span<const Workload* const> programs_;
  std::vector<std::unique_ptr<Workload>> kernels_;
  std::vector<Named> names_, labels_;
};

}  // namespace heddle::workload
