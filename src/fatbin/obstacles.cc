#include <fmt/format.h>

#include <algorithm>

#include "fatbin/fatbin.h"

namespace heddle::fatbin {
namespace {

// Whether any module has PTX; the highest architecture of machine code; whether there is anything else.
struct Contents {
  bool ptx = false, other = false;
  std::uint32_t machine_code = 0;
};

Contents contents_of(const Program& program) {
  Contents c;
  for (const auto& module : program.modules)
    for (const Entry& e : entries(module)) {
      c.ptx = c.ptx || e.kind == Kind::Ptx;
      c.other = c.other || e.kind == Kind::Other;
      if (e.kind == Kind::Cubin) c.machine_code = std::max(c.machine_code, e.architecture);
    }
  return c;
}

Obstacle no_ptx(const Contents& c) {
  const std::uint32_t architecture = c.machine_code == 0 ? 80 : c.machine_code;
  return {c.machine_code != 0
              ? fmt::format("it has machine code (sm_{}) but no PTX, and Heddle executes PTX", c.machine_code)
          : c.other
              ? std::string(
                    "it has intermediate code for link-time optimisation but no PTX, and Heddle executes PTX")
              : std::string("its device code is empty"),
          fmt::format("compile it with: nvcc -gencode arch=compute_{0},code=compute_{0}   (CMake: "
                      "-DCMAKE_CUDA_ARCHITECTURES={0}-virtual)",
                      architecture)};
}

}  // namespace

std::vector<Obstacle> obstacles(const Program& program) {
  if (program.machine == "GPU")
    return {{"it is machine code for a GPU (a cubin), and Heddle executes PTX",
             "give Heddle the program, or PTX: nvcc -ptx"}};
  if (program.modules.empty())
    return {{"it has no device code: it is no CUDA program, or its kernels are in a library that it loads",
             "compile it with nvcc, or give Heddle the library that has the kernels"}};
  std::vector<Obstacle> all;
  if (!program.this_machine)
    all.push_back({fmt::format("it was compiled for {}, and this is {}", program.machine, this_machine()),
                   "compile it on this computer"});
  if (const Contents c = contents_of(program); !c.ptx) all.push_back(no_ptx(c));
  if (program.cudart == Program::Cudart::Static)
    all.push_back({"the CUDA runtime is linked into it statically, so that Heddle cannot take its place",
                   "link it with: nvcc -cudart shared   (CMake: -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared)"});
  return all;
}

}  // namespace heddle::fatbin
