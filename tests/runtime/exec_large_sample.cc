// A CUDA program without nvcc whose launches are large enough for several host threads. Between them it
// forks, as programs do that start others.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "tests/runtime/program.h"

int main() {
  using namespace heddle::runtime_test;
  constexpr unsigned kCtas = 4096, kBlock = 256;
  const void* add = common().kernel("add");
  std::uint32_t *p = nullptr, one = 1;
  if (cudaMalloc(reinterpret_cast<void**>(&p), std::size_t{4} * kCtas * kBlock) != cudaSuccess) return 90;
  for (int i = 0; i < 3; ++i) {
    if (launch(add, {kCtas}, {kBlock}, {&p, &one}) != cudaSuccess) return 91;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 92;
  }
  const std::vector<std::uint32_t> all = words(p, std::size_t{kCtas} * kBlock);
  std::printf("%ld words are 3\n", static_cast<long>(std::count(all.begin(), all.end(), 3u)));
  return 0;
}
