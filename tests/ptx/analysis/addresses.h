// Kernels to analyse: three pointers and four integers as parameters, registers of every size, a test's
// lines.
#pragma once

#include <string>
#include <string_view>

#include "ptx/analysis/cta_addresses.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {

// Parameters: a, b, c at bytes 0, 8, 16; n, m at 24, 28; size (64 bits) at 32.
inline std::string address_kernel(std::string_view body, std::string_view before = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b8 table[1024];\n"
         ".const .align 4 .b8 constants[1024];\n" +
         std::string(before) +
         "\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .u32 m, "
         ".param .u64 size)\n"
         "{ .shared .align 4 .b8 tile[1024];\n"
         ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .b64 %rd<40>; .reg .f32 %f<40>;\n"
         "mov.u32 %r50, %ctaid.x; mov.u32 %r51, %ctaid.y; mov.u32 %r52, %tid.x; mov.u32 %r53, %tid.y;\n"
         "mov.u32 %r54, %ntid.x; ld.param.u32 %r55, [n]; ld.param.u32 %r56, [m];\n"
         "ld.param.u64 %rd30, [a]; cvta.to.global.u64 %rd31, %rd30; ld.param.u64 %rd32, [b];\n" +
         std::string(body) + "\nret; }\n";
}

struct Analysed {
  Module module;
  KernelAddresses found;

  explicit Analysed(std::string_view body, const KnownLaunch& known = {}, std::string_view before = "")
      : module(parse_module(address_kernel(body, before), "test.ptx")),
        found(find_addresses(module, kernel(), known)) {}
  Analysed(const Analysed&) = delete;
  Analysed& operator=(const Analysed&) = delete;

  const Function& kernel() const { return *module.find_function("k"); }
  const GlobalAccess& access(std::size_t i = 0) const { return found.accesses.at(i); }
  std::string offset(std::size_t i = 0) const {
    return text(found.atoms, module, kernel(), access(i).offset);
  }
  std::string on_x(std::size_t i = 0) const {
    return text(found, module, kernel(), access(i).on_cta(Axis::X));
  }
  std::string on_y(std::size_t i = 0) const {
    return text(found, module, kernel(), access(i).on_cta(Axis::Y));
  }
};

}  // namespace heddle::ptx
