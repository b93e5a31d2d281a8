// Workloads on machines, and records taken apart.
#include <optional>

#include <fmt/format.h>

#include "apps/cli/inputs/chosen_workload.h"
#include "apps/cli/inputs/results_selection.h"
#include "apps/python/interruptible.h"
#include "apps/python/machine.h"
#include "base/error.h"
#include "base/suggest.h"
#include "report/page_data.h"
#include "study/run/point.h"
#include "workloads/registry.h"

namespace heddle::python {
namespace {

struct Run {
  std::string record, detail;
  bool from_store = false;
};

Run run(const Machine& machine, const std::string& what, const std::string& launch, const std::string& scale,
        std::uint64_t seed, std::uint32_t threads, bool with_detail, const std::string& store_file,
        const std::string& headers) {
  if (threads == 0) throw Error("threads=0: expected 1 or more");
  cli::WorkloadOptions options;
  options.what = what;
  options.launch = launch;
  options.scale = scale;
  options.seed = seed;
  options.compile.headers = headers;
  Run out;
  const cli::GpuConfig gpu = machine.config();  // the Python object may be changed meanwhile
  std::atomic<bool> interrupt{false};
  const auto simulate = [&] {
    const cli::ChosenWorkload chosen(options);
    const study::Point point = chosen.point(gpu);
    std::optional<study::Store> store;
    if (!store_file.empty()) {
      store.emplace(store_file);
      const std::string key = point.key();
      std::optional<std::string> record;
      try {
        record = store->record(key);
        if (record) out.detail = store->detail(key).value_or("");
      } catch (const study::Damaged&) {  // simulated again, as batches do
        if (!store->read_only()) store->forget(key);
        record.reset();
      }
      if (record && (!with_detail || !out.detail.empty())) {
        out.record = std::move(*record);
        out.from_store = true;
        return;
      }
      if (store->read_only() && !record)
        throw Error(SourcePlace{store_file, 0, 0, {}},
                    "the point is not in the store, and it cannot be written",
                    "the permissions of the file or its folder do not allow it; choose another store");
    }
    std::string detail;
    out.record = study::simulate(point, chosen.workload(), threads, with_detail || store ? &detail : nullptr,
                                 &interrupt);
    out.detail = std::move(detail);
    if (store && !store->read_only()) store->keep(point, out.record, out.detail);
  };
  run_interruptibly(simulate, interrupt);
  return out;
}

// The members of a run as its page has them: funnel, series, the command that repeats it.
std::string page_members(const std::string& record, const std::string& detail) {
  report::RunSource source;
  source.id = "record";
  source.record = record;
  source.detail = detail;
  report::RunReader reader([](const std::string& name) {
    const workload::Workload* w = workloads::find_workload(name);
    return w == nullptr ? std::string() : w->info().abbreviation;
  });
  return reader.read(source).members.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The text of the error for a statistic that there is not.
std::string no_such_statistic(const std::string& name, const std::vector<std::string>& known) {
  const std::string hint = did_you_mean(name, known);
  return Error(fmt::format("there is no statistic '{}' in the record", name),
               hint.empty() ? "heddle explain --all lists them" : hint)
      .what();
}

}  // namespace

void bind_runs(py::module_& m) {
  py::class_<Run>(m, "Run")
      .def_readonly("record", &Run::record)
      .def_readonly("detail", &Run::detail)
      .def_readonly("from_store", &Run::from_store);
  m.def("run", &run, py::arg("machine"), py::arg("what"), py::arg("launch"), py::arg("scale"),
        py::arg("seed"), py::arg("threads"), py::arg("detail"), py::arg("store"), py::arg("headers"));
  m.def("page_members", &page_members);
  m.def("no_such_statistic", &no_such_statistic);
  m.def("default_store", [] { return study::default_store().string(); });
}

}  // namespace heddle::python
