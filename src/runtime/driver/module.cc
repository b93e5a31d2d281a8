// Driver interface: modules, functions, launches.
#include <cstring>

#include "base/file.h"
#include "runtime/driver/image.h"
#include "runtime/session/device_properties.h"
#include "runtime/session/occupancy.h"

namespace heddle::runtime {
namespace {

// Names of CU_LAUNCH_PARAM_...: how arguments are given packed.
const auto kParamEnd = reinterpret_cast<void*>(0);
const auto kParamBuffer = reinterpret_cast<void*>(1);
const auto kParamSize = reinterpret_cast<void*>(2);

constexpr std::uint32_t kContainerMagic = 0xba55ed50, kWrapperMagic = 0x466243b1;
constexpr unsigned char kElf[] = {0x7f, 'E', 'L', 'F'};

DeviceModule& add_image(Session& s, const void* image) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == kWrapperMagic) return s.modules().add_fatbin(*static_cast<const FatBinaryWrapper*>(image));
  if (magic == kContainerMagic) return s.modules().add_fatbin({kWrapperMagic, 1, image, nullptr});
  if (std::memcmp(image, kElf, sizeof kElf) == 0)
    throw Failure{cudaErrorNoKernelImageForDevice, "this module is machine code; Heddle executes PTX"};
  return s.modules().add_text(static_cast<const char*>(image), "PTX of the program");
}

// Kernels are refused one by one when they are launched; a text in which none is any good is refused here, as
// a compiler would.
void refuse_if_useless(Session& s, const DeviceModule& m) {
  std::string problem;
  for (const ptx::Function& f : s.simulator().module(m.number).module().functions) {
    if (!f.entry) continue;
    try {
      s.simulator().kernel(m.number, f.name);
      return;
    } catch (const Error& e) {
      problem = e.what();
    }
  }
  if (!problem.empty()) throw Failure{cudaErrorInvalidPtx, problem};
}

void launch_function(Session& s, CUfunction f, const Session::LaunchShape& shape, cudaStream_t stream,
                     void** arguments, void** extra) {
  Kernel& kernel = refusing("", [&]() -> Kernel& { return s.modules().kernel(f); });
  const void* packed = nullptr;
  std::size_t bytes = 0;
  for (; extra != nullptr && *extra != kParamEnd; extra += 2) {
    if (extra[0] == kParamBuffer) packed = extra[1];
    if (extra[0] == kParamSize) bytes = *static_cast<std::size_t*>(extra[1]);
  }
  workload::Launch l = packed != nullptr ? s.prepare_packed(kernel, shape, packed, bytes)
                                         : s.prepare(kernel, shape, arguments);
  s.submit(stream, NodeType::Kernel, [l = std::move(l)](Session& session) { session.run(l); });
}

}  // namespace

void load_image(Session& s, CUmodule* module, const void* image) {
  require(module != nullptr && image != nullptr, cudaErrorInvalidValue);
  DeviceModule& m = add_image(s, image);
  s.modules().load(m, s.simulator());
  refuse_if_useless(s, m);
  *module = &m;
}

void load_image_file(Session& s, CUmodule* module, const char* path) {
  require(path != nullptr, cudaErrorInvalidValue);
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error&) {
    throw Failure{cudaErrorFileNotFound, {}};
  }
  load_image(s, module, text.c_str());
}

HEDDLE_ENTRY(cuModuleLoadData)(CUmodule* module, const void* image) {
  return driver_entry([&](Session& s) { load_image(s, module, image); });
}
HEDDLE_ENTRY(cuModuleLoadDataEx)
(CUmodule* module, const void* image, unsigned count, const int* names, void** values) {
  return driver_entry([&](Session& s) {
    const JitOptions options{count, names, values};
    try {
      load_image(s, module, image);
    } catch (const Failure& e) {
      options.finish(e.message);
      throw;
    }
    options.finish();
  });
}
HEDDLE_ENTRY(cuModuleLoadFatBinary)(CUmodule* module, const void* image) {
  return heddle_cuModuleLoadData(module, image);
}
HEDDLE_ENTRY(cuModuleLoad)(CUmodule* module, const char* file) {
  return driver_entry([&](Session& s) { load_image_file(s, module, file); });
}
HEDDLE_ENTRY(cuModuleUnload)(CUmodule) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name) {
  return driver_entry([&](Session& s) {
    require(function != nullptr && module != nullptr && name != nullptr, cudaErrorInvalidValue);
    *function = s.modules().kernel_named(*module, name, s.simulator());
    require(*function != nullptr, cudaErrorSymbolNotFound);
  });
}
HEDDLE_ENTRY(cuModuleGetGlobal)(CUdeviceptr* p, std::size_t* bytes, CUmodule module, const char* name) {
  return driver_entry([&](Session& s) {
    std::uint64_t size = 0;
    const Address a = s.simulator().module(module->number).find_variable(name, &size);
    require(a != 0, cudaErrorSymbolNotFound);
    if (p != nullptr) *p = a;
    if (bytes != nullptr) *bytes = size;
  });
}

HEDDLE_ENTRY(cuFuncGetAttribute)(int* value, int number, CUfunction function) {
  return driver_entry([&](Session& s) {
    const exec::KernelImage& image = s.image(*function);
    const int values[] = {static_cast<int>(largest_block(s, *function, 1024)),
                          static_cast<int>(image.static_shared),
                          0,
                          static_cast<int>(image.local_bytes),
                          static_cast<int>(s.registers(*function)),
                          static_cast<int>(s.capability()),
                          static_cast<int>(s.capability())};
    require(number >= 0 && number < static_cast<int>(std::size(values)), cudaErrorInvalidValue);
    *value = values[number];
  });
}
HEDDLE_ENTRY(cuFuncSetAttribute)(CUfunction function, int number, int value) {
  constexpr int kMaxDynamicShared = 8;
  return driver_entry([&](Session& s) {
    if (number != kMaxDynamicShared) return;
    require(static_cast<std::uint64_t>(value) <= shared_per_block_optin(s.simulator().spec()),
            cudaErrorInvalidValue);
    function->dynamic_shared = value;
  });
}
HEDDLE_ENTRY(cuFuncSetCacheConfig)(CUfunction, int) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuKernelSetAttribute)(int number, int value, CUfunction kernel, CUdevice) {
  return heddle_cuFuncSetAttribute(kernel, number, value);
}
HEDDLE_ENTRY(cuKernelSetCacheConfig)(CUfunction, int, CUdevice) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, CUfunction function, int threads, std::size_t dynamic_shared) {
  return driver_entry([&](Session& s) {
    *blocks =
        static_cast<int>(s.resident_ctas(*function, static_cast<std::uint32_t>(threads), dynamic_shared));
  });
}

HEDDLE_ENTRY(cuLaunchKernel)
(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
 cudaStream_t stream, void** arguments, void** extra) {
  return launch_driver_entry([&](Session& s) {
    launch_function(s, f, {{gx, gy, gz}, {bx, by, bz}, shared, false}, stream, arguments, extra);
  });
}
HEDDLE_ENTRY(cuLaunchCooperativeKernel)
(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
 cudaStream_t stream, void** arguments) {
  return launch_driver_entry([&](Session& s) {
    launch_function(s, f, {{gx, gy, gz}, {bx, by, bz}, shared, true}, stream, arguments, nullptr);
  });
}

// The layout differs from the runtime's cudaLaunchConfig_t.
struct CUlaunchConfig {
  unsigned grid[3], block[3], sharedMemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attributes;
  unsigned count;
};
HEDDLE_ENTRY(cuLaunchKernelEx)(const CUlaunchConfig* c, CUfunction f, void** arguments, void** extra) {
  return launch_driver_entry([&](Session& s) {
    require(c != nullptr, cudaErrorInvalidValue);
    bool cooperative = false;
    for (unsigned i = 0; i < c->count; ++i) {
      const cudaLaunchAttribute& a = c->attributes[i];
      if (a.id == cudaLaunchAttributeCooperative) cooperative = a.val.cooperative != 0;
      if (a.id == cudaLaunchAttributeClusterDimension &&
          a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z > 1)
        throw clusters_refused();
    }
    launch_function(s, f,
                    {{c->grid[0], c->grid[1], c->grid[2]},
                     {c->block[0], c->block[1], c->block[2]},
                     c->sharedMemBytes,
                     cooperative},
                    c->stream, arguments, extra);
  });
}

// The block size with the most threads on an SM; of equals the largest.
HEDDLE_ENTRY(cuOccupancyMaxPotentialBlockSize)
(int* grid, int* block, CUfunction function, std::size_t (*shared_of)(int), std::size_t shared, int limit) {
  return driver_entry([&](Session& s) {
    require(grid != nullptr && block != nullptr, cudaErrorInvalidValue);
    const std::uint32_t most = largest_block(s, *function, 1024);
    std::uint32_t best = 0;
    *grid = *block = 0;
    for (std::uint32_t threads = limit > 0 ? std::min<std::uint32_t>(most, static_cast<unsigned>(limit))
                                           : most;
         threads > 0; threads = (threads - 1) / 32 * 32) {
      const std::size_t bytes = shared_of != nullptr ? shared_of(static_cast<int>(threads)) : shared;
      const std::uint32_t ctas = s.resident_ctas(*function, threads, bytes);
      if (ctas * threads <= best) continue;
      best = ctas * threads;
      *block = static_cast<int>(threads);
      *grid = static_cast<int>(ctas * s.simulator().spec().sms());
    }
  });
}
HEDDLE_ENTRY(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int* grid, int* block, CUfunction function, std::size_t (*shared_of)(int), std::size_t shared, int limit,
 unsigned) {
  return heddle_cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}
HEDDLE_ENTRY(cuModuleGetLoadingMode)(int* mode) {
  constexpr int kLazy = 2;
  *mode = kLazy;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuFuncGetModule)(CUmodule* module, CUfunction function) {
  *module = function->module;
  return cudaSuccess;
}

}  // namespace heddle::runtime
