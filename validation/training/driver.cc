// Runs the kernels of this folder, one case after another, on whatever CUDA driver is found: a card's, or
// Heddle's (heddle exec). The code comes from the files THEME.ptx or THEME.cubin of a folder; inputs are made
// on the host from seeds, so that all launches of a process are those of the cases.
//
//   driver --list                                      name, theme, kernel, grid, block, shared of every case
//   driver CODE_DIR [--cubin] [--warm N] [--launches N] [--profile] [--themes A,B] [--cases A,B]
//
// Per case: N warm-up launches (0), then N launches (1), each with fresh contents of the buffers that it
// writes. Prints CSV: case, hash of all written words, sum of them as numbers, milliseconds of the last
// launch by events.
// --profile tells a profiler to look at the launches behind the warm-up only (ncu --profile-from-start off).
//
//   c++ -std=c++17 -O2 -ffp-contract=off driver.cc -o driver -ldl
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases.h"

namespace {

using namespace training;

struct Driver {
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*primary_context)(void**, int);
  int (*set_context)(void*);
  int (*synchronize)();
  int (*allocate)(std::uint64_t*, std::size_t);
  int (*release)(std::uint64_t);
  int (*to_device)(std::uint64_t, const void*, std::size_t);
  int (*to_host)(void*, std::uint64_t, std::size_t);
  int (*fill)(std::uint64_t, unsigned char, std::size_t);
  int (*load)(void**, const void*);
  int (*symbol)(std::uint64_t*, std::size_t*, void*, const char*);
  int (*function)(void**, void*, const char*);
  int (*set_attribute)(void*, int, int);
  int (*create_texture)(std::uint64_t*, const void*, const void*, const void*);
  int (*destroy_texture)(std::uint64_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**);
  int (*event_create)(void**, unsigned);
  int (*event_record)(void*, void*);
  int (*event_wait)(void*);
  int (*event_time)(float*, void*, void*);
  int (*profiler_start)();
  int (*profiler_stop)();
};

template <class F>
void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (!function) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
}

Driver open_driver() {
  void* l = dlopen("libcuda.so.1", RTLD_NOW);
  if (!l) throw std::runtime_error("no CUDA driver here (libcuda.so.1): use heddle exec");
  Driver d{};
  find(l, "cuInit", d.init);
  find(l, "cuDeviceGet", d.device_get);
  find(l, "cuDevicePrimaryCtxRetain", d.primary_context);
  find(l, "cuCtxSetCurrent", d.set_context);
  find(l, "cuCtxSynchronize", d.synchronize);
  find(l, "cuMemAlloc_v2", d.allocate);
  find(l, "cuMemFree_v2", d.release);
  find(l, "cuMemcpyHtoD_v2", d.to_device);
  find(l, "cuMemcpyDtoH_v2", d.to_host);
  find(l, "cuMemsetD8_v2", d.fill);
  find(l, "cuModuleLoadData", d.load);
  find(l, "cuModuleGetGlobal_v2", d.symbol);
  find(l, "cuModuleGetFunction", d.function);
  find(l, "cuFuncSetAttribute", d.set_attribute);
  find(l, "cuTexObjectCreate", d.create_texture);
  find(l, "cuTexObjectDestroy", d.destroy_texture);
  find(l, "cuLaunchKernel", d.launch);
  find(l, "cuEventCreate", d.event_create);
  find(l, "cuEventRecord", d.event_record);
  find(l, "cuEventSynchronize", d.event_wait);
  find(l, "cuEventElapsedTime", d.event_time);
  find(l, "cuProfilerStart", d.profiler_start);
  find(l, "cuProfilerStop", d.profiler_stop);
  return d;
}

void check(int result, const std::string& what) {
  if (result != 0) throw std::runtime_error(what + " failed with CUDA error " + std::to_string(result));
}

// As the driver lays them out (cuda.h).
struct ResourceDescription {
  std::int32_t kind = 2;  // 2: linear memory, 3: rows
  std::uint64_t address = 0;
  std::uint32_t format = 0x20;  // floats
  std::uint32_t channels = 1;
  std::uint64_t bytes_or_width = 0, height = 0, pitch = 0;
  std::uint8_t rest[128 - 24 - 16] = {};
  std::uint32_t flags = 0;
};
static_assert(sizeof(ResourceDescription) == 144);
struct TextureDescription {
  std::int32_t address_mode[3] = {1, 1, 1};  // clamp
  std::int32_t filter = 0;                   // 0 point, 1 linear
  std::uint32_t flags = 0;
  std::uint8_t rest[104 - 20] = {};
};
static_assert(sizeof(TextureDescription) == 104);

struct Options {
  std::string folder;
  bool cubin = false, profile = false, list = false;
  int warm = 0, launches = 1;
  std::vector<std::string> themes, cases;
};

struct Buffer {
  const Arg* arg;
  std::uint64_t address = 0;
  Words contents;
  std::size_t words = 0;
};

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options), d_(open_driver()) {
    check(d_.init(0), "cuInit");
    int device = 0;
    void* context = nullptr;
    check(d_.device_get(&device, 0), "cuDeviceGet");
    check(d_.primary_context(&context, device), "creating a context");
    check(d_.set_context(context), "setting the context");
    for (void*& e : events_) check(d_.event_create(&e, 0), "cuEventCreate");
  }

  void run(const Case& c) {
    void* module = load(c.theme);
    void* function = nullptr;
    check(d_.function(&function, module, c.kernel), std::string("finding ") + c.kernel);
    if (c.shared > 48 * 1024)
      check(d_.set_attribute(function, 8, static_cast<int>(c.shared)), "shared memory of the launch");
    for (const Constant& k : c.constants) {
      std::uint64_t p = 0;
      std::size_t bytes = 0;
      check(d_.symbol(&p, &bytes, module, k.name), k.name);
      const Words w = k.make();
      if (w.size() * 4 > bytes)
        throw std::runtime_error(std::string(k.name) + " is smaller than its contents");
      check(d_.to_device(p, w.data(), w.size() * 4), k.name);
    }
    buffers_.clear();
    std::vector<std::uint64_t> values(c.args.size());  // what a parameter points to
    std::vector<std::uint64_t> textures;
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      const Arg& a = c.args[i];
      if (a.kind == Arg::Scalar) {
        values[i] = a.scalar;
        continue;
      }
      Buffer b{&a, 0, a.make ? a.make() : Words{}};
      b.words = a.words ? a.words : b.contents.size();
      check(d_.allocate(&b.address, b.words * 4), "allocating");
      if (a.make && b.contents.size() != b.words)
        throw std::runtime_error(std::string(c.name) + ": contents of another size");
      set(b);
      values[i] = b.address;
      if (a.kind == Arg::Texture) textures.push_back(values[i] = texture(a, b.address));
      buffers_.push_back(std::move(b));
    }
    std::vector<void*> parameters;
    for (std::size_t i = 0; i < c.args.size(); ++i) {
      const Arg& a = c.args[i];
      parameters.push_back(a.by_value ? const_cast<std::uint8_t*>(a.bytes.data())
                                      : static_cast<void*>(&values[i]));
    }
    float ms = 0;
    std::uint64_t first_hash = 0;
    bool same = true;
    for (int i = 0; i < options_.warm + options_.launches; ++i) {
      if (i > 0)
        for (Buffer& b : buffers_)
          if (b.arg->written) set(b);
      check(d_.synchronize(), "waiting");
      const bool profiled = options_.profile && i >= options_.warm;
      if (profiled) check(d_.profiler_start(), "cuProfilerStart");
      check(d_.event_record(events_[0], nullptr), "cuEventRecord");
      check(d_.launch(function, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.shared,
                      nullptr, parameters.data(), nullptr),
            std::string("launching ") + c.name);
      check(d_.event_record(events_[1], nullptr), "cuEventRecord");
      check(d_.synchronize(), c.name);
      if (profiled) check(d_.profiler_stop(), "cuProfilerStop");
      check(d_.event_wait(events_[1]), "cuEventSynchronize");
      check(d_.event_time(&ms, events_[0], events_[1]), "cuEventElapsedTime");
      sum_up();
      if (i == 0) first_hash = hash_;
      same = same && hash_ == first_hash;
    }
    std::printf("%s,%016llx,%.9g,%.4f%s\n", c.name, static_cast<unsigned long long>(hash_), sum_,
                static_cast<double>(ms), same ? "" : ",differs");
    std::fflush(stdout);
    for (std::uint64_t t : textures) d_.destroy_texture(t);
    for (Buffer& b : buffers_) d_.release(b.address);
  }

 private:
  void* load(const std::string& theme) {
    void*& module = modules_[theme];
    if (module) return module;
    const std::string name = options_.folder + "/" + theme + (options_.cubin ? ".cubin" : ".ptx");
    std::ifstream in(name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) throw std::runtime_error("cannot read " + name);
    check(d_.load(&module, text.str().c_str()), "loading " + name);
    return module;
  }
  void set(const Buffer& b) {
    if (b.contents.empty())
      check(d_.fill(b.address, 0, b.words * 4), "clearing");
    else
      check(d_.to_device(b.address, b.contents.data(), b.contents.size() * 4), "copying to the device");
  }
  std::uint64_t texture(const Arg& a, std::uint64_t address) {
    ResourceDescription r;
    TextureDescription t;
    r.address = address;
    r.channels = a.channels;
    if (a.height == 0) {
      r.bytes_or_width = a.words * 4;
    } else {
      r.kind = 3;  // CU_RESOURCE_TYPE_PITCH2D
      r.bytes_or_width = a.width;
      r.height = a.height;
      r.pitch = a.width * 4;
      t.filter = a.linear ? 1 : 0;
    }
    std::uint64_t handle = 0;
    check(d_.create_texture(&handle, &r, &t, nullptr), "creating a texture");
    return handle;
  }
  // Of all buffers that the kernel writes: a hash of their words, and their sum as numbers of the type they
  // hold (the approximate functions need not have the same bits everywhere).
  void sum_up() {
    hash_ = 1469598103934665603ull;
    sum_ = 0;
    for (const Buffer& b : buffers_) {
      if (!b.arg->written || b.arg->check == Arg::None) continue;
      Words w(b.words);
      check(d_.to_host(w.data(), b.address, w.size() * 4), "copying to the host");
      std::uint64_t all = 0;
      for (std::uint32_t x : w) {
        all += x;
        if (b.arg->check == Arg::All) hash_ = (hash_ ^ x) * 1099511628211ull;
      }
      hash_ = (hash_ ^ all) * 1099511628211ull;
      if (b.arg->type == Arg::F64) {
        for (std::size_t i = 0; i + 1 < w.size(); i += 2) {
          double v;
          std::memcpy(&v, &w[i], 8);
          sum_ += v;
        }
      } else {
        for (std::uint32_t x : w) {
          float v;
          std::memcpy(&v, &x, 4);
          sum_ += b.arg->type == Arg::F32 ? static_cast<double>(v) : static_cast<double>(x);
        }
      }
    }
  }

  const Options& options_;
  Driver d_;
  void* events_[2] = {};
  std::map<std::string, void*> modules_;
  std::vector<Buffer> buffers_;
  std::uint64_t hash_ = 0;
  double sum_ = 0;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    auto value = [&]() -> std::string {
      if (++i >= argc) throw std::runtime_error(a + " needs a value");
      return argv[i];
    };
    if (a == "--list")
      o.list = true;
    else if (a == "--cubin")
      o.cubin = true;
    else if (a == "--profile")
      o.profile = true;
    else if (a == "--warm")
      o.warm = std::atoi(value().c_str());
    else if (a == "--launches")
      o.launches = std::atoi(value().c_str());
    else if (a == "--themes")
      o.themes = split(value());
    else if (a == "--cases")
      o.cases = split(value());
    else if (a[0] == '-' || !o.folder.empty())
      throw std::runtime_error("unknown argument " + a);
    else
      o.folder = a;
  }
  if (!o.list && o.folder.empty())
    throw std::runtime_error("usage: driver --list | driver CODE_DIR [options] (see driver.cc)");
  return o;
}

bool chosen(const std::vector<std::string>& among, const char* name) {
  if (among.empty()) return true;
  for (const std::string& a : among)
    if (a == name) return true;
  return false;
}

int run_all(const Options& o) {
  const std::vector<Case> all = cases();
  for (const std::string& name : o.cases) {
    bool known = false;
    for (const Case& c : all) known = known || name == c.name;
    if (!known) throw std::runtime_error("no case " + name);
  }
  if (o.list) {
    std::puts("case,theme,kernel,grid,block,shared");
    for (const Case& c : all)
      std::printf("%s,%s,%s,%ux%ux%u,%ux%ux%u,%u\n", c.name, c.theme, c.kernel, c.grid.x, c.grid.y, c.grid.z,
                  c.block.x, c.block.y, c.block.z, c.shared);
    return 0;
  }
  Runner runner(o);
  for (const Case& c : all)
    if (chosen(o.themes, c.theme) && chosen(o.cases, c.name)) runner.run(c);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_all(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "driver: %s\n", error.what());
    return 1;
  }
}
