// Reading study.toml: machines that the study may run on in place of its own.
#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"
#include "study/definition/study_parser.h"
#include "study/design/design_table.h"

namespace heddle::study {
namespace {

constexpr char kLabelMark = '@';

// It is a part of a file's name.
bool is_plain(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos;
}

}  // namespace

std::string Study::label() const {
  return machine.empty() ? name : name + kLabelMark + machine;
}

std::pair<std::string, std::string> parts_of_label(std::string_view label) {
  const std::size_t at = std::min(label.rfind(kLabelMark), label.size());
  return {std::string(label.substr(0, at)), std::string(label.substr(std::min(at + 1, label.size())))};
}

void StudyParser::other_machine(TableReader& t, const std::string& name) {
  if (!is_plain(name))
    t.fail(fmt::format("a machine is called '{}'", printable(name)), "letters, digits, - and _");
  OtherMachine m;
  m.name = name;
  m.preset = need(t, "preset", "a preset (heddle list), or a file");
  m.description = t.text("description").value_or("");
  m.sets = read_assignments(t, "set");
  t.named_tables("workload",
                 [&](TableReader& r, const std::string& word) { m.scales.push_back(own_scale(r, word)); });
  out_.machines.push_back(std::move(m));
}

void StudyParser::choose_machine(const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const OtherMachine& m : out_.machines) {
    names.push_back(m.name);
    if (m.name != name) continue;
    out_.machine = name;
    machine_ = m.preset;
    of_machine_ = m.sets;
    for (const StudyWorkload& own : m.scales) set_scale(own);
    return;
  }
  const std::string hint = did_you_mean(name, names);
  throw Error(fmt::format("the study '{}' has no machine '{}'", out_.name, printable(name)),
              names.empty() ? "it runs on its own only; [other_machine.NAME] in its study.toml names others"
                            : fmt::format("{}{}its machines beside its own: {}", hint,
                                          hint.empty() ? "" : " ", join(names, ", ")));
}

// Designs that name no machine of their own are on the study's, and have what is set for that one.
void StudyParser::settle_machines() {
  for (Design& d : out_.designs) {
    if (!d.machine.empty()) continue;
    d.machine = machine_;
    d.sets.insert(d.sets.begin() + static_cast<std::ptrdiff_t>(common_.size()), of_machine_.begin(),
                  of_machine_.end());
  }
}

}  // namespace heddle::study
