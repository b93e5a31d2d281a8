// How study files are read; only study_file.cc, study_machines.cc and study_rows.cc include this.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/table_reader.h"
#include "study/definition/study.h"

namespace heddle::study {

using config::TableReader;
using config::TomlNode;
using config::TomlSource;

// [[reading]]: how some rows of the targets are meant.
struct Reading {
  std::optional<std::string> figure, workload, config, metric, baseline, unit;  // those given must match
  std::string not_attempted;
  std::string use_metric, use_workload, use_figure, baseline_workload;
  std::vector<std::string> designs, baselines;
  std::optional<Combine> combine;
  SourcePlace place;
  bool used = false;

  bool matches(const Target& t) const;
};

// [summary.NAME]: what a word in the column `workload` stands for.
struct Summary {
  std::string name;
  Over over = Over::Mean;
  std::vector<std::string> workloads;
};

class StudyParser {
 public:
  StudyParser(const TomlSource& source, const FindWorkload& find, Study& out)
      : source_(source), find_(find), out_(out) {}
  void run(const TomlSource& targets, const std::string& machine);

 private:
  // study_file.cc: designs, metrics, figures, ...
  void head(TableReader& t);
  StudyWorkload own_scale(TableReader& t, const std::string& name) const;
  void set_scale(const StudyWorkload& own);
  void design(TableReader& t, const std::string& name);
  void choice(config::TableReader& t, const std::string& name);
  void metric(TableReader& t, const std::string& name);
  void figure(TableReader& t);
  void check(TableReader& t, Figure& f);
  void perturbation(TableReader& t);
  void sensitivity(TableReader& t);
  void headline(TableReader& root);
  void bands(TableReader& root);
  void check_metrics(TableReader& root) const;
  void check_names(TableReader& t, const Expression& value) const;

  // study_machines.cc: further machines
  void other_machine(TableReader& t, const std::string& name);
  void choose_machine(const std::string& name);
  void settle_machines();

  // study_rows.cc: summaries, readings, rows
  void summary(TableReader& t, const std::string& name);
  void reading(TableReader& t);
  void rows(const TomlSource& targets);
  Row row(const TomlSource& targets, const Target& t);
  void check_counted(const TomlSource& targets) const;
  void fill(const Target& t, const Reading* r, Row& row) const;
  void place_in_figure(const Target& t, Row& row) const;
  void workload_of(const std::string& word, Measure& q) const;

  // Parts of both.
  std::vector<std::string> workload_names(TableReader& t, std::string_view key) const;
  std::vector<std::string> workloads_of(const std::string& word) const;
  std::vector<std::string> all_workloads() const;
  std::string baseline_workload(TableReader& t) const;      // empty: not given
  std::string workload_named(std::string_view word) const;  // by name or abbreviation; empty: none
  std::string need(TableReader& t, std::string_view key, std::string_view what) const;
  // The key's text must be the name of something of `names`; `what`: "design".
  void known(TableReader& t, std::string_view key, const std::vector<std::string>& names,
             std::string_view what) const;
  std::vector<Comparison> comparisons(TableReader& t, bool level) const;
  std::vector<std::string> design_names() const;
  std::vector<std::string> metric_names() const;

  const TomlSource& source_;
  const FindWorkload& find_;
  Study& out_;
  std::string machine_;
  std::vector<Assignment> common_, of_machine_;  // for every design; for those on the machine chosen
  std::vector<Reading> readings_;
  std::vector<Summary> summaries_;
  std::map<std::string, std::string> figure_of_rows_;  // a word of the column `figure` -> the figure's id
};

// One with one, one with all, all with one; empty when the numbers do not fit.
std::vector<Comparison> pair_up(const std::vector<std::string>& designs,
                                const std::vector<std::string>& baselines);
void set_baseline_workload(std::vector<Comparison>& pairs, const std::string& workload);

}  // namespace heddle::study
