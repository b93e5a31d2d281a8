// A small CUDA program without nvcc: adds to 1,024 words, so many times as its first argument says, prints
// one, and ends with the status of its second. `crash`: ends with a signal.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/runtime/program.h"

int main(int argc, char** argv) {
  using namespace heddle::runtime_test;
  const int launches = argc > 1 ? std::atoi(argv[1]) : 1;
  const void* add = common().kernel("add");
  std::uint32_t *p = nullptr, one = 1, got = 0;
  if (cudaMalloc(reinterpret_cast<void**>(&p), 4096) != cudaSuccess) return 90;
  for (int i = 0; i < launches; ++i)
    if (launch(add, {4}, {256}, {&p, &one}) != cudaSuccess) return 91;
  if (cudaMemcpy(&got, p + 1000, 4, kToHost) != cudaSuccess) return 92;
  std::printf("word %u\n", got);
  if (argc > 2 && std::strcmp(argv[2], "crash") == 0) std::raise(SIGTERM);
  return argc > 2 ? std::atoi(argv[2]) : 0;
}
