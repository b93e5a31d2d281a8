// What machines of Volta and later make of single instructions; the figures are an H200's
// (validation/data/h200_instructions.csv).
#include <algorithm>

#include "bench.h"

namespace heddle::exec {
namespace {

using workload::InstrClass;
using workload::StaticInstr;

// Of the first line, which must keep its place in the order of issue.
StaticInstr form_of(const std::string& line, CodeOrder order = CodeOrder::AsMachineCode) {
  FunctionalDevice device({.code_order = order});
  device.load_module(kernel_text("bar.sync 0;\n" + line), "form.ptx");
  const auto out = device.allocate(4096, "out");
  device.launch({"k", {1, 1, 1}, {32, 1, 1}, 0, args(out)});
  const KernelImage& image = *device.launches().back().image;
  for (std::size_t pc = 0; pc + 1 < image.code.size(); ++pc)
    if (image.statics[pc].cls == InstrClass::Barrier) return image.statics[pc + 1];
  return {};
}

void expect(const std::string& line, InstrClass cls, unsigned repeat = 1, unsigned slots = 0) {
  const StaticInstr i = form_of(line);
  EXPECT_EQ(workload::name(i.cls), workload::name(cls)) << line;
  EXPECT_EQ(i.repeat, repeat) << line;
  EXPECT_EQ(i.extra_slots(), slots) << line;
}

// A value of an array in registers is one of them, or a comparison and a copy for each.
TEST(MachineForm, ArraysInRegisters) {
  const std::string array = ".local .align 4 .b8 a[16];\n";
  const StaticInstr fixed = form_of(array + "st.local.u32 [a+4], %r2;");
  EXPECT_EQ(workload::name(fixed.cls), workload::name(InstrClass::Move));
  EXPECT_EQ(fixed.flags & StaticInstr::kMemory, 0);
  const StaticInstr memory = form_of(array + "st.local.u32 [a+4], %r2;", CodeOrder::AsWritten);
  EXPECT_NE(memory.flags & StaticInstr::kMemory, 0);
}

TEST(MachineForm, BitsOnTwoPipes) {
  expect("popc.b32 %r1, %r2;", InstrClass::Special);
  expect("clz.b32 %r1, %r2;", InstrClass::Special, 1, 1);
  expect("prmt.b32 %r1, %r2, %r3, 0x2143;", InstrClass::IntMinMax);
  expect("bfe.u32 %r1, %r2, 3, 7;", InstrClass::IntMinMax, 2, 1);
  expect("bfe.u32 %r1, %r2, 0, 5;", InstrClass::IntMinMax);
  expect("bfe.u32 %r1, %r2, 8, 16;", InstrClass::IntMinMax);
  expect("bfe.s32 %r1, %r2, 8, 16;", InstrClass::IntMinMax, 2, 1);
  expect("bfe.s32 %r1, %r2, 0, 8;", InstrClass::IntMinMax);
  expect("bfe.u32 %r1, %r2, %r3, %r4;", InstrClass::IntMinMax, 5, 4);
  expect("bfi.b32 %r1, %r2, %r3, 24, 8;", InstrClass::IntMinMax);
  expect("bfi.b32 %r1, %r2, %r3, 4, 8;", InstrClass::IntMinMax, 2, 1);
  expect("bfi.b32 %r1, %r2, %r3, %r4, 8;", InstrClass::IntMinMax, 6, 5);
  expect("xor.b32 %r1, %r2, %r3;", InstrClass::IntMinMax);
}

TEST(MachineForm, Conversions) {
  expect("cvt.u64.u32 %rd1, %r2;", InstrClass::Move);
  expect("cvt.s64.s32 %rd1, %r2;", InstrClass::IntMinMax);
  expect("cvt.rn.f32.s32 %f1, %r2;", InstrClass::IntMinMax);
  expect("cvt.rzi.s32.f32 %r1, %f2;", InstrClass::Special);
  expect("cvt.rmi.f32.f32 %f1, %f2;", InstrClass::Special);
  expect("cvt.rn.f64.s32 %d1, %r2;", InstrClass::Special);
}

TEST(MachineForm, ApproximationsScaleSmallOperands) {
  expect("lg2.approx.ftz.f32 %f1, %f2;", InstrClass::Special);
  expect("lg2.approx.f32 %f1, %f2;", InstrClass::Special, 1, 3);
  expect("rcp.approx.f32 %f1, %f2;", InstrClass::Special, 1, 6);
  expect("div.full.f32 %f1, %f2, %f3;", InstrClass::Special, 1, 7);
  EXPECT_EQ(form_of("lg2.approx.f32 %f1, %f2;").extra_latency(), 20u);
}

TEST(MachineForm, DivisionsByKind) {
  expect("div.u32 %r1, %r2, 7;", InstrClass::IntDiv);
  expect("div.s32 %r1, %r2, 7;", InstrClass::IntDiv, 1, 5);
  expect("div.u32 %r1, %r2, %r3;", InstrClass::IntDiv, 2, 9);
  expect("rem.s32 %r1, %r2, %r3;", InstrClass::IntDiv, 2, 11);
  // A function of some 70 and 90 instructions: 60 and 80 beside the class's own.
  expect("div.u64 %rd1, %rd2, %rd3;", InstrClass::IntDiv, 9, 60);
  expect("rem.s64 %rd1, %rd2, %rd3;", InstrClass::IntDiv, 10, 80);
}

TEST(MachineForm, ProductsOfTwoWidths) {
  expect("mul.lo.s32 %r1, %r2, %r3;", InstrClass::IntMul);
  expect("mul.wide.s32 %rd1, %r2, %r3;", InstrClass::IntMul, 2);
  expect("mul.hi.u64 %rd1, %rd2, %rd3;", InstrClass::Int64Mul, 2, 3);
  expect("min.s64 %rd1, %rd2, %rd3;", InstrClass::Int64Add, 2, 2);
  expect("shr.u64 %rd1, %rd2, 32;", InstrClass::Move);
}

// Only the lower word of an address of shared memory counts.
TEST(MachineForm, WordsForSharedAddresses) {
  const std::string shared = "\n.shared .align 8 .b8 s[64];\n", store = shared + "st.shared.u32 [%rd1], %r2;";
  expect("mul.wide.u32 %rd1, %r2, %r3;" + store, InstrClass::IntMul);
  expect("xor.b64 %rd1, %rd2, %rd3;" + store, InstrClass::IntMinMax);
  expect("xor.b64 %rd1, %rd2, %rd3;" + shared + "st.shared.u64 [s], %rd1;", InstrClass::Int64Add);
}

TEST(MachineForm, SpecialRegisters) {
  expect("mov.u32 %r1, %ctaid.y;", InstrClass::ReadClock);
  expect("mov.u32 %r1, %ntid.y;", InstrClass::LoadParam);
}

TEST(MachineForm, AdditionsGoToTheEmptierPipe) {
  FunctionalDevice device({.code_order = CodeOrder::AsMachineCode});
  std::string text = "bar.sync 0;\nmov.u32 %r6, %tid;\n";
  for (int n = 0; n < 8; ++n) text += "prmt.b32 %r6, %r6, %r6, %tid;\n";
  text += "add.u32 %r3, %r6, 1;\nst.global.u32 [%mine], %r3;";
  device.load_module(kernel_text(text), "balance.ptx");
  const auto out = device.allocate(4096, "out");
  device.launch({"k", {1, 1, 1}, {32, 1, 1}, 0, args(out)});
  const KernelImage& image = *device.launches().back().image;
  unsigned found = 0;
  for (std::size_t pc = 0; pc < image.code.size(); ++pc) {
    const ptx::Instr& in = *image.code[pc].instr;
    if (in.op != ptx::Op::Add || in.src[1].value != 1) continue;
    EXPECT_EQ(image.statics[pc].cls, InstrClass::IntMad);
    ++found;
  }
  EXPECT_EQ(found, 1u);
}

TEST(MachineForm, AnEntryBeginsWithItsStackAndDescriptor) {
  FunctionalDevice device({.code_order = CodeOrder::AsMachineCode});
  device.load_module(kernel_text("st.global.u32 [%mine], 1;"), "entry.ptx");
  const auto out = device.allocate(4096, "out");
  device.launch({"k", {1, 1, 1}, {32, 1, 1}, 0, args(out)});
  EXPECT_EQ(device.launches().back().image->statics[0].extra_slots(), 2u);
}

}  // namespace
}  // namespace heddle::exec
