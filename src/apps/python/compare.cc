// `heddle compare` itself, for a process that was started for it (python/heddle/_compare.py).
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/python/bindings.h"
#include "base/error.h"

namespace heddle::python {
namespace {

// Points run in processes that are forked from this one, which may have no other threads: a lock that one of
// them holds would stay locked in the child for ever.
void check_alone() {
  std::size_t threads = 0;
  std::error_code none;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task", none))
    ++threads;
  if (threads > 1)
    throw Error(fmt::format("a process with {} threads cannot fork others", threads),
                "heddle.compare() starts one that has none, unless what Python loads at its start "
                "(sitecustomize, .pth files) makes some");
}

// The exit status of the command. What it prints goes to standard output.
int compare(const std::vector<std::string>& workloads, const std::vector<std::string>& designs,
            const std::string& gpu, const std::vector<std::string>& sets, const std::string& launch,
            const std::string& scale, std::uint64_t seed, std::size_t perturbations, std::uint32_t jobs,
            const std::string& store, const std::string& json, const std::string& headers) {
  check_alone();
  cli::CompareOptions o;
  o.workloads = workloads;
  o.designs = designs;
  o.config.gpu = gpu;
  o.config.sets = sets;
  o.workload.launch = launch;
  o.workload.scale = scale;
  o.workload.seed = seed;
  o.workload.compile.headers = headers;
  o.perturbations = perturbations;
  o.jobs = jobs;
  o.store = store;
  o.json = json;
  const int status = cli::compare_command(o);
  std::cout << std::flush;
  return status;
}

// When the process that asked for the comparison is gone, nobody reads it: it ends as by Ctrl-C, and keeps
// what is finished.
void end_with_parent(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (getppid() != parent) _exit(1);  // it was gone before the line above
}

}  // namespace

void bind_compare(py::module_& m) {
  m.def("compare", &compare, py::arg("workloads"), py::arg("designs"), py::arg("gpu"), py::arg("sets"),
        py::arg("launch"), py::arg("scale"), py::arg("seed"), py::arg("perturbations"), py::arg("jobs"),
        py::arg("store"), py::arg("json"), py::arg("headers"));
  m.def("end_with_parent", &end_with_parent);
}

}  // namespace heddle::python
