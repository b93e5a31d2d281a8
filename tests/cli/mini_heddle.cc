// The two commands that this part of the program is for, on the functional device alone: lets the examples
// run in the tests whatever else the real program does around them.
#include <cstring>
#include <iostream>

#include "apps/cli/ptx_report.h"
#include "apps/cli/user_kernel.h"
#include "base/error.h"
#include "exec/functional_device.h"

int main(int argc, char** argv) {
  using namespace heddle;
  try {
    if (argc == 5 && std::strcmp(argv[1], "run") == 0 && std::strcmp(argv[3], "--launch") == 0) {
      exec::FunctionalDevice device;
      cli::UserKernelOptions options;
      options.kernel = argv[2];
      options.launch = argv[4];
      return cli::run_user_kernel(options, device, std::cout);
    }
    if (argc >= 3 && std::strcmp(argv[1], "ptx") == 0) return cli::report_ptx(argv[2], argc > 3, std::cout);
  } catch (const Error& e) {
    std::cerr << "heddle: " << e.what() << "\n";
    return 2;
  }
  std::cerr << "usage: mini_heddle run KERNEL --launch FILE | ptx FILE [--json]\n";
  return 2;
}
