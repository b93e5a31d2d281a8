// Launches, and what can be asked and set about kernels.
#include <cstring>

#include "runtime/session/entry.h"
#include "runtime/session/occupancy.h"

namespace heddle::runtime {
namespace {

void launch(Session& s, const void* function, const Session::LaunchShape& shape, void** arguments,
            cudaStream_t stream) {
  Kernel& kernel = refusing("", [&]() -> Kernel& { return s.modules().kernel(function); });
  workload::Launch l = s.prepare(kernel, shape, arguments);
  s.submit(stream, NodeType::Kernel, [l = std::move(l)](Session& session) { session.run(l); });
}

void refuse_clusters(const cudaLaunchConfig_t& c) {
  for (unsigned i = 0; i < c.numAttrs; ++i) {
    if (c.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& d = c.attrs[i].val.clusterDim;
    if (d.x * d.y * d.z > 1) throw clusters_refused();
  }
}

bool is_cooperative(const cudaLaunchConfig_t& c) {
  for (unsigned i = 0; i < c.numAttrs; ++i)
    if (c.attrs[i].id == cudaLaunchAttributeCooperative && c.attrs[i].val.cooperative != 0) return true;
  return false;
}

// The part that CUDA 11 has, too.
void fill_attributes(Session& s, Kernel& kernel, cudaFuncAttributes& a) {
  const exec::KernelImage& image = s.image(kernel);
  const ptx::Function& f = *image.functions[0].source;
  const auto capability = static_cast<int>(s.capability());
  a.sharedSizeBytes = image.static_shared;
  a.constSizeBytes = 0;
  a.localSizeBytes = image.local_bytes;
  a.maxThreadsPerBlock = static_cast<int>(largest_block(s, kernel, f.max_threads.value_or(1024)));
  a.numRegs = static_cast<int>(s.registers(kernel));
  a.ptxVersion = a.binaryVersion = capability;
  a.cacheModeCA = 0;
  a.maxDynamicSharedSizeBytes =
      kernel.dynamic_shared > 0 ? kernel.dynamic_shared : (48 << 10) - static_cast<int>(image.static_shared);
  a.preferredShmemCarveout = kernel.carveout;
}

}  // namespace

HEDDLE_ENTRY(cudaLaunchKernel)
(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream) {
  return launch_entry([&](Session& s) {
    launch(s, function, {grid, block, shared, false, cudaErrorInvalidConfiguration}, arguments, stream);
  });
}

// What nvcc 13 makes of <<< >>>. Bad shapes have another code than before (as on an H200).
HEDDLE_ENTRY(__cudaLaunchKernel)
(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream) {
  return launch_entry([&](Session& s) {
    launch(s, kernel, {grid, block, shared, false}, arguments, stream);
  });
}

HEDDLE_ENTRY(cudaLaunchCooperativeKernel)
(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream) {
  return launch_entry([&](Session& s) {
    launch(s, function, {grid, block, shared, true}, arguments, stream);
  });
}

HEDDLE_ENTRY(cudaLaunchKernelExC)(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return launch_entry([&](Session& s) {
    require(config != nullptr, cudaErrorInvalidValue);
    refuse_clusters(*config);
    launch(s, function,
           {config->gridDim, config->blockDim, config->dynamicSmemBytes, is_cooperative(*config)}, arguments,
           config->stream);
  });
}

HEDDLE_ENTRY(cudaLaunchHostFunc)(cudaStream_t stream, cudaHostFn_t f, void* data) {
  return entry([&](Session& s) {
    require(f != nullptr, cudaErrorInvalidValue);
    s.submit(stream, NodeType::Host, [=](Session& session) {
      session.synchronize();
      f(data);
    });
  });
}

HEDDLE_ENTRY(cudaStreamAddCallback)
(cudaStream_t stream, void (*callback)(cudaStream_t, cudaError_t, void*), void* data, unsigned) {
  return entry([&](Session& s) {
    require(callback != nullptr, cudaErrorInvalidValue);
    s.submit(stream, NodeType::Host, [=](Session& session) {
      session.synchronize();
      callback(stream, session.fault(), data);
    });
  });
}

HEDDLE_ENTRY(cudaFuncGetAttributes)(cudaFuncAttributes* a, const void* function) {
  return entry([&](Session& s) {
    require(a != nullptr, cudaErrorInvalidValue);
    cudaFuncAttributes all{};
    fill_attributes(s, s.modules().kernel(function, cudaErrorInvalidResourceHandle), all);
    *a = all;
  });
}

// The structure of CUDA 11 ends before the fields of clusters.
HEDDLE_ENTRY(cudaFuncGetAttributes_v11)(cudaFuncAttributes* a, const void* function) {
  return entry([&](Session& s) {
    require(a != nullptr, cudaErrorInvalidValue);
    cudaFuncAttributes all{};
    fill_attributes(s, s.modules().kernel(function, cudaErrorInvalidResourceHandle), all);
    std::memcpy(a, &all, offsetof(cudaFuncAttributes, clusterDimMustBeSet));
  });
}

HEDDLE_ENTRY(cudaFuncSetAttribute)(const void* function, int attribute, int value) {
  constexpr int kMaxDynamicShared = 8, kCarveout = 9;
  return entry([&](Session& s) {
    Kernel& kernel = s.modules().kernel(function);
    if (attribute == kMaxDynamicShared) {
      const std::uint64_t most = shared_per_block_optin(s.simulator().spec());
      require(value >= 0 && static_cast<std::uint64_t>(value) + s.image(kernel).static_shared <= most,
              cudaErrorInvalidValue);
      kernel.dynamic_shared = value;
    } else if (attribute == kCarveout) {
      kernel.carveout = value;
    }
  });
}

HEDDLE_ENTRY(cudaFuncSetCacheConfig)(const void* function, int) {
  return entry([&](Session& s) { s.modules().kernel(function); });
}
HEDDLE_ENTRY(cudaFuncSetSharedMemConfig)(const void* function, int) {
  return entry([&](Session& s) { s.modules().kernel(function); });
}

HEDDLE_ENTRY(cudaFuncGetName)(const char** name, const void* function) {
  return entry([&](Session& s) { *name = s.modules().kernel(function).name.c_str(); });
}

HEDDLE_ENTRY(cudaFuncGetParamInfo)
(const void* function, std::size_t index, std::size_t* offset, std::size_t* size) {
  return entry([&](Session& s) {
    const auto& params = s.image(s.modules().kernel(function)).functions[0].source->params;
    require(index < params.size(), cudaErrorInvalidValue);
    if (offset != nullptr) *offset = params[index].offset;
    if (size != nullptr) *size = params[index].size;
  });
}

HEDDLE_ENTRY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, const void* function, int threads, std::size_t dynamic_shared, unsigned) {
  return entry([&](Session& s) {
    require(blocks != nullptr && threads > 0, cudaErrorInvalidValue);
    *blocks = static_cast<int>(
        s.resident_ctas(s.modules().kernel(function), static_cast<std::uint32_t>(threads), dynamic_shared));
  });
}

HEDDLE_ENTRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, const void* function, int threads, std::size_t dynamic_shared) {
  return heddle_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                       dynamic_shared, 0);
}

HEDDLE_ENTRY(cudaOccupancyAvailableDynamicSMemPerBlock)
(std::size_t* bytes, const void* function, int blocks, int) {
  return entry([&](Session& s) {
    require(bytes != nullptr && blocks > 0, cudaErrorInvalidValue);
    const std::uint64_t all = s.simulator().spec().sm.shared_memory.count() / static_cast<unsigned>(blocks);
    const std::uint64_t fixed = s.image(s.modules().kernel(function)).static_shared +
                                s.simulator().spec().sm.shared_reserved_per_cta.count();
    *bytes = all > fixed ? all - fixed : 0;
  });
}

}  // namespace heddle::runtime
