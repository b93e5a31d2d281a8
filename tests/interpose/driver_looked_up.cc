// A program that finds the driver while it runs.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/interpose/driver_calls.h"

DriverCalls driver_calls() {
  using GetProcAddress = CUresult (*)(const char*, void**, int, std::uint64_t, int*);
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::puts("no driver");
    std::exit(77);
  }
  const auto find = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  // The runtime asks the function for itself, and uses what it gets.
  void* own = nullptr;
  find("cuGetProcAddress", &own, 13000, 0, nullptr);
  if (own != reinterpret_cast<void*>(find)) {
    std::puts("another cuGetProcAddress");
    std::exit(91);
  }
  DriverCalls d;
#define SAMPLE_FIND(name, exported, parameters)                 \
  {                                                             \
    void* address = nullptr;                                    \
    find(#name, &address, 13000, 0, nullptr);                   \
    d.name = reinterpret_cast<CUresult(*) parameters>(address); \
  }
  SAMPLE_CALLS(SAMPLE_FIND)
  return d;
}
