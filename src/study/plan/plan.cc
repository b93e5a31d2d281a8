#include "study/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "base/text.h"
#include "gpu/presets.h"
#include "gpu/simulation_spec.h"

namespace heddle::study {
namespace {

template <class T>
bool contains(const std::vector<T>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::vector<std::string> chosen_figures(const Study& study, const std::vector<std::string>& words) {
  std::vector<std::string> all, known, chosen;
  for (const Figure& f : study.figures) all.push_back(f.id);
  if (!study.sensitivities.empty()) all.push_back(kSensitivityFigure);
  if (words.empty()) return all;
  known = all;
  for (const Figure& f : study.figures)
    if (!f.group.empty() && !contains(known, f.group)) known.push_back(f.group);
  for (const std::string& word : words)
    if (!contains(known, word))
      throw Error(fmt::format("the study '{}' has no figure '{}'", study.name, printable(word)),
                  "its figures: " + join(known, ", "));
  for (const std::string& id : all) {
    const Figure* f = study.figure(id);
    if (contains(words, id) || (f != nullptr && !f->group.empty() && contains(words, f->group)))
      chosen.push_back(id);
  }
  return chosen;
}

std::vector<std::string> chosen_workloads(const Study& study, const std::vector<std::string>& words) {
  std::vector<std::string> chosen, known;
  for (const StudyWorkload& w : study.workloads) {
    known.push_back(w.name);
    if (words.empty() || contains(words, w.name) || contains(words, w.abbreviation)) chosen.push_back(w.name);
  }
  for (const std::string& word : words) {
    const auto is = [&](const StudyWorkload& w) { return w.name == word || w.abbreviation == word; };
    if (std::none_of(study.workloads.begin(), study.workloads.end(), is))
      throw Error(fmt::format("the study '{}' has no workload '{}'", study.name, printable(word)),
                  "its workloads: " + join(known, ", "));
  }
  return chosen;
}

std::string in_one_line(const Error& e) {
  return fmt::format("{}:{}: {}{}{}", e.place().file, e.place().line, e.message(),
                     e.advice().empty() ? "" : "; ", e.advice());
}

// The jobs of a plan, cell by cell.
class Planner {
 public:
  explicit Planner(const Selected& selected) : selected_(selected), study_(selected.study) {}

  Plan run() {
    for (const Figure& f : study_.figures)
      if (selected_.wants_figure(f.id)) figure(f);
    for (const Row& r : study_.rows)
      if (r.not_attempted.empty() && selected_.wants_figure(r.figure))
        measure(r.measure, study_.figure(r.figure)->perturbed);
    if (selected_.wants_figure(kSensitivityFigure)) sensitivities();
    return std::move(plan_);
  }

 private:
  void figure(const Figure& f) {
    measure({f.metric, f.compare, Combine::Mean, Over::Mean, f.workloads}, f.perturbed);
    for (const Check& c : f.checks) measure(c.measure, f.perturbed);
  }

  void measure(const Measure& m, bool perturbed) {
    for (const Comparison& c : m.compare) {
      if (!selected_.designs.empty() && !contains(selected_.designs, c.design)) continue;
      if (m.over == Over::Machine)
        for (const std::string* design : {&c.design, &c.baseline})
          if (!design->empty()) machine(*design);
      for (const std::string& workload : m.workloads) {
        if (!contains(selected_.workloads, workload)) continue;
        cells(c.design, workload, perturbed);
        if (!c.baseline.empty()) cells(c.baseline, c.on(workload), perturbed);
      }
    }
  }

  void cells(const std::string& design, const std::string& workload, bool perturbed) {
    if (const Design& d = study_.design(design); !d.best_of.empty()) {
      for (const std::string& one : d.best_of) cells(one, workload, perturbed);
      return;
    }
    for (const std::size_t p : selected_.perturbations)
      if (p == 0 || perturbed)
        cell({design, workload, study_.perturbations[p].name}, study_.perturbations[p].sets,
             study_.perturbations[p].seed);
  }

  void sensitivities() {
    const Comparison& c = study_.headline->comparison;
    measure({study_.headline->metric, {c}, Combine::Mean, Over::Mean, selected_.workloads}, false);
    for (const Sensitivity& s : study_.sensitivities)
      for (const std::string& design : {c.design, c.baseline})
        for (const std::string& workload : selected_.workloads) {
          cell({design, workload, halved(s)}, s.half, 1);
          cell({design, workload, doubled(s)}, s.twice, 1);
        }
  }

  void cell(const Cell& c, const std::vector<Assignment>& sets, std::uint64_t seed) {
    if (plan_.job_of.contains(c)) return;
    if (!machine(c.design)) return;
    const Design& design = study_.design(c.design);
    const std::string* machine_text = with(design, c.perturbation, sets);
    if (machine_text == nullptr) return;
    Job job;
    job.point.workload = c.workload;
    job.point.scale = study_.scale_of(c.workload, selected_.scale);
    job.point.seed = seed;
    job.point.gpu = design.machine;
    job.point.machine = *machine_text;
    job.label = {study_.label(), c.design, c.perturbation};
    plan_.job_of.emplace(c, plan_.jobs.size());
    plan_.jobs.push_back(std::move(job));
  }

  // False when the machine cannot be built.
  bool machine(const std::string& name) {
    if (plan_.machines.contains(name)) return true;
    if (plan_.refused.contains(name)) return false;
    try {
      plan_.machines.emplace(name, machine_of(study_.design(name)));
      return true;
    } catch (const Error& e) {
      plan_.refused.emplace(name, in_one_line(e));
      return false;
    }
  }

  // Perturbed machines are made once, not once per workload. Null: it cannot be built.
  const std::string* with(const Design& design, const std::string& perturbation,
                          const std::vector<Assignment>& sets) {
    if (perturbation.empty()) return &plan_.machines.at(design.name);
    const std::string name = fmt::format("{}, {}", design.name, perturbation);
    if (plan_.refused.contains(name)) return nullptr;
    const auto at = perturbed_.find(name);
    if (at != perturbed_.end()) return &at->second;
    try {
      return &perturbed_.emplace(name, machine_of(design, sets)).first->second;
    } catch (const Error& e) {
      plan_.refused.emplace(name, in_one_line(e));
      return nullptr;
    }
  }

  const Selected& selected_;
  const Study& study_;
  Plan plan_;
  std::map<std::string, std::string> perturbed_;  // "DB, offset 1"
};

}  // namespace

std::string halved(const Sensitivity& s) {
  return s.name + " / 2";
}
std::string doubled(const Sensitivity& s) {
  return s.name + " x 2";
}

bool Selected::wants_figure(std::string_view id) const {
  return contains(figures, id);
}

Selected select(const Study& study, const Selection& selection) {
  Selected s;
  s.study = study;
  s.figures = chosen_figures(study, selection.figures);
  s.workloads = chosen_workloads(study, selection.workloads);
  for (const std::string& name : selection.designs) s.designs.push_back(study.design(name).name);
  for (std::size_t i = 0; i < study.perturbations.size(); ++i)
    if (i == 0 || selection.perturbations) s.perturbations.push_back(i);
  s.scale = selection.scale.value_or(study.scale);
  return s;
}

std::string machine_of(const Design& design, std::span<const Assignment> further) {
  config::Config c;
  try {
    c = gpu::load_config(design.machine);
  } catch (const Error& e) {
    throw Error(design.place, fmt::format("the machine of '{}': {}", design.name, e.message()), e.advice());
  }
  return machine_of(design, std::move(c), further);
}

std::string machine_of(const Design& design, config::Config c, std::span<const Assignment> further) {
  // An error of an assignment is shown where it is made.
  const auto set = [&](const Assignment& a) {
    try {
      c.set(a.text);
    } catch (const Error& e) {
      throw Error(a.place, fmt::format("{} of '{}': {}", a.text, design.name, e.message()), e.advice());
    }
  };
  for (const Assignment& a : design.sets) set(a);
  for (const Assignment& a : further) set(a);
  try {
    return gpu::effective_configuration(std::move(c));
  } catch (const Error& e) {
    const SourcePlace* at = further.empty() ? &design.place : &further.front().place;
    for (const std::span<const Assignment> sets : {std::span<const Assignment>(design.sets), further})
      for (const Assignment& a : sets)
        if (a.text == e.place().text) at = &a.place;
    throw Error(*at, fmt::format("the machine of '{}': {}", design.name, e.message()), e.advice());
  }
}

std::optional<std::string> obstacle(const Design& design, config::Config c) {
  try {
    for (const Assignment& a : design.sets) c.set(a.text);
    gpu::effective_configuration(std::move(c));
  } catch (const Error& e) {
    return e.message();
  }
  return {};
}

Plan make_plan(const Selected& selected) {
  return Planner(selected).run();
}

}  // namespace heddle::study
