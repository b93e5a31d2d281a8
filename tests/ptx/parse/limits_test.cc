// Input that is too large or too deep is refused, not tried.
#include "ptx_text.h"

namespace heddle::ptx {
namespace {

std::string message(std::string text, const ParseLimits& limits = {}) {
  try {
    parse_module(std::move(text), "test.ptx", limits);
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

TEST(Limits, Text) {
  ParseLimits limits;
  limits.max_text_bytes = 10;
  EXPECT_NE(message(std::string(kHeading), limits).find("more than the 10"), std::string::npos);
}

TEST(Limits, Registers) {
  EXPECT_NE(message(kernel_text(".reg .b32 %z<4000000000>;")).find("registers in one function"),
            std::string::npos);
  EXPECT_NE(message(kernel_text(".reg .b32 %z<1048576>;")).find("registers in one function"),
            std::string::npos);
}

TEST(Limits, UnusedRegistersCostNothing) {
  const Module m = parse(kernel_text(".reg .b32 %z<1000000>; mov.u32 %z999999, 1;"));
  EXPECT_EQ(m.find_function("k")->registers.size(), 1u);
  EXPECT_EQ(m.find_function("k")->registers[0].name, "%z999999");
}

TEST(Limits, Variables) {
  EXPECT_NE(message(std::string(kHeading) + ".global .b8 x[99999999999];").find("bytes"), std::string::npos);
  EXPECT_NE(message(std::string(kHeading) + ".global .b64 x[4294967296][4294967296];").find("bytes"),
            std::string::npos);
  EXPECT_NE(message(std::string(kHeading) + ".global .b8 x[3000000000] = {1};").find("initialisers"),
            std::string::npos);
}

TEST(Limits, Nesting) {
  EXPECT_NE(message(kernel_text(std::string(1000, '{'))).find("nested"), std::string::npos);
  EXPECT_NE(message(kernel_text("mov.u32 %r1, " + std::string(100000, '(') + "1")).find("nested"),
            std::string::npos);
  EXPECT_NE(message(kernel_text("mov.u32 %r1, " + std::string(100000, '-') + "1;")).find("nested"),
            std::string::npos);
}

TEST(Limits, BracesOfInitialisers) {
  EXPECT_NE(
      message(std::string(kHeading) + ".global .u32 a = " + std::string(1000000, '{')).find("deeper than"),
      std::string::npos);
  EXPECT_EQ(message(std::string(kHeading) + ".global .u32 a = {{1}};"),
            "the braces of this initialiser are deeper than the 0 dimension(s) of 'a'");
}

TEST(Limits, Instructions) {
  ParseLimits limits;
  limits.max_instructions = 2;
  EXPECT_NE(message(kernel_text("ret; ret; ret;"), limits).find("more than 2 instructions"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::ptx
