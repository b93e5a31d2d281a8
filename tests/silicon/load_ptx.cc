// load_ptx FILE...: says for each PTX file whether it loads, and if not, which construct is refused. For
// finding out what a new collection of kernels needs.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "exec/functional/functional_device.h"

int main(int argc, char** argv) {
  int refused = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    heddle::exec::FunctionalDevice device;
    try {
      device.load_module(text, argv[i]);
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
      ++refused;
    }
  }
  std::printf("%d of %d files refused\n", refused, argc - 1);
  return refused != 0;
}
