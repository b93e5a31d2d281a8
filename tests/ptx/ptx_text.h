// Small modules to parse: a heading, one kernel with registers of every size, and the lines of a test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {

inline constexpr std::string_view kHeading = ".version 8.0\n.target sm_80\n.address_size 64\n";

// The test's own lines start on line 7, column 1.
inline std::string kernel_text(std::string_view body) {
  return std::string(kHeading) +
         ".global .align 16 .b8 gvar[64]; .const .align 8 .b8 cvar[64]; .extern .shared .align 16 .b8 dyn[]; "
         ".func (.param .b32 r) callee(.param .b64 a);\n"
         ".visible .entry k(.param .u64 k_param_0, .param .align 8 .b8 k_param_1[16]) { .shared .b8 "
         "svar[64]; "
         ".local .align 16 .b8 lvar[64]; .param .b32 pvar;\n"
         ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 "
         "%d<9>; "
         ".reg .u32 %u<9>;\n" +
         std::string(body) + "\nret;\n}\n";
}

inline Module parse(std::string text) {
  return parse_module(std::move(text), "test.ptx");
}

// The first instruction of a kernel with these lines.
inline Instr first(std::string_view body) {
  const Module m = parse(kernel_text(body));
  return m.find_function("k")->instrs.at(0);
}

inline Error error_of(std::string text) {
  try {
    parse(std::move(text));
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return Error("none");
}
inline Error error_in(std::string_view body) {
  return error_of(kernel_text(body));
}

}  // namespace heddle::ptx
