#include "workload/directory.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "workload/one_kernel.h"

namespace heddle::workload {
namespace {

// "lud.1 (lud_diagonal), lud.2 (lud_perimeter)"
std::string kernel_list(const WorkloadInfo& info) {
  std::vector<std::string> all;
  for (std::size_t k = 1; k <= info.kernels.size(); ++k)
    all.push_back(fmt::format("{}.{} ({})", info.name, k, info.kernels[k - 1].function));
  return join(all, ", ");
}

}  // namespace

Directory::Directory(std::span<const Workload* const> programs) : programs_(programs) {
  for (const Workload* program : programs) {
    const WorkloadInfo& info = program->info();
    names_.push_back({info.name, program});
    std::vector<std::string> called{info.name, info.abbreviation};
    called.insert(called.end(), info.also.begin(), info.also.end());
    for (const std::string& label : called)
      if (label != info.name) labels_.push_back({label, program});
    for (std::size_t k = 1; k <= info.kernels.size(); ++k) {
      const Workload* kernel = kernels_.emplace_back(std::make_unique<OneKernel>(*program, k)).get();
      names_.push_back({kernel->info().name, kernel});
      // A paper's name for a program's only kernel is its name for the program.
      if (const std::string& label = info.kernels[k - 1].label;
          !label.empty() && lower(label) != lower(info.abbreviation))
        labels_.push_back({label, kernel});
      for (const std::string& of : called)
        for (const char between : {'.', '_'})
          labels_.push_back({fmt::format("{}{}{}", of, between, k), kernel});
    }
  }
}

std::vector<const Workload*> Directory::meant(std::string_view word) const {
  std::vector<const Workload*> found;
  const auto take = [&](const std::vector<Named>& from, auto is) {
    for (const Named& n : from)
      if (is(n.name) && std::find(found.begin(), found.end(), n.workload) == found.end())
        found.push_back(n.workload);
  };
  const auto same = [&](const std::string& name) { return name == word; };
  take(names_, same);
  if (found.empty()) take(labels_, same);
  if (!found.empty()) return found;
  const auto same_letters = [small = lower(word)](const std::string& name) { return lower(name) == small; };
  take(names_, same_letters);
  take(labels_, same_letters);
  return found;
}

const Workload* Directory::find(std::string_view word) const {
  const std::vector<const Workload*> found = meant(word);
  return found.size() == 1 ? found.front() : nullptr;
}

const Workload& Directory::require(std::string_view word) const {
  const std::vector<const Workload*> found = meant(word);
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    std::vector<std::string> all;
    for (const Workload* w : found) all.push_back(w->info().name);
    throw Error(fmt::format("'{}' may mean {}", word, join(all, " or ")), "Give one of these names.");
  }
  if (const std::size_t dot = word.rfind('.'); dot != std::string_view::npos)
    if (const Workload* program = find(word.substr(0, dot)); program != nullptr) {
      const WorkloadInfo& info = program->info();
      if (info.name.find('.') == std::string::npos)
        throw Error(fmt::format("{} has no kernel '{}'", info.name, word.substr(dot + 1)),
                    info.kernels.size() == 1 ? fmt::format("It has one kernel: {}.", kernel_list(info))
                                             : fmt::format("{} has {} kernels: {}.", info.name,
                                                           info.kernels.size(), kernel_list(info)));
    }
  std::vector<std::string> known;
  for (const Workload* w : programs_) known.push_back(w->info().name);
  for (const Named& n : labels_) known.push_back(n.name);
  const std::string hint = did_you_mean(word, known);
  throw Error(fmt::format("no workload is called '{}'", word),
              hint.empty()
                  ? "heddle list shows them; a kernel of your own is a .ptx or .cu file with --launch"
                  : hint);
}

}  // namespace heddle::workload
