#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/warp/kernel_fault.h"
#include "runtime/session/occupancy.h"
#include "runtime/session/session.h"
#include "sm/occupancy.h"

namespace heddle::runtime {
namespace {

cudaError_t code_of(exec::FaultKind kind) {
  switch (kind) {
    case exec::FaultKind::Assertion:
      return cudaErrorAssert;
    case exec::FaultKind::Misaligned:
      return cudaErrorMisalignedAddress;
    case exec::FaultKind::IllegalAddress:
      return cudaErrorIllegalAddress;
    case exec::FaultKind::Other:
      break;
  }
  return cudaErrorLaunchFailure;
}

void check_dimensions(const Session::LaunchShape& s) {
  const dim3 &b = s.block, &g = s.grid;
  const std::uint64_t threads = std::uint64_t{b.x} * b.y * b.z;
  require(threads >= 1 && threads <= 1024 && b.x <= 1024 && b.y <= 1024 && b.z <= 64, s.wrong, [&] {
    return fmt::format("CTAs of {} x {} x {} threads, where 1 to 1024 (z: to 64) are possible", b.x, b.y,
                       b.z);
  });
  require(g.x != 0 && g.y != 0 && g.z != 0, s.wrong, [&] {
    return fmt::format("a grid of {} x {} x {} CTAs, where none of the three may be 0", g.x, g.y, g.z);
  });
  require(g.x <= 0x7fffffffu && g.y <= 0xffff && g.z <= 0xffff, s.wrong, [&] {
    return fmt::format("a grid of {} x {} x {} CTAs, where at most 2147483647 x 65535 x 65535 are possible",
                       g.x, g.y, g.z);
  });
}

}  // namespace

const exec::KernelImage& Session::image(Kernel& kernel) {
  modules_.load(*kernel.module, simulator());
  try {
    return simulator().kernel(kernel.module->number, kernel.name);
  } catch (const Error& e) {
    throw Failure{cudaErrorNotSupported, e.what(), fmt::format("code of kernel '{}'", kernel.name)};
  }
}

std::uint32_t Session::registers(Kernel& kernel) {
  options();
  modules_.read(*kernel.module);
  const auto at = kernel.module->registers.find(kernel.name);
  return at != kernel.module->registers.end() ? at->second : image(kernel).registers_per_thread;
}

std::uint32_t Session::resident_ctas(Kernel& kernel, std::uint32_t threads, std::uint64_t dynamic_shared) {
  workload::CtaNeeds needs;
  needs.threads = threads;
  needs.registers_per_thread = registers(kernel);
  needs.shared_bytes = static_cast<std::uint32_t>(image(kernel).static_shared + dynamic_shared);
  try {
    return sm::occupancy(simulator().spec().sm, needs).ctas;
  } catch (const Error&) {
    return 0;
  }
}

void Session::check_shape(Kernel& kernel, const exec::KernelImage& image, const LaunchShape& s) {
  // Programs that do not look at the code would go on without a word: people are told, once per kernel.
  try {
    refusing(kernel.name, [&] {
      check_dimensions(s);
      check_resources(kernel, image, s);
    });
  } catch (Failure& e) {
    e.message = fmt::format("kernel '{}' was not launched: {}", kernel.name, e.message);
    throw;
  }
}

void Session::check_resources(Kernel& kernel, const exec::KernelImage& image, const LaunchShape& s) {
  const std::uint64_t threads = std::uint64_t{s.block.x} * s.block.y * s.block.z;
  const ptx::Function& f = *image.functions[0].source;
  require(!f.max_threads || threads <= *f.max_threads, cudaErrorInvalidValue, [&] {
    return fmt::format("a CTA of {} threads, where its launch bounds allow {}", threads, *f.max_threads);
  });
  require(!f.required_threads || threads == *f.required_threads, cudaErrorInvalidValue, [&] {
    return fmt::format("a CTA of {} threads, where it was compiled for {}", threads, *f.required_threads);
  });
  const std::uint64_t allowed =
      kernel.dynamic_shared > 0 ? static_cast<std::uint64_t>(kernel.dynamic_shared)
                                : kUsualShared - std::min<std::uint64_t>(kUsualShared, image.static_shared);
  require(s.shared <= allowed, cudaErrorInvalidValue, [&] {
    return fmt::format(
        "{} bytes of dynamic shared memory, where {} are allowed; for more call "
        "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) before",
        s.shared, allowed);
  });
  const std::uint64_t resident = resident_ctas(kernel, static_cast<std::uint32_t>(threads), s.shared);
  require(resident != 0, cudaErrorLaunchOutOfResources, [&] {
    return fmt::format(
        "a CTA of {} threads with {} registers each and {} bytes of shared memory does not fit on an SM",
        threads, registers(kernel), image.static_shared + s.shared);
  });
  const std::uint64_t ctas = std::uint64_t{s.grid.x} * s.grid.y * s.grid.z,
                      room = resident * simulator().spec().sms();
  require(!s.cooperative || ctas <= room, cudaErrorCooperativeLaunchTooLarge,
          [&] { return fmt::format("a cooperative launch of {} CTAs, where {} run at once", ctas, room); });
}

void Session::finish_launch(workload::Launch& launch, Kernel& kernel, const LaunchShape& shape) {
  launch.kernel = kernel.name;
  launch.module = kernel.module->number;
  launch.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  launch.block = {shape.block.x, shape.block.y, shape.block.z};
  launch.dynamic_shared = static_cast<std::uint32_t>(shape.shared);
  launch.registers = registers(kernel);
}

workload::Launch Session::prepare(Kernel& kernel, const LaunchShape& shape, void** arguments) {
  return refusing(kernel.name, [&] {
    const exec::KernelImage& code = image(kernel);
    check_shape(kernel, code, shape);
    workload::Launch launch;
    for (std::size_t i = 0; const ptx::Variable& p : code.functions[0].source->params) {
      require(arguments != nullptr && arguments[i] != nullptr, cudaErrorInvalidValue, [&] {
        return fmt::format("kernel '{}' was not launched: argument {} is missing", kernel.name, i + 1);
      });
      launch.args.add_bytes(arguments[i++], p.size, p.align);
    }
    finish_launch(launch, kernel, shape);
    return launch;
  });
}

workload::Launch Session::prepare_packed(Kernel& kernel, const LaunchShape& shape, const void* packed,
                                         std::size_t bytes) {
  return refusing(kernel.name, [&] {
    const exec::KernelImage& code = image(kernel);
    check_shape(kernel, code, shape);
    require(bytes >= code.param_bytes, cudaErrorInvalidValue, [&] {
      return fmt::format("kernel '{}' was not launched: {} bytes of arguments, where it takes {}",
                         kernel.name, bytes, code.param_bytes);
    });
    workload::Launch launch;
    launch.args.add_bytes(packed, code.param_bytes, 1);
    finish_launch(launch, kernel, shape);
    return launch;
  });
}

// What a kernel does wrong is told by later calls, as on a card; people are told at once.
void Session::run(const workload::Launch& launch) {
  if (fault_ != cudaSuccess) return note(kAfterFault);
  try {
    simulator().launch(launch);
  } catch (const exec::KernelFault& e) {
    fault_ = code_of(e.kind());
    output_.flush();
    note_fault(launch.kernel, e.message());
    std::fprintf(stderr, "%s%s\n", fault_ == cudaErrorAssert ? "" : "heddle: ",
                 fault_ == cudaErrorAssert ? e.message().c_str() : e.what());
  } catch (const Error& e) {
    fault_ = cudaErrorLaunchFailure;
    output_.flush();
    note_fault(launch.kernel, e.message());
    std::fprintf(stderr, "heddle: %s\n", e.what());
  }
}

}  // namespace heddle::runtime
