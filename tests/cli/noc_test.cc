// `heddle noc`, as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kShort = " --warm-up 200 --cycles 500 ";

class NocCommand : public Commands {
 protected:
  Outcome noc(const std::string& options) const { return heddle("noc" + std::string(kShort) + options); }
};

TEST_F(NocCommand, EveryTopologyHasACurve) {
  for (const char* topology : {"crossbar", "hierarchical", "ring", "mesh"}) {
    const Outcome o = noc("--rate 0.02,0.04 --size 4x4 --topology " + std::string(topology));
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_THAT(o.out, HasSubstr(": uniform traffic, packets of 1 flit\n"));
    EXPECT_THAT(o.out, HasSubstr("\n  0.020 "));
    EXPECT_THAT(o.out, HasSubstr("At zero load "));
  }
  const Outcome mesh = noc("--rate 0.1 --size 4x4 --saturation");
  EXPECT_THAT(mesh.out, HasSubstr("Saturation (three times that latency): 0."));
  EXPECT_THAT(mesh.out,
              testing::ContainsRegex("Busiest links at 0.100: router [0-9]+ (north|east|south|west) 0"));
}

TEST_F(NocCommand, SaysWhenANetworkDoesNotKeepUp) {
  const Outcome o = noc("--rate 0.5:1:0.1 --size 4x4 --pattern transpose");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("+: the network does not keep up"));
  EXPECT_THAT(o.out, HasSubstr("Higher rates were left out"));
}

TEST_F(NocCommand, MachinesHaveTheirOwnNetworks) {
  const Outcome there = noc("clustered60 --rate 0.05");
  EXPECT_EQ(there.status, 0) << there.out;
  EXPECT_THAT(there.out, HasSubstr("clustered60, request network: crossbar 12 x 8: many-to-few traffic"));
  const Outcome back = noc("clustered60 --reply --rate 0.05 --flits 5");
  EXPECT_THAT(back.out, HasSubstr("reply network: crossbar 8 x 12: few-to-many traffic, packets of 5 flits"));
  const Outcome mesh =
      noc("v100 --rate 0.05 --set noc.request.topology=mesh --set noc.request.mesh.placement=diamond "
          "--set noc.reply.topology=mesh --set noc.reply.mesh.placement=diamond");
  EXPECT_EQ(mesh.status, 0) << mesh.out;
  EXPECT_THAT(mesh.out, HasSubstr("mesh of "));
}

TEST_F(NocCommand, CsvAndJsonHoldTheSame) {
  const std::string options = "--rate 0.05:0.1:0.05 --size 3x3 ";
  const Outcome tree = noc(options + "--json -"), table = noc(options + "--csv -");
  const auto all = nlohmann::json::parse(tree.out);
  EXPECT_EQ(all["schema"], "heddle.noc/1");
  EXPECT_EQ(all["pattern"], "uniform");
  ASSERT_EQ(all["points"].size(), 2u);
  EXPECT_EQ(all["points"][1]["keeps_up"], true);
  EXPECT_FALSE(all["points"][1]["busiest_links"].empty());
  EXPECT_THAT(table.out, testing::StartsWith("offered,accepted,latency,"));
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 3);
  EXPECT_EQ(noc(options + "--json -").out, tree.out);  // the same every time
  EXPECT_NE(noc(options + "--seed 2 --json -").out, tree.out);
}

TEST_F(NocCommand, RefusesWhatCannotBe) {
  struct Case {
    const char *options, *message;
  };
  for (const Case& c : {
           Case{"--pattern transpose --size 8x4", "needs a square grid"},
           {"--pattern shuffle --size 6x6", "needs a power of two"},
           {"--pattern unifrom", "no traffic pattern is named 'unifrom'"},
           {"--topology messh", "messh"},
           {"--size 0x4", "not a number of nodes"},
           {"--size 100x100", "10000 nodes"},
           {"--rate 0", "is no rate"},
           {"--rate 0.1:0.5", "not FROM:TO:STEP"},
           {"--rate 0.5:0.1:0.1", "no rates"},
           {"--set mesh.routing=o1turn", "two virtual channels"},
           {"--set mesh.vc_buffers=3", "vc_buffer"},
           {"--set ring.link_buffer=3", "ring.link_buffer"},
           {"--pattern many-to-few --size 2x2 --slices 4", "no node is left for a core"},
           {"clustered60 --pattern uniform", "many-to-few traffic"},
           {"clustered60 --size 4x4", "a machine has its own"},
           {"--reply", "few-to-many"},
           {"--csv - --json -", "Only one"},
       }) {
    const Outcome o = noc(c.options);
    EXPECT_NE(o.status, 0) << c.options;
    EXPECT_THAT(o.out, HasSubstr(c.message)) << c.options;
  }
}

// A mesh in a machine: order must be kept, and both networks stand on one floor.
TEST_F(NocCommand, MachinesRefuseMeshesThatCannotBeTheirs) {
  const std::string mesh =
      "describe clustered60 --set noc.request.topology=mesh --set noc.reply.topology=mesh ";
  const Outcome fine = heddle(mesh);
  EXPECT_EQ(fine.status, 0) << fine.out;
  EXPECT_THAT(fine.out, HasSubstr("request network: mesh of 5 x 4 routers, 12 x 8"));
  EXPECT_THAT(heddle(mesh + "--cost").out, HasSubstr(" links of "));
  const Outcome any = heddle(mesh + "--set noc.request.mesh.vc_assignment=any");
  EXPECT_NE(any.status, 0);
  EXPECT_THAT(any.out, HasSubstr("does not keep the order of packets"));
  const Outcome apart = heddle(mesh + "--set noc.reply.mesh.placement=diamond");
  EXPECT_NE(apart.status, 0);
  EXPECT_THAT(apart.out, HasSubstr("both networks stand on one floor"));
  const Outcome small = heddle(mesh + "--set noc.request.mesh.width=4 --set noc.request.mesh.height=4");
  EXPECT_NE(small.status, 0);
  EXPECT_THAT(small.out, HasSubstr("a mesh of 4 x 4 has 16 routers"));
}

TEST_F(NocCommand, WorkloadsRunOverMeshes) {
  for (const char* gpu : {"v100", "clustered60"})
    for (const char* workload : {"hotspot", "bfs"}) {
      const Outcome o = heddle("run " + std::string(workload) + " --scale tiny --gpu " + gpu +
                               " --set noc.request.topology=mesh --set noc.reply.topology=mesh --stats");
      EXPECT_EQ(o.status, 0) << o.out;
      EXPECT_THAT(o.out, HasSubstr("request_network.mesh.mean_hops"));
    }
}

}  // namespace
}  // namespace heddle
