// The module `heddle._heddle`: what python/heddle stands on. Numbers and texts only; the classes that people
// see, their names and docs are Python.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace heddle::python {

namespace py = pybind11;

void bind_machine(py::module_& m);
void bind_runs(py::module_& m);
void bind_compare(py::module_& m);
void bind_device(py::module_& m);
void bind_results(py::module_& m);

}  // namespace heddle::python
