#include "apps/python/machine.h"

#include <fmt/format.h>

#include "apps/cli/reports/machine_text.h"
#include "apps/python/bindings.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/version.h"
#include "gpu/explanation.h"
#include "gpu/presets.h"
#include "study/design/design_catalog.h"
#include "workloads/registry.h"

namespace heddle::python {
namespace {

std::vector<std::string> sets_of(const std::string& design) {
  if (design.empty()) return {};
  const std::vector<study::Design> designs =
      study::choose_designs(std::vector<std::string>{design}, study::design_catalog());
  if (designs.size() != 1)
    throw Error(fmt::format("'{}' names {} designs", design, designs.size()), "a machine has one at a time");
  std::vector<std::string> sets;
  for (const study::Assignment& a : designs.front().sets) sets.push_back(a.text);
  return sets;
}

py::object to_python(const config::Value& value) {
  struct Visitor {
    py::object operator()(bool v) const { return py::bool_(v); }
    py::object operator()(std::int64_t v) const { return py::int_(v); }
    py::object operator()(double v) const { return py::float_(v); }
    py::object operator()(const std::string& v) const { return py::str(v); }
    py::object operator()(const config::Value::List& list) const {
      py::list all;
      for (const config::Value& v : list) all.append(to_python(v));
      return all;
    }
  };
  return std::visit(Visitor{}, value.data);
}

py::dict values(const Machine& m) {
  py::dict all;
  for (const auto& [path, entry] : m.config().config.entries()) all[py::str(path)] = to_python(entry.value);
  return all;
}

// The error of a parameter that a machine does not have.
std::string no_such_parameter(const Machine& m, const std::string& path) {
  std::vector<std::string> known;
  for (const auto& entry : m.config().config.entries()) known.push_back(entry.first);
  const std::string hint = did_you_mean(path, known);
  return Error(fmt::format("no parameter is called '{}'", path),
               hint.empty() ? "heddle explain --all lists them all" : hint)
      .what();
}

py::dict preset_list() {
  py::dict all;
  for (const gpu::Preset& p : gpu::presets()) all[py::str(p.name)] = py::str(p.description);
  return all;
}

py::dict workload_list() {
  py::dict all;
  for (const workload::Workload* w : workloads::all_workloads())
    all[py::str(w->info().name)] = py::str(w->info().summary);
  return all;
}

py::dict design_list() {
  py::dict all;
  for (const study::NamedDesign& d : study::design_catalog().designs)
    all[py::str(d.design.name)] = py::str(d.design.description);
  return all;
}

}  // namespace

Machine::Machine(const std::string& gpu, const std::string& design, const std::vector<std::string>& sets) {
  options_.gpu = gpu;
  options_.sets = sets_of(design);
  set(sets);
}

void Machine::set(const std::vector<std::string>& sets) {
  cli::ConfigOptions options = options_;
  options.sets.insert(options.sets.end(), sets.begin(), sets.end());
  config_ = cli::load_used_gpu(options);
  options_ = std::move(options);
}

void bind_machine(py::module_& m) {
  py::class_<Machine>(m, "Machine")
      .def(py::init<const std::string&, const std::string&, const std::vector<std::string>&>())
      .def(py::init<const Machine&>())
      .def("set", &Machine::set)
      .def("name", [](const Machine& x) { return x.config().chosen; })
      .def("gpu", [](const Machine& x) { return x.options().gpu; })
      .def("sets", [](const Machine& x) { return x.options().sets; })
      .def("values", &values)
      .def("no_such_parameter", &no_such_parameter)
      .def("describe", [](const Machine& x) { return cli::machine_text(x.config()); })
      .def("toml", [](const Machine& x, bool sources) { return x.config().config.dump(sources); });
  m.def("presets", &preset_list);
  m.def("workloads", &workload_list);
  m.def("designs", &design_list);
  m.def("explanation", &gpu::explanation);
  m.def("default_gpu", [] { return std::string(cli::kDefaultGpu); });
  m.def("build", [] {
    const BuildInfo& b = build_info();
    return std::vector<std::string_view>{b.release, b.source_hash, b.compiler, b.build_type, b.target};
  });
}

}  // namespace heddle::python
