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

// The data inside the page that the command writes.
class NocPage : public NocCommand {
 protected:
  nlohmann::json page(const std::string& options) {
    const std::string place = R"(<script type="application/json" id="heddle-data">)";
    const std::string empty = file("page.html", place + "</script>");
    const Outcome o = noc(options + " --html " + file("noc.html") + " --page " + empty);
    EXPECT_EQ(o.status, 0) << o.out;
    const std::string text = contents("noc.html");
    const std::size_t at = text.find(place) + place.size();
    return nlohmann::json::parse(text.substr(at, text.find("</script>", at) - at));
  }
};

TEST_F(NocPage, HasEveryLinkOfAMeshAtEveryRate) {
  const auto data = page("--size 4x3 --rate 0.05,0.1 --pattern many-to-few --slices 3");
  EXPECT_EQ(data["schema"], "heddle.page/1");
  EXPECT_THAT(data["made"]["command"].get<std::string>(), HasSubstr("heddle noc --warm-up 200"));
  const auto& noc = data["noc"];
  EXPECT_EQ(noc["pattern"], "many-to-few");
  ASSERT_EQ(noc["curves"].size(), 1u);
  const auto& curve = noc["curves"][0];
  EXPECT_EQ(curve["senders"], "core");
  EXPECT_EQ(curve["receivers"], "slice");
  EXPECT_EQ(curve["floor"]["inputs"].size(), 9u);
  EXPECT_EQ(curve["floor"]["outputs"].size(), 3u);
  EXPECT_TRUE(curve["saturation"].is_number());  // without --saturation
  ASSERT_EQ(curve["links"].size(), 2u * (3 * 3 + 4 * 2));
  for (const auto& l : curve["links"]) {
    const int from = l["from"], to = l["to"];
    EXPECT_TRUE(std::abs(from - to) == 4 || (std::abs(from - to) == 1 && from / 4 == to / 4)) << l;
  }
  ASSERT_EQ(curve["points"].size(), 2u);
  for (const auto& p : curve["points"]) {
    EXPECT_EQ(p["link_flits"].size(), curve["links"].size());
    std::uint64_t arrived = 0;
    for (const auto& n : p["output_flits"]) arrived += n.get<std::uint64_t>();
    EXPECT_NEAR(static_cast<double>(arrived) / (9 * 500), p["accepted"].get<double>(), 1e-9);
  }
  EXPECT_THAT(data["configurations"][0].get<std::string>(), HasSubstr("virtual_channels = "));
}

TEST_F(NocPage, OtherNetworksHaveNoFloor) {
  const auto data = page("--size 4x4 --rate 0.05 --compare topology=ring,crossbar");
  const auto& curves = data["noc"]["curves"];
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_FALSE(curves[0].contains("floor"));
  EXPECT_EQ(curves[0]["links"].size(), 32u);
  EXPECT_EQ(curves[0]["name"], "topology = ring");
  EXPECT_TRUE(curves[1]["links"].empty());
  EXPECT_EQ(curves[1]["points"][0]["output_flits"].size(), 16u);
}

TEST_F(NocCommand, ComparesValuesOfAParameter) {
  const std::string options = "--rate 0.05,0.1 --size 3x3 --compare virtual_channels=1,4 ";
  const Outcome text = noc(options), tree = noc(options + "--json -"), table = noc(options + "--csv -");
  EXPECT_THAT(text.out, HasSubstr("virtual_channels=4: At zero load "));
  const auto all = nlohmann::json::parse(tree.out);
  EXPECT_EQ(all["compared"], "virtual_channels");
  ASSERT_EQ(all["curves"].size(), 2u);
  EXPECT_EQ(all["curves"][1]["value"], "4");
  EXPECT_THAT(table.out, testing::StartsWith("virtual_channels,offered,"));
  EXPECT_THAT(table.out, HasSubstr("\n4,0.05,"));
  // Each curve is that of the parameter alone.
  const auto alone =
      nlohmann::json::parse(noc("--rate 0.05,0.1 --size 3x3 --set virtual_channels=4 --json -").out);
  EXPECT_EQ(all["curves"][1]["points"], alone["points"]);
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
           {"--compare virtual_channels", "--compare virtual_channels=1,4,8"},
           {"--compare virtual_channels=1,,4", "different values"},
           {"--compare virtual_channels=4,4", "different values"},
           {"--compare virtual_chanels=1,4", "virtual_channels"},
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
