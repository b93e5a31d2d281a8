// A small CUDA program without nvcc: adds to 1,024 words, so many times as its first argument says, prints
// one, and ends with the status of its second. `crash`: ends with a signal. `reset`: gives the device back,
// and asks it something; `again`: does everything twice, with a reset in between. `refused`: asks for
// launches, copies and fills that no card does, looks at no error, and ends with 0. `fault`: the same with a
// kernel that fails.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/runtime/program.h"

namespace {

using namespace heddle::runtime_test;

int add_to_words(int launches) {
  const void* add = common().kernel("add");
  std::uint32_t *p = nullptr, one = 1, got = 0;
  if (cudaMalloc(reinterpret_cast<void**>(&p), 4096) != cudaSuccess) return 90;
  for (int i = 0; i < launches; ++i)
    if (launch(add, {4}, {256}, {&p, &one}) != cudaSuccess) return 91;
  if (cudaMemcpy(&got, p + 1000, 4, kToHost) != cudaSuccess) return 92;
  std::printf("word %u\n", got);
  return 0;
}

void ask_for_too_much() {
  const void* add = common().kernel("add");
  std::uint32_t *p = nullptr, one = 1, host[2] = {};
  cudaMalloc(reinterpret_cast<void**>(&p), 4000);
  for (int i = 0; i < 3; ++i) launch(add, {4}, {2048}, {&p, &one});
  launch(add, {0}, {32}, {&p, &one});
  for (int i = 0; i < 2; ++i) cudaMemcpy(host, p + 999, 8, kToHost);
  cudaMemcpy(p, host, 8, static_cast<cudaMemcpyKind>(9));
  cudaMemcpy(p, reinterpret_cast<void*>(8), 8, kToDevice);
  cudaMemcpy(host, p, 8, kToDevice);
  cudaMemset(p, 0, 4001);
}

void fail_in_a_kernel() {
  std::uint32_t* none = nullptr;
  for (int i = 0; i < 3; ++i) launch(common().kernel("fault"), {1}, {32}, {&none});
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 1;
  const char* what = argc > 2 ? argv[2] : "";
  if (const int status = add_to_words(launches); status != 0) return status;
  if (std::strcmp(what, "crash") == 0) std::raise(SIGTERM);
  if (std::strcmp(what, "reset") == 0 || std::strcmp(what, "again") == 0) {
    if (cudaDeviceReset() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return 93;
  }
  if (std::strcmp(what, "refused") == 0) ask_for_too_much();
  if (std::strcmp(what, "fault") == 0) fail_in_a_kernel();
  return std::strcmp(what, "again") == 0 ? add_to_words(launches) : std::atoi(what);
}
