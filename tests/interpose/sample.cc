// A small program for the driver, without nvcc. Its argument says what it does:
//   modules    kernels of several modules and a library, in two streams, with packed arguments, too
//   order      its result depends on the order in which CTAs run
//   refused    kernels and launches that cannot be rewritten
//   unusable   a fat binary without PTX for the device
//   random     prints another number in every run
//   reset      ends its context before it ends
//   fail N     ends with status N
//   nothing    launches nothing
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "tests/interpose/driver_calls.h"
#include "tests/interpose/sample_ptx.h"

namespace {

constexpr unsigned kThreads = 64, kColumns = 12, kRows = 10, kWords = kThreads * kColumns * kRows;

void check(CUresult code, const char* what) {
  if (code == 0) return;
  std::printf("%s: %d\n", what, code);
  std::exit(90);
}
#define CHECK(x) check(x, #x)

class Sample {
 public:
  Sample() {
    CUdevice device = 0;
    CUhandle context = nullptr;
    CHECK(d.cuInit(0));
    CHECK(d.cuDeviceGet(&device, 0));
    CHECK(d.cuDevicePrimaryCtxRetain(&context, device));
    CHECK(d.cuCtxSetCurrent(context));
  }
  CUdeviceptr words(unsigned count) {
    std::vector<unsigned> host(count);
    std::iota(host.begin(), host.end(), 7);
    CUdeviceptr p = 0;
    CHECK(d.cuMemAlloc(&p, 4 * count));
    CHECK(d.cuMemcpyHtoD(p, host.data(), 4 * count));
    return p;
  }
  CUhandle function(const void* image, const char* name) {
    CUhandle module = nullptr, f = nullptr;
    CHECK(d.cuModuleLoadData(&module, image));
    CHECK(d.cuModuleGetFunction(&f, module, name));
    return f;
  }
  void show(CUdeviceptr p, unsigned count) {
    std::vector<unsigned> host(count);
    CHECK(d.cuMemcpyDtoH(host.data(), p, 4 * count));
    unsigned hash = 1;
    for (const unsigned w : host) hash = hash * 31 + w;
    std::printf("%u words, %u\n", count, hash);
  }
  void mix(CUhandle f, CUdeviceptr p, CUhandle stream) {
    unsigned n = kWords;
    void* arguments[] = {&p, &n};
    CHECK(d.cuLaunchKernel(f, kColumns, kRows, 1, kThreads, 1, 1, 0, stream, arguments, nullptr));
  }
  void mix_packed(CUhandle f, CUdeviceptr p) {
    struct {
      CUdeviceptr p;
      unsigned n;
    } block{p, kWords};
    std::size_t bytes = sizeof block;  // longer than the parameters
    void* extra[] = {reinterpret_cast<void*>(1), &block, reinterpret_cast<void*>(2), &bytes, nullptr};
    CHECK(d.cuLaunchKernel(f, kColumns, kRows, 1, kThreads, 1, 1, 0, nullptr, nullptr, extra));
  }
  void mix_configured(CUhandle f, CUdeviceptr p, int attribute, int value) {
    CUlaunchAttribute a{attribute, 0, {value, value, value}};
    const CUlaunchConfig config{{kColumns, kRows, 1}, {kThreads, 1, 1}, 0, nullptr, &a, 1};
    unsigned n = kWords;
    void* arguments[] = {&p, &n};
    CHECK(d.cuLaunchKernelEx(&config, f, arguments, nullptr));
  }

  const DriverCalls d = driver_calls();
};

void modules(Sample& s) {
  const std::string fat = sample_container(kMixPtx, 75, 0);
  CUhandle module = nullptr, first = nullptr, library = nullptr, kernel = nullptr, of_library = nullptr;
  CHECK(s.d.cuModuleLoadData(&module, fat.data()));
  CHECK(s.d.cuModuleGetFunction(&first, module, "mix"));
  CHECK(s.d.cuLibraryLoadData(&library, kMixPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(s.d.cuLibraryGetKernel(&kernel, library, "mix"));
  CHECK(s.d.cuKernelGetFunction(&of_library, kernel));
  CHECK(s.d.cuFuncSetAttribute(of_library, 9, 50));
  CUhandle streams[2] = {};
  const CUdeviceptr p = s.words(kWords), q = s.words(kWords);
  for (CUhandle& stream : streams) CHECK(s.d.cuStreamCreate(&stream, 1));
  for (int i = 0; i < 3; ++i) {
    s.mix(first, p, streams[0]);
    s.mix(kernel, q, streams[1]);
    s.mix(of_library, q, streams[1]);
  }
  std::vector<unsigned> host(kWords), other(kWords);
  CHECK(s.d.cuMemcpyDtoHAsync(host.data(), p, 4 * kWords, streams[0]));
  CHECK(s.d.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(other.data()), q, 4 * kWords, streams[1]));
  for (CUhandle stream : streams) {
    CHECK(s.d.cuStreamSynchronize(stream));
    CHECK(s.d.cuStreamDestroy(stream));
  }
  std::printf("%u %u\n", host[100], other[kWords - 1]);
  s.mix_packed(first, p);
  s.mix_configured(first, p, 8, 0);  // a priority
  s.show(p, kWords);
  // Both kernels of a module, the rewritten one and its original, have added to this.
  CUdeviceptr sum = 0;
  std::size_t bytes = 0;
  CHECK(s.d.cuModuleGetGlobal(&sum, &bytes, module, "sum"));
  s.show(sum, 1);
}

void order(Sample& s) {
  CUhandle f = s.function(kOrderPtx, "order");
  CUdeviceptr p = s.words(500), counter = s.words(1);
  const unsigned zero = 0;
  CHECK(s.d.cuMemcpyHtoD(counter, &zero, 4));
  void* arguments[] = {&p, &counter};
  CHECK(s.d.cuLaunchKernel(f, 500, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  s.show(p, 500);
}

void refused(Sample& s) {
  CUdeviceptr p = s.words(kWords);
  CUhandle early = s.function(kOrderPtx, "early"), mix = s.function(kMixPtx, "mix");
  void* arguments[] = {&p};
  CHECK(s.d.cuLaunchKernel(early, 20, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  unsigned n = kWords;
  void* both[] = {&p, &n};
  CHECK(s.d.cuLaunchCooperativeKernel(mix, 4, 1, 1, kThreads, 1, 1, 0, nullptr, both));
  s.mix(mix, p, nullptr);
  CUhandle stream = nullptr, graph = nullptr, executable = nullptr;
  CHECK(s.d.cuStreamCreate(&stream, 1));
  CHECK(s.d.cuStreamBeginCapture(stream, 0));
  s.mix(mix, p, stream);
  CHECK(s.d.cuStreamEndCapture(stream, &graph));
  CHECK(s.d.cuGraphInstantiateWithFlags(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(s.d.cuGraphLaunch(executable, stream));
  CHECK(s.d.cuStreamSynchronize(stream));
  s.show(p, kWords);
}

void unusable(Sample& s) {
  const std::string fat = sample_container(kMixPtx, 90, 0x100000);
  CUhandle f = s.function(fat.data(), "mix");
  const CUdeviceptr p = s.words(kWords);
  s.mix(f, p, nullptr);
  s.show(p, kWords);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "modules";
  if (what == "nothing") return 0;
  Sample s;
  if (what == "order") order(s);
  if (what == "refused") refused(s);
  if (what == "unusable") unusable(s);
  if (what == "modules" || what == "random" || what == "reset" || what == "fail") modules(s);
  if (what == "random") {
    timeval now{};
    gettimeofday(&now, nullptr);
    std::printf("time %ld.%06ld\n", static_cast<long>(now.tv_sec), static_cast<long>(now.tv_usec));
  }
  if (what == "reset") CHECK(s.d.cuDevicePrimaryCtxReset(0));
  return what == "fail" ? std::atoi(argv[2]) : 0;
}
