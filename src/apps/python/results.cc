// The store of finished points, and archives of studies.
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "apps/cli/inputs/chosen_workload.h"
#include "apps/cli/inputs/results_selection.h"
#include "apps/python/bindings.h"
#include "base/error.h"
#include "base/file.h"
#include "study/definition/studies.h"
#include "study/plan/archive.h"

namespace heddle::python {
namespace {

// Columns by name, each of as many values as there are rows.
class Columns {
 public:
  template <class T>
  void add(const char* column, const T& value) {
    const py::str name(column);
    if (!all_.contains(name)) all_[name] = py::list();
    all_[name].cast<py::list>().append(value);
  }
  py::dict take() { return std::move(all_); }

 private:
  py::dict all_;
};

// What there is also where no row is.
constexpr const char* kPointColumns[] = {"key",      "study",    "design",   "perturbation",
                                         "workload", "scale",    "seed",     "gpu",
                                         "source",   "finished", "verified", "cpu_seconds"};
constexpr const char* kCellColumns[] = {"study", "design", "perturbation", "workload",
                                        "scale", "seed",   "gpu",          "verified"};

template <std::size_t N>
py::dict empty_columns(const char* const (&names)[N]) {
  py::dict all;
  for (const char* name : names) all[py::str(name)] = py::list();
  return all;
}

class Store {
 public:
  explicit Store(const std::string& file) : store_(cli::open_results(file)) {}

  std::string file() const { return store_.file().string(); }

  py::dict points(const std::string& study, const std::string& design, const std::string& workload,
                  const std::string& gpu, bool newest) const {
    cli::ResultsFilter filter;
    filter.study = study;
    filter.design = design;
    filter.workload = workload;
    filter.gpu = gpu;
    const bool any = !study.empty() || !design.empty() || !workload.empty() || !gpu.empty();
    std::vector<cli::SelectedPoint> chosen =
        any ? cli::select(store_, filter) : cli::matching(store_, filter);
    if (newest) chosen = cli::newest(std::move(chosen));
    Columns c;
    for (const cli::SelectedPoint& s : chosen) {
      std::vector<study::Label> labels = s.labels;
      if (labels.empty()) labels.emplace_back();
      for (const study::Label& l : labels) row(c, s.kept, l);
    }
    py::dict all = c.take();
    return all.empty() ? empty_columns(kPointColumns) : all;
  }

  std::string key(const std::string& beginning) const { return cli::find_point(store_, beginning).key; }
  std::string record(const std::string& key) const { return cli::required_record(store_, key); }
  std::string detail(const std::string& key) const { return store_.detail(key).value_or(""); }

  // Throws Error with the nearest name for a statistic that the record does not have.
  std::vector<double> values(const std::string& key, const std::vector<std::string>& statistics) const {
    const study::Result r = study::Result::parse(record(key));
    std::vector<double> all;
    for (const std::string& name : statistics) all.push_back(r.value(name));
    return all;
  }

 private:
  static void row(Columns& c, const study::StoredPoint& k, const study::Label& l) {
    const study::Point& p = k.point;
    c.add("key", k.key);
    c.add("study", l.study);
    c.add("design", l.design);
    c.add("perturbation", l.perturbation);
    c.add("workload", p.workload);
    c.add("scale", p.contents.empty() ? std::string(workload::name(p.scale)) : "");
    c.add("seed", p.seed);
    c.add("gpu", p.gpu);
    c.add("source", k.source_hash);
    c.add("finished", k.finished);
    c.add("verified", k.verified);
    c.add("cpu_seconds", k.cpu_seconds);
  }

  study::Store store_;
};

class Archive {
 public:
  Archive(const std::string& what, const std::string& scale, const std::string& machine)
      : file_(place(what, scale, machine)) {
    if (!std::filesystem::exists(file_))
      throw Error(fmt::format("there is no archive {}", file_), "heddle study NAME --archive makes one");
    archive_ = study::unpack(read_file(file_, 1u << 30), file_);
  }

  const std::string& file() const { return file_; }
  std::string study() const { return archive_.study; }

  // A row per cell; with the statistics that are named.
  py::dict table(const std::string& design, const std::string& workload, const std::string& gpu,
                 const std::vector<std::string>& statistics) const {
    Columns c;
    const std::string name = cli::workload_name(workload);
    for (const study::ArchivedPoint& p : archive_.points) {
      if ((!name.empty() && p.point.workload != name) || (!gpu.empty() && p.point.gpu != gpu)) continue;
      for (const study::Cell& cell : p.cells)
        if (design.empty() || cell.design == design) row(c, p, cell, statistics);
    }
    py::dict all = c.take();
    if (!all.empty()) return all;
    all = empty_columns(kCellColumns);
    for (const std::string& s : statistics) all[py::str(s)] = py::list();
    return all;
  }
  std::vector<std::string> statistics() const {
    std::vector<std::string> names;
    if (!archive_.points.empty())
      for (const auto& one : archive_.points.front().result.statistics()) names.push_back(one.first);
    return names;
  }

 private:
  static std::string place(const std::string& what, const std::string& scale, const std::string& machine) {
    if (what.ends_with(".zst")) return what;
    study::StudySource source = study::find_study(what);
    source.machine = machine;
    return study::archive_file(source, workload::name(cli::require_scale(scale))).string();
  }

  void row(Columns& c, const study::ArchivedPoint& p, const study::Cell& cell,
           const std::vector<std::string>& statistics) const {
    c.add("study", archive_.study);
    c.add("design", cell.design);
    c.add("perturbation", cell.perturbation);
    c.add("workload", p.point.workload);
    c.add("scale", std::string(workload::name(p.point.scale)));
    c.add("seed", p.point.seed);
    c.add("gpu", p.point.gpu);
    c.add("verified", p.result.verified);
    for (const std::string& name : statistics) c.add(name.c_str(), p.result.value(name));
  }

  std::string file_;
  study::Archive archive_;
};

}  // namespace

void bind_results(py::module_& m) {
  py::class_<Store>(m, "Store")
      .def(py::init<const std::string&>())
      .def("file", &Store::file)
      .def("points", &Store::points)
      .def("key", &Store::key)
      .def("record", &Store::record)
      .def("detail", &Store::detail)
      .def("values", &Store::values);
  py::class_<Archive>(m, "Archive")
      .def(py::init<const std::string&, const std::string&, const std::string&>())
      .def("file", &Archive::file)
      .def("study", &Archive::study)
      .def("table", &Archive::table)
      .def("statistics", &Archive::statistics);
}

}  // namespace heddle::python
