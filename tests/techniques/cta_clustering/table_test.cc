// Agents whose order is a table in device memory; what CTAs read, and that finding it out changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bench.h"
#include "exec/functional/cta_reads.h"
#include "mem/saved_memory.h"
#include "workload/random.h"

namespace heddle::cta_clustering {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> any_order(std::uint64_t tasks) {
  std::vector<std::uint32_t> order(tasks);
  std::iota(order.begin(), order.end(), 0u);
  workload::Random random(tasks);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  return order;
}

const Partition kTable{Order::Table, 2, 2};

TEST(TableAgents, LeaveTheSameMemoryForAnyOrder) {
  for (const TestKernel& k : test_kernels())
    for (const Dim3& grid : kGrids)
      for (const bool prefetch : {false, true}) {
        SCOPED_TRACE(k.name);
        exec::FunctionalDevice device;
        ClusteredDevice clustered(device, AgentOptions{{kTable, prefetch}, {4, 2, 2}, any_order});
        const auto found = words_after(clustered, k, grid, 2);
        expect_rewritten(clustered);
        EXPECT_EQ(found, original(k, grid, 2));
      }
}

TEST(TableAgents, GoByRowsWithoutATable) {
  const TestKernel k = test_kernels().front();
  exec::FunctionalDevice device;
  ClusteredDevice clustered(device, AgentOptions{{kTable}, {3, 2, 1}, {}});
  EXPECT_EQ(words_after(clustered, k, {5, 4, 1}), original(k, {5, 4, 1}));
  expect_rewritten(clustered);
}

// Tasks are done in the order of the table: one agent writes down which CTA comes when.
TEST(TableAgents, TakeTasksInTheTablesOrder) {
  const std::string text = module_of(R"(
atom.global.add.u32 %r1, [%out], 1;
add.u32 %r1, %r1, 1;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd2, %out, %rd1;
st.global.u32 [%rd2], %id;
)");
  exec::FunctionalDevice device;
  ClusteredDevice clustered(device, AgentOptions{{kTable}, {1, 1, 1}, any_order});
  clustered.load_module(text, "k.ptx");
  const Dim3 grid{3, 5, 2};
  const workload::DevicePtr out = clustered.allocate(4 * 64, "out");
  clustered.launch({.kernel = "k", .grid = grid, .block = {1, 1, 1}, .args = workload::args(out, 1u)});
  auto words = clustered.download<std::uint32_t>(out, 1 + grid.count());
  words.erase(words.begin());
  EXPECT_EQ(words, any_order(grid.count()));
}

TEST(TableAgents, RedirectionRefuses) {
  EXPECT_THROW(redirect("k", {4, kTable}), Error);
}

// CTA c reads words 32 c .. 32 c + 63 (one line of 128 bytes and the next), and doubles its own.
const char* const kReads = R"(
mul.wide.u32 %rd1, %gid, 4;
add.u64 %rd2, %out, %rd1;
ld.global.u32 %r1, [%rd2];
ld.global.u32 %r2, [%rd2+128];
add.u32 %r1, %r1, %r1;
st.global.u32 [%rd2], %r1;
atom.global.add.u32 %r3, [%rd2+4096], 1;
)";

TEST(CtaReads, AreThoseOfTheLaunchAndMemoryStays) {
  exec::FunctionalDevice device;
  device.load_module(module_of(kReads), "k.ptx");
  const std::uint32_t words = 4096;
  std::vector<std::uint32_t> before(words);
  std::iota(before.begin(), before.end(), 7u);
  const workload::DevicePtr out = device.allocate(4 * words, "out");
  device.copy_in(out, before.data(), 4 * words);
  const workload::DevicePtr untouched = device.allocate(1 << 20, "zeros");
  const std::string input = device.input_hash();
  const workload::Launch launch{
      .kernel = "k", .grid = {4, 1, 1}, .block = {32, 1, 1}, .args = workload::args(out, 0u)};
  const workload::CtaReads found = device.reads(launch, 128);
  ASSERT_TRUE(found.known()) << found.why_not;
  const std::uint64_t first = static_cast<std::uint64_t>(out) / 128;
  ASSERT_EQ(found.lines.size(), 4u);
  for (std::uint64_t c = 0; c < 4; ++c)
    EXPECT_THAT(found.lines[c], ElementsAre(first + c, first + c + 1)) << "stores and atomics are no reads";
  EXPECT_EQ(device.download<std::uint32_t>(out, words), before);
  EXPECT_THAT(device.download<std::uint32_t>(untouched, 1 << 18), testing::Each(0u));
  EXPECT_EQ(device.input_hash(), input);
  EXPECT_TRUE(device.launches().empty());
  device.launch(launch);
  EXPECT_NE(device.download<std::uint32_t>(out, words), before);
}

TEST(CtaReads, OfALaunchThatFailsAreUnknown) {
  exec::FunctionalDevice device;
  device.load_module(module_of(kReads), "k.ptx");
  const workload::DevicePtr out = device.allocate(256, "out");
  const std::vector<std::uint32_t> before(64, 5);
  device.copy_in(out, before.data(), 256);
  EXPECT_FALSE(
      device
          .reads({.kernel = "k", .grid = {4, 1, 1}, .block = {32, 1, 1}, .args = workload::args(out, 0u)},
                 128)
          .known());
  EXPECT_EQ(device.download<std::uint32_t>(out, 64), before);
}

TEST(CtaReads, KeepALineOfSeveralWhenThereAreTooMany) {
  exec::ReadLines all(8, 128, 1 << 20), few(8, 128, 1000);
  for (std::uint64_t cta = 0; cta < 8; ++cta)
    for (std::uint64_t line = 0; line < 900; ++line)
      for (int twice = 0; twice < 2; ++twice) {
        all.read(cta, line);
        few.read(cta, line);
      }
  const workload::CtaReads whole = all.take(), part = few.take();
  EXPECT_EQ(whole.one_of, 1u);
  EXPECT_GE(part.one_of, 8u);
  for (std::size_t cta = 0; cta < 8; ++cta) {
    EXPECT_EQ(whole.lines[cta].size(), 900u);
    EXPECT_GT(part.lines[cta].size(), 0u);
    EXPECT_EQ(part.lines[cta], part.lines[0]) << "the same lines of every CTA";
  }
}

TEST(SavedMemory, PutsBackWhatHasChanged) {
  mem::DeviceMemory memory;
  const std::uint64_t bytes = 300'000;
  const mem::Address a = memory.allocate(bytes, "a"), zeros = memory.allocate(1 << 20, "zeros");
  std::vector<std::uint8_t> data(bytes), now(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7);
  memory.write(a, data.data(), bytes);
  mem::SavedMemory saved(memory);
  EXPECT_LT(saved.bytes(), bytes + (64 << 10));
  memory.fill(a + 70'000, 3, 100'000);
  memory.fill(zeros + 65'535, 9, 2);
  saved.restore();
  memory.read(now.data(), a, bytes);
  EXPECT_EQ(now, data);
  std::vector<std::uint8_t> rest(1 << 20);
  memory.read(rest.data(), zeros, rest.size());
  EXPECT_EQ(std::count(rest.begin(), rest.end(), 0), 1 << 20);
}

}  // namespace
}  // namespace heddle::cta_clustering
