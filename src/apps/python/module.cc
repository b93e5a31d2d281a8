#include "apps/python/bindings.h"
#include "base/error.h"
#include "gpu/timing_device.h"

namespace heddle::python {
namespace {

// heddle.Error, with its parts.
void raise(const Error& e) {
  const py::object type = py::module_::import("heddle._error").attr("Error");
  PyErr_SetObject(type.ptr(), type(e.what(), e.message(), e.advice()).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& e) {
    raise(e);
  } catch (const gpu::Stopped&) {  // nobody but Ctrl-C ends a simulation, and that has told already
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

}  // namespace
}  // namespace heddle::python

PYBIND11_MODULE(_heddle, m) {
  using namespace heddle::python;
  m.doc() = "What the package heddle stands on; use heddle.";
  py::register_exception_translator(&translate);
  bind_machine(m);
  bind_runs(m);
  bind_compare(m);
  bind_device(m);
  bind_results(m);
}
