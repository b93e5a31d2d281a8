// Every bundled workload gives its results when its kernels are rewritten.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "exec/functional/functional_device.h"
#include "ptx/rewrite/ptxas.h"
#include "techniques/cta_clustering/rewrite/clustered_device.h"
#include "workloads/registry.h"

namespace heddle::cta_clustering {
namespace {

using workload::Workload;

// What a host program has read back.
class ReadBack final : public workload::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  void copy_out(void* to, workload::DevicePtr from, std::uint64_t bytes) override {
    to_.copy_out(to, from, bytes);
    hash_.add(to, bytes);
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  Hasher hash_;
};

struct Outcome {
  std::size_t rewritten = 0;
  std::map<std::string, std::size_t> refused;  // by rule
};

void run_all(const std::vector<ClusteredDevice::Options>& options, Outcome& outcome) {
  std::size_t n = 0;
  for (const Workload* w : workloads::all_workloads()) {
    SCOPED_TRACE(w->info().name);
    const workload::RunOptions tiny{.scale = workload::Scale::Tiny};
    exec::FunctionalOptions fast;
    fast.count_accesses = false;
    exec::FunctionalDevice plain(fast), device(fast);
    ReadBack expected(plain);
    ASSERT_TRUE(w->run(expected, tiny).ok);
    ClusteredDevice clustered(device, options[n++ % options.size()]);
    ReadBack found(clustered);
    const workload::Verification v = w->run(found, tiny);
    EXPECT_TRUE(v.ok) << v.detail;
    if (!w->info().order_sensitive) {
      EXPECT_EQ(found.value(), expected.value());
    }
    outcome.rewritten += clustered.rewritten().size();
    for (const ptx::tree::Refusal& r : clustered.refused()) {
      ++outcome.refused[r.rule];
      std::printf("%s: %s: %s (line %u: %s)\n", w->info().name.c_str(), r.function.c_str(), r.reason.c_str(),
                  r.at.line, r.instruction.c_str());
    }
  }
}

// All of them, so far.
void expect_all(const Outcome& o) {
  EXPECT_GE(o.rewritten, 144u);
  EXPECT_TRUE(o.refused.empty());
}

TEST(Workloads, Redirected) {
  Outcome o;
  run_all({Redirection{15, {Order::Row, 2, 2}}, Redirection{4, {Order::Column, 2, 2}},
           Redirection{7, {Order::Tile, 3, 2}}},
          o);
  expect_all(o);
}

TEST(Workloads, ByAgents) {
  Outcome o;
  run_all({AgentOptions{{{Order::Row, 2, 2}}, {15, 2, 2}}, AgentOptions{{{Order::Column, 2, 2}}, {4, 3, 1}},
           AgentOptions{{{Order::Tile, 3, 2}}, {7, 4, 2}}},
          o);
  expect_all(o);
}

// Backwards: any order of CTAs gives the same results.
TEST(Workloads, ByAgentsWithATable) {
  const auto backwards = [](std::uint64_t tasks) {
    std::vector<std::uint32_t> order;
    for (std::uint64_t v = tasks; v-- > 0;) order.push_back(static_cast<std::uint32_t>(v));
    return order;
  };
  Outcome o;
  run_all({AgentOptions{{{Order::Table, 2, 2}}, {15, 2, 2}, backwards}}, o);
  expect_all(o);
}

TEST(Workloads, Assemble) {
  if (!ptx::Ptxas::installed()) GTEST_SKIP() << "ptxas is not installed";
  const ptx::Ptxas ptxas;
  exec::FunctionalDevice device;
  for (const workload::EmbeddedPtx& ptx : workloads::all_embedded_ptx()) {
    for (const ClusteredDevice::Options& options :
         {ClusteredDevice::Options(Redirection{15, {}}),
          ClusteredDevice::Options(AgentOptions{{{Order::Tile, 4, 4}}, {}})}) {
      ClusteredDevice clustered(device, options);
      clustered.load_module(ptx.text, ptx.file);
      const auto result = ptxas.assemble(clustered.texts().at(0));
      EXPECT_TRUE(result.ok) << ptx.file << "\n" << result.messages;
    }
  }
}

}  // namespace
}  // namespace heddle::cta_clustering
