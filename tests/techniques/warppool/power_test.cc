// Table 1's power beside that of our models: 45 nm, 1.2 GHz, one instruction and one line in every cycle.
// The paper's is of place and route: it has clock trees, control and the logic that finds mappings, which no
// model here has.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "energy/storage.h"
#include "techniques/warppool/warppool_spec.h"

namespace heddle::warppool {
namespace {

constexpr double kHz = 1.2e9;

struct Power {
  double dynamic_mw = 0, static_mw = 0;
};

double mw(double fj) {
  return fj * 1e-15 * kHz * 1e3;
}

// All flip-flops have their clock, whether they are written or not.
Power of(const energy::Cells& cells, const mem::QueuePart& q) {
  const double bits = 8.0 * static_cast<double>(q.entry.count());
  const energy::QueueCost c = energy::queue_cost(cells, q.entries, 8 * q.entry.count());
  return {mw(c.write_fj + c.read_fj + q.count * q.entries * bits * cells.clock_fj()),
          q.count * c.cost.static_nw * 1e-6};
}

TEST(WarpPoolPower, BesideTable1) {
  const energy::Cells cells(energy::find_tech("45nm"));
  const sm::LoadFront::Hardware h = WarpPoolSpec{}.hardware();
  ASSERT_EQ(h.queues.size(), 3u);
  const mem::TablePart& t = h.tables.at(0);
  // Few entries of each of 32 queues: flip-flops.
  const mem::QueuePart tags{t.count, t.entries, Bytes{(t.key_bits + t.other_bits + 7) / 8}, {}};
  const energy::MemoryCost m = energy::memory_cost(cells, h.arrays.at(0));
  struct Row {
    const char* what;
    double dynamic_mw, static_mw;
    Power ours;
  };
  const Row rows[] = {{"instruction queues", 41.4, 0.4, of(cells, h.queues[0])},
                      {"intra-warp coalescers", 24.1, 0.2, of(cells, h.queues[1])},
                      {"inter-warp queues", 43.8, 0.5, of(cells, tags)},
                      {"thread map table", 9.8, 0.1, of(cells, h.queues[2])},
                      {"MSHR metadata", 19.9, 2.1, {mw(m.read_fj + m.write_fj), m.cost.static_nw * 1e-6}}};
  double theirs = 0, ours = 0;
  for (const Row& r : rows) {
    RecordProperty(r.what, fmt::format("{:.1f} mW and {:.1f} mW static, Table 1: {} and {}",
                                       r.ours.dynamic_mw, r.ours.static_mw, r.dynamic_mw, r.static_mw));
    theirs += r.dynamic_mw + r.static_mw;
    ours += r.ours.dynamic_mw + r.ours.static_mw;
  }
  EXPECT_LT(ours, 2 * theirs);
  EXPECT_GT(ours, theirs / 2);
}

}  // namespace
}  // namespace heddle::warppool
