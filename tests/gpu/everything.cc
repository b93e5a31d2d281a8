#include "everything.h"

#include "base/error.h"

namespace heddle::gpu {
namespace {

// %b[gid] gets a sum that the test knows; %a[0] counts threads, %a[1] is a lock, %a[2] what it guards.
constexpr std::string_view kGlobals =
    ".const .align 4 .u32 table[64] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};\n"
    ".shared .align 4 .b8 buffer[512];\n";
constexpr std::string_view kBody = R"(
.local .align 4 .b8 stack[128];
mul.wide.u32 %rd1, %gid, 4;
add.u64 %rd1, %rd1, %c;
ld.global.u32 %r1, [%rd1];
mul.wide.u32 %rd2, %lane, 1028;
add.u64 %rd2, %rd2, %c;
ld.global.u32 %r2, [%rd2];
st.local.u32 [stack+4], %r1;
st.local.u32 [stack+96], %r2;
mov.u64 %rd3, buffer;
mul.wide.u32 %rd4, %tid, 4;
add.u64 %rd4, %rd4, %rd3;
st.shared.u32 [%rd4], %r1;
bar.sync 0;
xor.b32 %r3, %tid, 1;
mul.wide.u32 %rd5, %r3, 4;
add.u64 %rd5, %rd5, %rd3;
ld.shared.u32 %r4, [%rd5];
mov.u64 %rd6, table;
and.b32 %r5, %lane, 15;
mul.wide.u32 %rd7, %r5, 4;
add.u64 %rd6, %rd6, %rd7;
ld.const.u32 %r6, [%rd6];
ld.local.u32 %r7, [stack+4];
ld.local.u32 %r8, [stack+96];
red.global.add.u32 [%a], 1;
and.b32 %r10, %gid, 7;
mul.wide.u32 %rd8, %r10, 4;
add.u64 %rd8, %rd8, %a;
atom.global.add.u32 %r9, [%rd8+128], 1;
add.u32 %r11, %r4, %r6;
add.u32 %r11, %r11, %r7;
add.u32 %r11, %r11, %r8;
mul.wide.u32 %rd9, %gid, 4;
add.u64 %rd9, %rd9, %b;
st.global.u32 [%rd9], %r11;
membar.gl;
ld.global.cg.u32 %r12, [%rd9];
add.u32 %r12, %r12, 1;
st.global.u32 [%rd9], %r12;
setp.ne.u32 %p1, %tid, 0;
@%p1 bra END;
LOCK:
atom.global.cas.b32 %r13, [%a+4], 0, 1;
setp.ne.u32 %p2, %r13, 0;
@%p2 bra LOCK;
membar.gl;
ld.volatile.global.u32 %r14, [%a+8];
add.u32 %r14, %r14, 3;
st.volatile.global.u32 [%a+8], %r14;
membar.gl;
atom.global.exch.b32 %r15, [%a+4], 0;
END:
bar.sync 0;
)";

Counters launch_twice(const GpuSpec& spec, const MachineOptions& options, contract::Notes& notes) {
  Bench b(spec, options);
  b.load(kBody, kGlobals);
  constexpr std::uint32_t kCtas = 13, kThreads = 96, kAll = kCtas * kThreads;
  std::vector<std::uint32_t> input(32 * 257 + kAll);
  for (std::uint32_t i = 0; i < input.size(); ++i) input[i] = i * 7 % 1001;
  const auto a = b.words(64), out = b.words(kAll), in = b.words(input);
  Counters all;
  for (std::uint32_t launch = 1; launch <= 2; ++launch) {
    const LaunchResult& r = b.run({.ctas = kCtas, .threads = kThreads}, a, out, in);
    const auto shared = b.read(a, 64), got = b.read(out, kAll);
    const auto expect = [&](const char* what, std::uint32_t is, std::uint32_t should) {
      notes.expect(is == should, "launch {}: {}: {}, should be {}", launch, what, is, should);
    };
    expect("threads counted", shared[0], kAll * launch);
    expect("the lock", shared[1], 0);
    expect("what the lock guards", shared[2], 3 * kCtas * launch);
    for (std::uint32_t k = 0; k < 8; ++k) expect("atomic sum", shared[32 + k], kAll / 8 * launch);
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < kAll; ++i) {
      const std::uint32_t neighbour = i / kThreads * kThreads + (i % kThreads ^ 1);
      wrong += got[i] != input[neighbour] + 5 + input[i] + input[i % 32 * 257] + 1;
    }
    expect("wrong results", wrong, 0);
    const Counters these = counters(r.stats);
    all.insert(all.end(), these.begin(), these.end());
  }
  return all;
}

}  // namespace

Counters run_everything(const GpuSpec& spec, const MachineOptions& options) {
  contract::Notes notes;
  Counters all = launch_twice(spec, options, notes);
  EXPECT_THAT(notes.found, testing::IsEmpty());
  return all;
}

contract::Findings check_machine(const GpuSpec& spec) {
  contract::Notes notes;
  try {
    launch_twice(spec, {}, notes);
  } catch (const Error& e) {
    notes.expect(false, "{}", e.what());
  }
  return notes.found;
}

contract::Findings check_kernel_end(const GpuSpec& spec) {
  Bench b(spec);
  b.load(
      "mul.wide.u32 %rd1, %lane, 4;\nadd.u64 %rd2, %rd1, %a;\nld.global.u32 %r1, [%rd2];\n"
      "mul.wide.u32 %rd3, %gid, 4;\nadd.u64 %rd3, %rd3, %b;\nst.global.u32 [%rd3], %r1;");
  const auto in = b.words(32), out = b.words(std::uint64_t{32} * spec.sms());
  contract::Notes notes;
  std::uint64_t held_at_first = 0;
  for (int launch = 1; launch <= 3; ++launch) {
    const MachineStats s = b.run({.ctas = spec.sms(), .threads = 32}, in, out).stats;
    notes.expect(s.l1().global_reads.hits == 0, "launch {}: {} hits in L1s on lines that are read once",
                 launch, s.l1().global_reads.hits);
    if (launch == 1) held_at_first = s.merger().held;
    notes.expect(s.merger().held <= held_at_first, "launch {}: mergers held {} of the reads, {} in the first",
                 launch, s.merger().held, held_at_first);
  }
  return notes.found;
}

}  // namespace heddle::gpu
