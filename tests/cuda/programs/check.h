// For the test programs: every call of the runtime is checked, every finding is one line of output.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                              \
  do {                                                                                           \
    const cudaError_t status_ = (call);                                                          \
    if (status_ != cudaSuccess) {                                                                \
      std::printf("%s:%d: %s gives %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_)); \
      std::exit(2);                                                                              \
    }                                                                                            \
  } while (false)

class Checks {
 public:
  void expect(bool good, const char* what) {
    std::printf("%-4s %s\n", good ? "ok" : "BAD", what);
    if (!good) ++bad_;
  }
  int finish() const {
    std::puts(bad_ == 0 ? "PASSED" : "FAILED");
    return bad_ == 0 ? 0 : 1;
  }

 private:
  int bad_ = 0;
};
