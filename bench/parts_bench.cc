// Google Benchmark of the parts: parsing, linking, and one kind of instruction at a time.
#include <string>

#include <benchmark/benchmark.h>

#include "exec/functional/functional_device.h"
#include "exec/image/kernel_image.h"
#include "workloads/registry.h"

namespace {

using namespace heddle;

// A kernel of one warp that executes `body` 64 times in each of `turns` turns of a loop.
std::string loop_kernel(const std::string& body, int turns) {
  std::string text =
      ".version 7.5\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 p) {\n"
      ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .f64 %d<8>; .reg .b64 %rd<16>;\n"
      ".shared .align 16 .b8 s[4096];\n"
      "ld.param.u64 %rd0, [p]; cvta.to.global.u64 %rd0, %rd0; mov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0; mul.wide.u32 %rd2, %r0, 132; add.s64 %rd2, %rd2, "
      "%rd0;\n"
      "shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; mov.u32 %r9, 0;\n"
      "cvt.rn.f32.u32 %f1, %r0; cvt.rn.f64.u32 %d1, %r0; setp.lt.u32 %p1, %r0, 16;\n"
      "LOOP:\n";
  for (int i = 0; i < 64; ++i) text += body + "\n";
  text +=
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, " + std::to_string(turns) + "; @%p7 bra LOOP;\nret;\n}\n";
  return text;
}

void instruction(benchmark::State& state, const std::string& body, int instructions_in_body) {
  constexpr int kTurns = 200;
  exec::FunctionalDevice device;
  device.load_module(loop_kernel(body, kTurns), "bench.ptx");
  const workload::DevicePtr p = device.allocate(1 << 16, "data");
  const workload::Launch launch{"k", {1, 1, 1}, {32, 1, 1}, 0, workload::args(p)};
  for (auto _ : state) device.launch(launch);
  state.counters["ns/instruction"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * kTurns * 64 * instructions_in_body,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert, benchmark::Counter::kIs1000);
}

#define INSTRUCTION(name, body, n)      \
  void BM_##name(benchmark::State& s) { \
    instruction(s, body, n);            \
  }                                     \
  BENCHMARK(BM_##name)

INSTRUCTION(add_s32, "add.s32 %r3, %r3, %r0;", 1);
INSTRUCTION(mad_lo_s32, "mad.lo.s32 %r3, %r3, %r0, %r1;", 1);
INSTRUCTION(add_s64, "add.s64 %rd3, %rd3, %rd1;", 1);
INSTRUCTION(mul_wide_s32, "mul.wide.s32 %rd3, %r0, %r1;", 1);
INSTRUCTION(fma_f32, "fma.rn.f32 %f2, %f2, %f1, %f1;", 1);
INSTRUCTION(fma_f64, "fma.rn.f64 %d2, %d2, %d1, %d1;", 1);
INSTRUCTION(div_rn_f32, "div.rn.f32 %f2, %f1, 0f40400000;", 1);
INSTRUCTION(rsqrt_f32, "rsqrt.approx.f32 %f2, %f1;", 1);
INSTRUCTION(ex2_f32, "ex2.approx.ftz.f32 %f2, %f1;", 1);
INSTRUCTION(setp_lt_s32, "setp.lt.s32 %p2, %r0, %r1;", 1);
INSTRUCTION(setp_lt_f32, "setp.lt.f32 %p2, %f1, %f2;", 1);
INSTRUCTION(selp_b32, "selp.b32 %r3, %r0, %r1, %p1;", 1);
INSTRUCTION(mov_special, "mov.u32 %r3, %tid.x;", 1);
INSTRUCTION(cvt_f32_s32, "cvt.rn.f32.s32 %f2, %r0;", 1);
INSTRUCTION(masked_add, "@%p1 add.s32 %r3, %r3, %r0;", 1);
INSTRUCTION(load_contiguous, "ld.global.f32 %f2, [%rd1];", 1);
INSTRUCTION(load_uniform, "ld.global.f32 %f2, [%rd0];", 1);
INSTRUCTION(load_scattered, "ld.global.f32 %f2, [%rd2];", 1);
INSTRUCTION(load_masked, "@%p1 ld.global.f32 %f2, [%rd1];", 1);
INSTRUCTION(store_contiguous, "st.global.f32 [%rd1], %f1;", 1);
INSTRUCTION(load_shared, "ld.shared.f32 %f2, [%r1];", 1);
INSTRUCTION(store_shared, "st.shared.f32 [%r1], %f1;", 1);
INSTRUCTION(shfl_down, "shfl.sync.down.b32 %r3|%p2, %r0, 1, 31, -1;", 1);
INSTRUCTION(ballot, "vote.sync.ballot.b32 %r3, %p1, -1;", 1);
INSTRUCTION(atomic_add, "atom.global.add.u32 %r3, [%rd1], 1;", 1);
INSTRUCTION(divergent_branch, "{ @%p1 bra SKIP; add.s32 %r3, %r3, %r0;\nSKIP: add.s32 %r4, %r4, %r0; }", 3);

void BM_parse(benchmark::State& state) {
  const workload::EmbeddedPtx ptx = workloads::embedded_ptx("hotspot");
  for (auto _ : state) benchmark::DoNotOptimize(ptx::parse_module(std::string(ptx.text), "hotspot.ptx"));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(ptx.text.size()));
}
BENCHMARK(BM_parse);

}  // namespace
