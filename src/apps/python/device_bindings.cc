#include <filesystem>

#include <fmt/format.h>

#include "apps/python/bindings.h"
#include "apps/python/device.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/file.h"
#include "base/temporary.h"
#include "launch/user_kernel.h"

namespace heddle::python {
namespace {

namespace fs = std::filesystem;

struct Compiled {
  std::string ptx, file, messages;
};

Compiled compile_file(const fs::path& file, const std::string& headers) {
  launch::CompileOptions options;
  options.headers = headers;
  launch::UserModule m = launch::load_user_module(file, options);
  return {std::move(m.ptx), std::move(m.file), std::move(m.compiled.messages)};
}

// The compiler takes a file. One with the same name for the same text, so that what was compiled before is
// found again.
Compiled compile_text(const std::string& text, const std::string& headers) {
  const fs::path cache = launch::default_cache();
  std::error_code failed;
  if (!cache.empty()) {
    constexpr std::size_t kDigits = 16;
    const fs::path folder = cache / "texts" / sha256_hex(text).substr(0, kDigits);
    fs::create_directories(folder, failed);
    const fs::path file = folder / "kernel.cu";
    try {
      write_file(file, text);
    } catch (const Error&) {  // a home that cannot be written
      failed = std::make_error_code(std::errc::permission_denied);
    }
    if (!failed) return compile_file(file, headers);
  }
  const TemporaryFolder folder("heddle-kernel");
  write_file(folder.path() / "kernel.cu", text);
  return compile_file(folder.path() / "kernel.cu", headers);
}

Argument argument(const py::handle& a) {
  if (py::isinstance<Address>(a)) return a.cast<Address>();
  if (py::isinstance<py::bytes>(a)) {
    const auto text = a.cast<std::string>();
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return Bytes(begin, begin + text.size());
  }
  if (py::isinstance<py::float_>(a)) return a.cast<double>();
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(a.ptr(), &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return std::int64_t{small};
  }
  const unsigned long long large = PyLong_AsUnsignedLongLong(a.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw Error(fmt::format("{} needs more than 64 bits", py::str(a).cast<std::string>()));
  }
  return std::uint64_t{large};
}

using Shape = std::array<std::uint32_t, 3>;
workload::Dim3 dim3(const Shape& s) {
  return {s[0], s[1], s[2]};
}
py::tuple shape(const workload::Dim3& d) {
  return py::make_tuple(d.x, d.y, d.z);
}

void launch(Device& d, std::uint32_t module, const std::string& kernel, const Shape& grid, const Shape& block,
            const py::list& arguments, std::uint32_t shared, std::uint32_t stream, std::uint32_t registers) {
  std::vector<Argument> all;
  for (const py::handle a : arguments) all.push_back(argument(a));
  d.launch(module, kernel, dim3(grid), dim3(block), all, shared, stream, registers);
}

std::span<std::byte> bytes_of(const py::buffer_info& info) {
  return {static_cast<std::byte*>(info.ptr), static_cast<std::size_t>(info.size * info.itemsize)};
}

}  // namespace

void bind_device(py::module_& m) {
  py::class_<Address>(m, "Address").def(py::init([](std::uint64_t value) { return Address{value}; }));
  py::class_<LaunchDone>(m, "LaunchDone")
      .def_readonly("kernel", &LaunchDone::kernel)
      .def_property_readonly("grid", [](const LaunchDone& l) { return shape(l.grid); })
      .def_property_readonly("block", [](const LaunchDone& l) { return shape(l.block); })
      .def_readonly("start", &LaunchDone::start)
      .def_readonly("cycles", &LaunchDone::cycles)
      .def_readonly("statistics", &LaunchDone::statistics)
      .def_readonly("occupancy", &LaunchDone::occupancy);
  py::class_<Device>(m, "Device")
      .def(py::init([](const Machine& machine, bool functional, std::uint32_t threads, bool detail) {
        return std::make_unique<Device>(machine, DeviceOptions{functional, threads, detail});
      }))
      .def("load", &Device::load)
      .def("kernels", &Device::kernels)
      .def("find_kernel", &Device::find_kernel)
      .def("signature", &Device::signature)
      .def("variable", &Device::variable)
      .def("allocate", &Device::allocate)
      .def("release", &Device::release)
      .def("copy_in", [](Device& d, std::uint64_t to,
                         const py::buffer& from) { d.copy_in(to, bytes_of(from.request())); })
      .def("copy_out", [](Device& d, const py::buffer& to,
                          std::uint64_t from) { d.copy_out(bytes_of(to.request(true)), from); })
      .def("launch", &launch)
      .def("queued", &Device::queued)
      .def("run", &Device::run)
      .def("take_output", [](Device& d) { return py::bytes(d.take_output()); })
      .def("record", [](Device& d) {
        DeviceRecord r = d.record();
        return py::make_tuple(r.record, r.detail);
      });
  py::class_<Compiled>(m, "Compiled")
      .def_readonly("ptx", &Compiled::ptx)
      .def_readonly("file", &Compiled::file)
      .def_readonly("messages", &Compiled::messages);
  m.def(
      "compile_file",
      [](const std::string& file, const std::string& headers) { return compile_file(file, headers); },
      py::call_guard<py::gil_scoped_release>());
  m.def("compile_text", &compile_text, py::call_guard<py::gil_scoped_release>());
}

}  // namespace heddle::python
