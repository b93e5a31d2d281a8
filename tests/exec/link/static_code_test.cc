// The static decode: classes, flags, registers.
#include <algorithm>

#include "bench.h"

namespace heddle::exec {
namespace {

using workload::InstrClass;
using workload::RegisterId;
using workload::StaticInstr;
using workload::WarpAccess;

// The decode of the line that ends in //X.
class Decoded {
 public:
  explicit Decoded(const std::string& line, Case given = {}) {
    given.order_shows = true;
    Bench b(line + " //X\n", given);
    const KernelImage& image = b.image();
    for (std::size_t pc = 0; pc < image.code.size(); ++pc)
      if (image.code[pc].instr->line == b.line("X")) {
        instr = image.statics[pc];
        form = image.access_templates[pc];
        for (unsigned k = 0; k < instr.more; ++k) rest.push_back(image.statics.at(instr.rest() + k));
      }
    registers = image.static_registers;
  }
  StaticInstr instr;
  WarpAccess form;
  std::vector<StaticInstr> rest;  // records with more registers
  std::uint32_t registers = 0;
};

InstrClass class_of(const std::string& line) {
  return Decoded(line).instr.cls;
}

TEST(StaticCode, ClassesHaveTheNamesOfTheirEnumerators) {
  EXPECT_EQ(workload::name(InstrClass::IntAdd), "int_add");
  EXPECT_EQ(workload::name(InstrClass::Int64Mul), "int64_mul");
  EXPECT_EQ(workload::name(InstrClass::FloatMinMax), "float_min_max");
  EXPECT_EQ(workload::name(InstrClass::Other), "other");
  for (int i = 0; i < workload::kInstrClasses; ++i)
    EXPECT_FALSE(workload::name(static_cast<InstrClass>(i)).empty()) << i;
}

// Lanes without the guard keep the old value: the machine waits for it, in code as assembled.
TEST(StaticCode, AGuardedWriteWaitsForTheOldValue) {
  auto sources = [](CodeOrder order) {
    FunctionalDevice device({.code_order = order});
    device.load_module(
        kernel_text("setp.eq.u32 %p1, %tid, 3;\n@%p1 add.u32 %r1, %r2, %r3;\nst.global.u32 [%mine], %r1;"),
        "guarded.ptx");
    const auto out = device.allocate(4096, "out");
    device.launch({"k", {1, 1, 1}, {32, 1, 1}, 0, args(out)});
    const KernelImage& image = *device.launches().back().image;
    for (std::size_t pc = 0; pc < image.code.size(); ++pc)
      if (const ptx::Instr& in = *image.code[pc].instr; in.guard.kind == ptx::Operand::Kind::Pred)
        return static_cast<unsigned>(image.statics[pc].n_src);
    return 0u;
  };
  EXPECT_EQ(sources(CodeOrder::AsWritten), 3u);
  EXPECT_EQ(sources(CodeOrder::AsAssembled), 4u);
}

TEST(StaticCode, ArithmeticByTypeAndWidth) {
  EXPECT_EQ(class_of("add.u32 %r1, %r2, %r3;"), InstrClass::IntAdd);
  EXPECT_EQ(class_of("shl.b32 %r1, %r2, 3;"), InstrClass::IntAdd);
  EXPECT_EQ(class_of("add.s64 %rd1, %rd2, %rd3;"), InstrClass::Int64Add);
  EXPECT_EQ(class_of("mul.lo.u64 %rd1, %rd2, %rd3;"), InstrClass::Int64Mul);
  EXPECT_EQ(class_of("mul.wide.u32 %rd1, %r2, %r3;"), InstrClass::IntMul);
  EXPECT_EQ(class_of("mad.wide.u32 %rd1, %r2, %r3, %rd4;"), InstrClass::IntMad);
  EXPECT_EQ(class_of("rem.s32 %r1, %r2, %r3;"), InstrClass::IntDiv);
  EXPECT_EQ(class_of("max.s32 %r1, %r2, %r3;"), InstrClass::IntMinMax);
  EXPECT_EQ(class_of("popc.b32 %r1, %r2;"), InstrClass::Bits);
  EXPECT_EQ(class_of("fma.rn.f32 %f1, %f2, %f3, %f4;"), InstrClass::FloatMad);
  EXPECT_EQ(class_of("setp.lt.f32 %p1, %f2, %f3;"), InstrClass::FloatMinMax);
  EXPECT_EQ(class_of("setp.lt.f64 %p1, %d2, %d3;"), InstrClass::DoubleMinMax);
  EXPECT_EQ(class_of("add.f64 %d1, %d2, %d3;"), InstrClass::DoubleAdd);
  EXPECT_EQ(class_of("add.f16 %h1, %h2, %h3;"), InstrClass::HalfMath);
}

TEST(StaticCode, DivisionsAndApproximations) {
  EXPECT_EQ(class_of("div.rn.f32 %f1, %f2, %f3;"), InstrClass::FloatDiv);
  EXPECT_EQ(class_of("sqrt.rn.f32 %f1, %f2;"), InstrClass::FloatDiv);
  EXPECT_EQ(class_of("div.full.f32 %f1, %f2, %f3;"), InstrClass::Special);
  EXPECT_EQ(class_of("rcp.approx.f32 %f1, %f2;"), InstrClass::Special);
  EXPECT_EQ(class_of("div.rn.f64 %d1, %d2, %d3;"), InstrClass::DoubleDiv);
  EXPECT_EQ(Decoded("div.u32 %r1, %r2, %r3;").instr.repeat, 1);
  EXPECT_EQ(Decoded("div.u64 %rd1, %rd2, %rd3;").instr.repeat, 2);
}

TEST(StaticCode, MovesAndAddresses) {
  EXPECT_EQ(class_of("mov.u32 %r1, %r2;"), InstrClass::Move);
  EXPECT_EQ(class_of("mov.u32 %r1, %tid.x;"), InstrClass::Move);
  EXPECT_EQ(class_of("mov.u32 %r1, %clock;"), InstrClass::ReadClock);
  EXPECT_EQ(class_of("cvta.to.global.u64 %rd1, %rd2;"), InstrClass::AddressSpace);
  EXPECT_EQ(class_of("cvt.rn.f32.u32 %f1, %r2;"), InstrClass::Convert);
}

TEST(StaticCode, ParametersOfTheKernelAndOfCalls) {
  const Decoded kernel("ld.param.u64 %rd1, [k_out];");
  EXPECT_EQ(kernel.instr.cls, InstrClass::LoadParam);
  EXPECT_EQ(kernel.instr.flags, 0);
  const Decoded call("{ .param .b32 a; st.param.b32 [a], %r1; }");
  EXPECT_EQ(call.instr.cls, InstrClass::Move);
  EXPECT_EQ(call.instr.flags, 0);
}

TEST(StaticCode, MemoryAccesses) {
  const Decoded load("ld.global.u32 %r1, [%rd1];");
  EXPECT_EQ(load.instr.cls, InstrClass::Load);
  EXPECT_EQ(load.instr.flags, StaticInstr::kMemory);
  EXPECT_EQ(load.form.cache, WarpAccess::Cache::All);
  EXPECT_EQ(Decoded("ld.volatile.global.u32 %r1, [%rd1];").form.cache, WarpAccess::Cache::L2Only);
  EXPECT_EQ(Decoded("ld.global.cg.u32 %r1, [%rd1];").form.cache, WarpAccess::Cache::L2Only);
  EXPECT_EQ(Decoded("ld.relaxed.gpu.global.u32 %r1, [%rd1];").form.cache, WarpAccess::Cache::L2Only);
  EXPECT_EQ(Decoded("ld.relaxed.cta.global.u32 %r1, [%rd1];").form.cache, WarpAccess::Cache::All);
  EXPECT_EQ(class_of("st.shared.u32 [%r1], %r2;"), InstrClass::StoreShared);
  EXPECT_EQ(class_of("atom.shared.add.u32 %r1, [%r2], 1;"), InstrClass::AtomicShared);
  const Decoded atomic("atom.global.add.u32 %r1, [%rd2], 1;");
  EXPECT_EQ(atomic.instr.cls, InstrClass::Atomic);
  EXPECT_EQ(atomic.instr.flags, StaticInstr::kMemory | StaticInstr::kDeferred);
  EXPECT_EQ(atomic.form.kind, WarpAccess::Kind::Atomic);
  EXPECT_EQ(Decoded("red.global.add.u32 [%rd2], 1;").form.kind, WarpAccess::Kind::Reduce);
  EXPECT_EQ(Decoded("st.release.gpu.global.u32 [%rd2], 1;").instr.flags,
            StaticInstr::kMemory | StaticInstr::kFence);
}

// As ptxas puts CCTL.IVALL behind them (tools/probes/fences.cu).
TEST(StaticCode, WhatAcquiresBeyondTheCta) {
  for (const char* text :
       {"membar.gl;", "membar.sys;", "fence.acq_rel.gpu;", "fence.sc.cluster;",
        "ld.acquire.gpu.global.u32 %r1, [%rd1];", "ld.acquire.sys.u32 %r1, [%rd1];",
        "atom.acquire.gpu.global.add.u32 %r1, [%rd1], 1;", "atom.acq_rel.sys.global.add.u32 %r1, [%rd1], 1;"})
    EXPECT_TRUE(Decoded(text).instr.acquires()) << text;
  for (const char* text :
       {"membar.cta;", "fence.sc.cta;", "fence.mbarrier_init.release.cluster;", "fence.proxy.async;",
        "ld.acquire.cta.global.u32 %r1, [%rd1];", "ld.relaxed.gpu.global.u32 %r1, [%rd1];",
        "ld.volatile.global.u32 %r1, [%rd1];", "st.release.gpu.global.u32 [%rd2], 1;",
        "atom.global.add.u32 %r1, [%rd1], 1;", "atom.release.gpu.global.add.u32 %r1, [%rd1], 1;",
        "atom.acq_rel.cta.global.add.u32 %r1, [%rd1], 1;", "bar.sync 0;"})
    EXPECT_FALSE(Decoded(text).instr.acquires()) << text;
}

TEST(StaticCode, ControlFlags) {
  EXPECT_EQ(Decoded("L: bra L;").instr.flags, StaticInstr::kBranch);
  EXPECT_EQ(Decoded("exit;").instr.flags, StaticInstr::kBranch | StaticInstr::kExit);
  EXPECT_EQ(Decoded("ret;").instr.flags, StaticInstr::kBranch | StaticInstr::kExit) << "of the kernel";
  EXPECT_EQ(Decoded("bar.sync 0;").instr.flags, StaticInstr::kBarrier);
  EXPECT_EQ(Decoded("membar.gl;").instr.flags, StaticInstr::kFence);
  EXPECT_EQ(Decoded("call f;", {.globals = ".func f() { ret; }"}).instr.flags,
            StaticInstr::kBranch | StaticInstr::kCall);
}

// The kernel's registers are all alive, so no two of them share a slot.
TEST(StaticCode, RegistersAreToldApartAndCountedOnce) {
  const Decoded d("@%p1 mad.wide.u32 %rd1, %r1, %r1, %rd2;");
  EXPECT_EQ(d.instr.n_src, 3) << "guard, %r1 once, %rd2";
  EXPECT_EQ(d.instr.n_dst, 1);
  EXPECT_EQ(d.instr.wide_dst, 1);
  EXPECT_EQ(d.instr.wide_src, 4 | StaticInstr::kGuarded);
  for (unsigned i = 0; i < 3; ++i) EXPECT_LT(d.instr.src[i], d.registers);
  EXPECT_NE(d.instr.src[0], d.instr.src[1]);
  EXPECT_NE(d.instr.src[1], d.instr.src[2]);
  const Decoded vector("st.global.v4.u32 [%rd1], {%r1, %r2, %r3, 5};");
  EXPECT_EQ(vector.instr.n_src, 4) << "address and three values";
  EXPECT_EQ(vector.instr.n_dst, 0);
  const Decoded setp("setp.lt.and.u32 %p1|%p2, %r1, %r2, %p3;");
  EXPECT_EQ(setp.instr.n_src, 3);
  EXPECT_EQ(setp.instr.n_dst, 2);
}

// Registers that only unreachable code names have no slot.
// Tensor cores: passes grow with the work, and every register of a fragment is named once.
TEST(StaticCode, MatrixProducts) {
  const Decoded d(
      ".reg .f32 %s<4>; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
      "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8};");
  EXPECT_EQ(d.instr.cls, InstrClass::Tensor);
  EXPECT_EQ(d.instr.repeat, 2);
  std::vector<RegisterId> read(d.instr.src.begin(), d.instr.src.begin() + d.instr.n_src), written;
  written.assign(d.instr.dst.begin(), d.instr.dst.begin() + d.instr.n_dst);
  for (const StaticInstr& r : d.rest) {
    read.insert(read.end(), r.src.begin(), r.src.begin() + r.n_src);
    written.insert(written.end(), r.dst.begin(), r.dst.begin() + r.n_dst);
  }
  std::sort(read.begin(), read.end());
  EXPECT_EQ(read.size(), 10u);
  EXPECT_EQ(std::adjacent_find(read.begin(), read.end()), read.end());
  EXPECT_EQ(written.size(), 4u);
  const Decoded f64("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6};");
  EXPECT_EQ(f64.instr.cls, InstrClass::TensorDouble);
  EXPECT_EQ(f64.instr.repeat, 1);
  EXPECT_EQ(f64.instr.more, 0);
  EXPECT_EQ(f64.instr.wide_src, 0xf);
}

TEST(StaticCode, MatricesInMemory) {
  const std::string eight = "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}";
  const Decoded load("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + eight + ", [%rd1], %r9;");
  EXPECT_EQ(load.instr.cls, InstrClass::Load);
  EXPECT_EQ(load.instr.flags, StaticInstr::kMemory);
  EXPECT_EQ(load.form.kind, WarpAccess::Kind::Load);
  ASSERT_EQ(load.rest.size(), 1u);
  EXPECT_EQ(load.instr.n_dst + load.rest[0].n_dst, 8);
  const Decoded store("wmma.store.d.sync.aligned.row.m16n16k16.shared.s32 [%r9], " + eight + ";");
  EXPECT_EQ(store.instr.cls, InstrClass::StoreShared);
  EXPECT_EQ(store.form.kind, WarpAccess::Kind::Store);
  EXPECT_EQ(class_of("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];"), InstrClass::LoadShared);
  EXPECT_EQ(class_of("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1};"), InstrClass::StoreShared);
}

TEST(StaticCode, UnreachableCodeDoesNoHarm) {
  const Decoded d("add.u32 %r1, %r2, %r3; ret; @%p9 mad.wide.u32 %rd40, %r41, %r42, %rd43;");
  EXPECT_LT(d.registers, 100u);
}

TEST(StaticCode, TheConditionCodeIsARegister) {
  const Decoded first("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, %r6;");  // the second is found
  EXPECT_EQ(first.instr.n_src, 3);
  EXPECT_EQ(first.instr.n_dst, 1);
  EXPECT_EQ(*std::max_element(first.instr.src.begin(), first.instr.src.begin() + 3), first.registers - 1);
}

}  // namespace
}  // namespace heddle::exec
