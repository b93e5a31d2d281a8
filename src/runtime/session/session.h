// Everything that the entry points of one program share. They hold its lock; what they start has ended when
// they return, so that the order of calls is the order of execution, in every stream.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/options.h"
#include "runtime/device/simulator.h"
#include "runtime/session/abi.h"
#include "runtime/session/failure.h"
#include "runtime/session/graph.h"
#include "runtime/session/modules.h"
#include "runtime/session/physical_memory.h"

namespace heddle::runtime {

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  std::map<int, std::array<char, 64>> attributes;  // as the program set them; they change nothing
  Graph* capture = nullptr;                        // what is given to the stream becomes nodes of this graph
  bool capture_origin = false;
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::uint64_t at = 0;  // core cycles
  Graph* capture = nullptr;
};

// Who may use an allocation, and how it was made.
// Graph: the address belongs to a graph for ever; there is memory from its allocation node to whoever frees
// it.
// Imported: of another process.
enum class MemoryKind : std::uint8_t { Device, Pinned, Managed, Registered, Array, Graph, Imported };

struct Array {
  Address address = 0;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  std::uint64_t pitch = 0;  // bytes from row to row
  unsigned flags = 0;
  MipmappedArray* level_of = nullptr;  // whose memory it lies in
  bool has(unsigned flag) const { return (flags & flag) != 0; }
  std::uint64_t element() const {
    return static_cast<std::uint64_t>(format.x + format.y + format.z + format.w) / 8;
  }
  std::uint64_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  std::uint64_t layers() const { return extent.depth == 0 ? 1 : extent.depth; }
};

struct MipmappedArray {
  Address address = 0;
  std::vector<cudaArray_t> levels;
};

struct MemPool {
  std::uint64_t release_threshold = 0;
};

struct TextureObject {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
};

class Session {
 public:
  // The one of this process.
  static Session& get();

  std::recursive_mutex& lock() { return lock_; }
  // Made on first use. Throws Failure.
  Simulator& simulator();
  bool has_simulator() const { return simulator_ != nullptr; }
  Modules& modules() { return modules_; }
  const ExecOptions& options();
  // 75: the card claims compute capability 7.5.
  std::uint32_t capability();

  // ---- errors ---------------------------------------------------------------------------------------
  // A kernel has failed: every later call tells so.
  cudaError_t fault() const { return fault_; }
  // Whether this comes for the first time: an entry point that is not there, a reason to refuse something.
  bool first_refusal(const char* name) { return refused_.insert(name).second; }
  // Tells people, and counts what was refused.
  void note(const Failure& failure);
  void note(const Refused& refused);
  void note_fault(const std::string& kernel, const std::string& why);
  void note_lost(const std::string& file, const std::string& why);
  // The last error of the calling thread.
  static cudaError_t& last_error();

  // ---- streams --------------------------------------------------------------------------------------
  // The stream that a handle means, one of the default ones too. Throws Failure.
  Stream& stream(cudaStream_t handle);
  cudaStream_t create_stream(unsigned flags, int priority);
  void destroy_stream(cudaStream_t handle);
  Event& event(cudaEvent_t handle);
  cudaEvent_t create_event(unsigned flags);
  void destroy_event(cudaEvent_t handle);
  // Does it now, or adds it to the graph that the stream captures.
  void submit(cudaStream_t stream, NodeType type, std::function<void(Session&)> action);
  // Of work on the host: kernels' output appears, too.
  void synchronize();
  void end_capture(Graph& graph);

  // ---- launches -------------------------------------------------------------------------------------
  struct LaunchShape {
    dim3 grid, block;
    std::size_t shared = 0;
    bool cooperative = false;
    cudaError_t wrong = cudaErrorInvalidValue;  // the code of a shape that no card takes
  };
  // Checks everything that can be wrong before a kernel runs. Throws Failure.
  workload::Launch prepare(Kernel& kernel, const LaunchShape& shape, void** arguments);
  workload::Launch prepare_packed(Kernel& kernel, const LaunchShape& shape, const void* packed,
                                  std::size_t bytes);
  const exec::KernelImage& image(Kernel& kernel);
  std::uint32_t registers(Kernel& kernel);
  // CTAs of `threads` threads on an SM; 0: not even one.
  std::uint32_t resident_ctas(Kernel& kernel, std::uint32_t threads, std::uint64_t dynamic_shared);
  void run(const workload::Launch& launch);

  // ---- memory ---------------------------------------------------------------------------------------
  void* allocate(std::uint64_t bytes, MemoryKind kind, const char* label);
  void release(void* p, std::initializer_list<MemoryKind> kinds, cudaError_t wrong);
  void occupy_graph_memory(void* p);
  struct GraphMemoryUse {
    std::uint64_t used = 0, most_used = 0, reserved = 0, most_reserved = 0;
  };
  GraphMemoryUse& graph_memory() { return graph_memory_; }
  void register_host(void* p, std::uint64_t bytes);
  void unregister_host(void* p);
  // Memory of another process, which lies at `p` in this one.
  void import(void* p, std::uint64_t bytes);
  void end_import(void* p);
  struct Memory {
    MemoryKind kind;
    std::uint64_t bytes;
    bool occupied = true;  // only of graph memory it may be false
  };
  // What contains `p`; nullptr: nothing of the device.
  const Memory* memory_of(const void* p, Address* begin = nullptr) const;
  // Between host and device or within either, one contiguous piece. Throws Failure.
  void copy(void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind);
  void check_copy(const void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind) const;
  void fill(void* to, int value, std::uint64_t bytes);

  Array& array(cudaArray_t handle);
  cudaArray_t create_array(const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags);
  void destroy_array(cudaArray_t handle);
  MipmappedArray& mipmapped_array(cudaMipmappedArray_t handle);
  cudaMipmappedArray_t create_mipmapped_array(const cudaChannelFormatDesc& format, cudaExtent extent,
                                              unsigned levels, unsigned flags);
  void destroy_mipmapped_array(cudaMipmappedArray_t handle);
  std::map<std::uint64_t, TextureObject>& textures() { return textures_; }
  std::map<std::uint64_t, cudaResourceDesc>& surfaces() { return surfaces_; }
  PhysicalMemoryTable& physical_memory() { return physical_memory_; }
  MemPool& default_pool() { return pool_; }
  GraphTable& graphs() { return graphs_; }
  std::map<int, std::uint64_t>& limits() { return limits_; }

  // cudaDeviceReset: memory, streams and modules as at the beginning.
  void reset();

 private:
  Session();
  LaunchResults* results();  // nullptr: there are none
  void require_device_range(const char* what, const char* verb, const void* p, std::uint64_t bytes) const;
  void require_host_range(const char* verb, const void* p, std::uint64_t bytes) const;
  bool on_device(const void* p, std::uint64_t bytes, bool exclusively) const;
  void finish_launch(workload::Launch& launch, Kernel& kernel, const LaunchShape& shape);
  void check_shape(Kernel& kernel, const exec::KernelImage& image, const LaunchShape& shape);
  void check_resources(Kernel& kernel, const exec::KernelImage& image, const LaunchShape& shape);

  class Output final : public exec::OutputSink {
   public:
    void write(const std::string& text) override;
    void flush();

   private:
    // As much as a card keeps by default (cudaLimitPrintfFifoSize). A card then overwrites the oldest.
    static constexpr std::size_t kMost = std::size_t{1} << 20;
    std::string text_;
    bool lost_ = false;  // some of it could not be written
  };

  std::recursive_mutex lock_;
  std::optional<ExecOptions> options_;  // read on first use, see Modules::add_fatbin()
  Output output_;
  std::unique_ptr<History> history_;
  std::unique_ptr<Simulator> simulator_;
  Modules modules_;
  cudaError_t fault_ = cudaSuccess;
  Stream legacy_, per_thread_;
  std::map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::map<cudaEvent_t, std::unique_ptr<Event>> events_;
  std::uint64_t next_stream_ = 16;
  std::map<Address, Memory> memory_;
  std::map<cudaArray_t, std::unique_ptr<Array>> arrays_;
  std::map<cudaMipmappedArray_t, std::unique_ptr<MipmappedArray>> mipmapped_arrays_;
  std::map<std::uint64_t, TextureObject> textures_;
  std::map<std::uint64_t, cudaResourceDesc> surfaces_;
  std::map<int, std::uint64_t> limits_;
  PhysicalMemoryTable physical_memory_;
  MemPool pool_;
  GraphMemoryUse graph_memory_;
  GraphTable graphs_;
  std::set<std::string> refused_;
};

}  // namespace heddle::runtime
