#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "base/error.h"
#include "bench.h"
#include "exec/random_program.h"

namespace heddle::cta_clustering {
namespace {

struct Machine {
  AgentGrid agents;
  std::uint32_t sms = 2;
};
// As many clusters as SMs; fewer; more, so that some have no SM of their own; throttled; one agent for all.
constexpr Machine kMachines[] = {
    {{3, 2, 2}, 3}, {{2, 3, 3}, 5}, {{8, 2, 2}, 3}, {{4, 4, 1}, 4}, {{5, 1, 1}, 1}};
constexpr Partition kPartitions[] = {{Order::Row, 2, 2}, {Order::Column, 2, 2}, {Order::Tile, 3, 2}};

std::vector<std::uint32_t> on_sms(const TestKernel& k, const Dim3& grid, const AgentOptions& options,
                                  std::uint32_t sms, std::uint64_t seed, int launches = 1) {
  exec::WindowedDevice device(
      {.sms = sms, .ctas_per_sm = 2 + static_cast<std::uint32_t>(seed % 3), .seed = seed});
  ClusteredDevice clustered(device, options);
  const auto words = words_after(clustered, k, grid, launches);
  expect_rewritten(clustered);
  return words;
}

TEST(Agents, KernelsLeaveTheSameMemory) {
  for (const TestKernel& k : test_kernels())
    for (const Dim3& grid : kGrids) {
      const auto expected = original(k, grid);
      for (const Machine& m : kMachines) {
        SCOPED_TRACE(k.name + ", clusters " + std::to_string(m.agents.clusters) + ", " +
                     std::to_string(grid.count()));
        exec::FunctionalDevice device;
        ClusteredDevice clustered(device, AgentOptions{{kPartitions[grid.count() % 3]}, m.agents});
        ASSERT_EQ(words_after(clustered, k, grid), expected);
        expect_rewritten(clustered);
      }
    }
}

// Prefetching for the next task changes no result.
TEST(Agents, KernelsThatPrefetchLeaveTheSameMemory) {
  for (const TestKernel& k : test_kernels())
    for (const Dim3& grid : kGrids) {
      SCOPED_TRACE(k.name + ", " + std::to_string(grid.count()));
      exec::FunctionalDevice device;
      ClusteredDevice clustered(device, AgentOptions{{kPartitions[grid.count() % 3], true}, {3, 2, 2}});
      ASSERT_EQ(words_after(clustered, k, grid), original(k, grid));
      expect_rewritten(clustered);
    }
}

TEST(Agents, KernelsLeaveTheSameMemoryOnSeveralSms) {
  std::uint64_t seed = 1;
  for (const TestKernel& k : test_kernels())
    for (const Dim3& grid : {Dim3{24, 1, 1}, Dim3{5, 4, 1}, Dim3{3, 5, 2}})
      for (const Machine& m : kMachines) {
        SCOPED_TRACE(k.name + ", SMs " + std::to_string(m.sms) + ", " + std::to_string(grid.count()));
        ASSERT_EQ(on_sms(k, grid, {{kPartitions[seed % 3]}, m.agents}, m.sms, seed), original(k, grid));
        ++seed;
      }
}

// The counters are as before when a launch has ended: the next one needs no help.
TEST(Agents, LaunchesFollowEachOther) {
  const TestKernel k = kernel_named("counts tasks");
  for (const Machine& m : kMachines)
    EXPECT_EQ(on_sms(k, {13, 3, 1}, {{}, m.agents}, m.sms, 5, 4), original(k, {13, 3, 1}, 4));
}

// Tasks run on their cluster's SM as long as it has some: with as many agents everywhere and tasks of equal
// length most do. (Where nothing clusters, two of three would run elsewhere.)
TEST(Agents, TasksRunOnTheirClustersSm) {
  const TestKernel k{"smid",
                     module_of("mov.u32 %r1, %smid; add.u32 %r1, %r1, 1; st.global.u32 [%mine], %r1; ret;")};
  const AgentGrid agents{3, 2, 2};
  const auto words = on_sms(k, {90, 1, 1}, {{}, agents}, 3, 11);
  const Clusters clusters{90, 3};
  std::uint32_t at_home = 0;
  for (std::uint32_t c = 0; c < 3; ++c)
    for (std::uint64_t v = clusters.first(c); v < clusters.first(c) + clusters.size(c); ++v)
      at_home += words[v * 32] == c + 1 ? 1 : 0;
  EXPECT_GT(at_home, 60u);
}

// How many tasks run at the same time on two SMs of four CTAs each.
std::uint32_t most_at_once(std::uint32_t active) {
  const TestKernel k{"at once", module_of(R"(
  setp.ne.u32 %p1, %t, 0; @%p1 bra END;
  atom.global.add.u32 %r1, [%out], 1; add.u32 %r1, %r1, 1;
  red.global.max.u32 [%out+4], %r1;
  mov.u32 %r2, 0;
LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 40; @%p2 bra LOOP;
  red.global.add.u32 [%out], -1;
END: ret;)")};
  return on_sms(k, {40, 1, 1}, {{}, {2, 4, active}}, 2, 8)[1];
}

TEST(Agents, ThoseBeyondTheActiveOnesRetire) {
  EXPECT_LE(most_at_once(1), 2u);
  EXPECT_LE(most_at_once(2), 4u);
  EXPECT_GT(most_at_once(4), 4u);
}

// Calls, recursion, calls through pointers, loops and returns wherever chance puts them.
TEST(Agents, RandomProgramsLeaveTheSameMemory) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::string text = exec::to_ptx(exec::make_random_program(seed));
    const std::uint32_t words = 10 * 32 * exec::kResultWords;
    const auto run = [&](workload::Device& device) {
      const auto out = device.allocate(4 * words, "out");
      device.load_module(text, "random.ptx");
      device.launch({.kernel = "k", .grid = {10, 1, 1}, .block = {32, 1, 1}, .args = workload::args(out)});
      return device.download<std::uint32_t>(out, words);
    };
    exec::FunctionalDevice plain, with_agents, redirected;
    const auto expected = run(plain);
    ClusteredDevice agents(with_agents, AgentOptions{{}, {3, 2, 2}});
    ClusteredDevice redirecting(redirected, Redirection{3, {}});
    ASSERT_EQ(run(agents), expected) << seed;
    ASSERT_EQ(run(redirecting), expected) << seed;
    refused += agents.refused().size() + redirecting.refused().size();
  }
  EXPECT_EQ(refused, 0u);
}

// The executor copies at once: only the text can tell.
TEST(Agents, CopiesAreWaitedForAtTheEndOfATask) {
  for (const auto& [name, count] : {std::pair("copies under way", 2), std::pair("reduction", 0)}) {
    ptx::tree::Module m = ptx::tree::read_module(kernel_named(name).text, "k.ptx");
    const ptx::tree::Pass pass = become_agents("k", {});
    ASSERT_FALSE(ptx::tree::run_passes(m, {&pass, 1}));
    const std::string text = ptx::tree::print(m);
    int found = 0;
    for (std::size_t at = 0; (at = text.find("cp.async.wait_all;", at)) != std::string::npos; ++at) ++found;
    EXPECT_EQ(found, count) << name;
  }
}

TEST(Agents, KernelsWithoutParameters) {
  for (const char* list : {"", "()"}) {
    const std::string text =
        std::string(".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 g;\n.visible .entry k") +
        list + "\n{ red.global.add.u32 [g], 1; }\n";
    exec::FunctionalDevice device;
    ClusteredDevice clustered(device, AgentOptions{{}, {3, 2, 2}});
    clustered.load_module(text, "k.ptx");
    clustered.launch({.kernel = "k", .grid = {7, 2, 1}, .block = {33, 1, 1}, .args = {}});
    EXPECT_EQ(clustered.download<std::uint32_t>(clustered.symbol("g"), 1)[0], 14u * 33u);
  }
}

// What begins with the letters of our own names in a kernel's text stays as it is.
TEST(Agents, NamesOfTheKernelStay) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry decodeUHD_frame(.param .u64 HD_in, .param .u64 HD_out)\n{\n"
      ".reg .b64 %HD_a, %HD_b, %d; .reg .b32 %r<3>;\n"
      "ld.param.u64 %HD_a, [HD_in]; ld.param.u64 %HD_b, [HD_out];\n"
      "mov.u32 %r1, %ctaid.x; mul.wide.u32 %d, %r1, 4; add.u64 %HD_a, %HD_a, %d; add.u64 %HD_b, %HD_b, %d;\n"
      "ld.global.u32 %r2, [%HD_a]; add.u32 %r2, %r2, 1; st.global.u32 [%HD_b], %r2; ret;\n}\n";
  exec::FunctionalDevice device;
  ClusteredDevice clustered(device, AgentOptions{{{}, true}, {3, 2, 2}});
  clustered.load_module(text, "k.ptx");
  ASSERT_THAT(clustered.rewritten(), testing::ElementsAre("decodeUHD_frame"));
  const std::vector<std::uint32_t> in{5, 6, 7, 8, 9, 10, 11};
  const workload::DevicePtr from = clustered.upload(in, "in"), to = clustered.upload(in, "out");
  clustered.launch({.kernel = "decodeUHD_frame",
                    .grid = {7, 1, 1},
                    .block = {32, 1, 1},
                    .args = workload::args(from, to)});
  EXPECT_THAT(clustered.download<std::uint32_t>(to, 7), testing::ElementsAre(6, 7, 8, 9, 10, 11, 12));
}

TEST(Agents, LaunchesThatCannotBe) {
  workload::Launch l;
  l.kernel = "k";
  l.grid = {0x7fffffff, 3, 1};
  EXPECT_THROW(agent_launch(l, {4, 2, 2}, {}), Error);
  l.grid = {4, 1, 1};
  EXPECT_THROW(agent_launch(l, {4, 2, 0}, {}), Error);
  EXPECT_THROW(agent_launch(l, {0, 2, 1}, {}), Error);
  EXPECT_EQ(agent_launch(l, {4, 2, 2}, {}).grid, (Dim3{4, 1, 1}));  // a task for each
  l.grid = {5, 1, 1};
  EXPECT_EQ(agent_launch(l, {4, 2, 2}, {}).grid, (Dim3{8, 1, 1}));
}

}  // namespace
}  // namespace heddle::cta_clustering
