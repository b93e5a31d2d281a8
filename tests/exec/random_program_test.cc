// Random programs give every thread what the thread alone would compute: divergence, joins, calls, register
// slots and predicates together.
#include <gtest/gtest.h>

#include <cstring>

#include "exec/functional/functional_device.h"
#include "random_program.h"
#include "stream/windowed_device.h"

namespace heddle::exec {
namespace {

using workload::args;
using workload::Dim3;

std::vector<std::uint32_t> words(const ThreadState& s) {
  std::vector<std::uint32_t> out(s.v.begin(), s.v.end());
  for (const std::uint64_t w : s.w) {
    out.push_back(static_cast<std::uint32_t>(w));
    out.push_back(static_cast<std::uint32_t>(w >> 32));
  }
  for (const bool q : s.q) out.push_back(q);
  return out;
}

struct Outcome {
  std::vector<std::uint32_t> memory;
  std::uint64_t ends = 0;  // warp instructions issued for the kernel's last line
};

Outcome execute(const std::string& text, Dim3 grid, Dim3 block, CodeOrder order = CodeOrder::AsWritten) {
  FunctionalDevice device({.code_order = order});
  device.load_module(text, "random.ptx");
  Outcome o;
  o.memory.resize(grid.count() * block.count() * kResultWords);
  const auto out = device.allocate(4 * o.memory.size(), "out");
  device.launch({"k", grid, block, 0, args(out)});
  device.copy_out(o.memory.data(), out, 4 * o.memory.size());
  const LaunchProfile& profile = device.launches().back();
  std::uint32_t last = 0;
  for (std::uint32_t pc = 0; pc < profile.image->functions[0].end_pc - 1; ++pc)
    if (profile.image->code[pc].instr->op == ptx::Op::Ret) last = pc;
  o.ends = profile.counts[last].issued;
  return o;
}

std::vector<std::uint32_t> execute_in_windows(const std::string& text, Dim3 grid, Dim3 block) {
  WindowedDevice device;
  device.load_module(text, "random.ptx");
  std::vector<std::uint32_t> memory(grid.count() * block.count() * kResultWords);
  const auto out = device.allocate(4 * memory.size(), "out");
  device.launch({"k", grid, block, 0, args(out)});
  device.copy_out(memory.data(), out, 4 * memory.size());
  return memory;
}

class RandomPrograms : public testing::TestWithParam<int> {};

TEST_P(RandomPrograms, AgreeWithOneThreadAtATime) {
  constexpr int kPerTest = 100;
  const Dim3 grid{2, 1, 1}, block{45, 1, 1};  // the last warp of a CTA is not full
  int executed = 0;
  for (int i = 0; i < kPerTest; ++i) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * kPerTest + i);
    const RandomProgram program = make_random_program(seed);
    std::vector<std::uint32_t> expected;
    bool short_enough = true;
    for (std::uint32_t gid = 0; gid < 90 && short_enough; ++gid) {
      ThreadState s = initial_state(gid);
      short_enough = interpret(program, s);
      const std::vector<std::uint32_t> w = words(s);
      expected.insert(expected.end(), w.begin(), w.end());
    }
    if (!short_enough) continue;
    ++executed;
    const std::string text = to_ptx(program);
    const Outcome o = execute(text, grid, block);
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(o.memory[k], expected[k])
          << "seed " << seed << ", thread " << k / kResultWords << ", word " << k % kResultWords << "\n"
          << text;
    // Lanes meet again at the latest where every path leads.
    ASSERT_EQ(o.ends, 4u) << "seed " << seed << "\n" << text;
    if (i % 10 == 0) {
      ASSERT_EQ(execute(text, grid, block, CodeOrder::AsAssembled).memory, expected) << "seed " << seed;
      ASSERT_EQ(execute_in_windows(text, grid, block), expected) << "seed " << seed << "\n" << text;
    }
  }
  EXPECT_GT(executed, kPerTest / 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0, 10));

}  // namespace
}  // namespace heddle::exec
