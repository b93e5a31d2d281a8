// What all networks share: sizes of packets, parameters, the table of topologies.
#include "noc/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "noc/topology.h"
#include "rig.h"

namespace heddle::noc {
namespace {

using mem::flits;
using mem::Op;
using mem::Request;

TEST(Packet, FlitsAreHeaderAndSectorsOverTheWidth) {
  const mem::PacketFormat wide{Bytes{64}, Bytes{8}};
  Request r;
  r.sectors = 0xf;
  EXPECT_EQ(flits(wide, r), 1);  // 8 bytes
  r.reply = true;
  EXPECT_EQ(flits(wide, r), 3);  // 136 bytes: icc.md, "Decided by the simulator underneath", rule 2
  EXPECT_EQ(flits({Bytes{64}, Bytes{0}}, r), 2);
  EXPECT_EQ(flits({Bytes{32}, Bytes{8}}, r), 5);
  r.sectors = 0x1;
  EXPECT_EQ(flits({Bytes{32}, Bytes{8}}, r), 2);
}

TEST(Packet, WritesCarryDataThereAndAtomicsBothWays) {
  const mem::PacketFormat format{Bytes{32}, Bytes{8}};
  Request r;
  r.sectors = 0x3;
  r.op = Op::Write;
  EXPECT_EQ(flits(format, r), 3);
  r.op = Op::Atomic;
  EXPECT_EQ(flits(format, r), 3);
  r.reply = true;
  EXPECT_EQ(flits(format, r), 3);
  r.op = Op::Write;
  EXPECT_EQ(flits(format, r), 1);
}

TEST(Packet, WithoutHeaderAndDataItIsStillOneFlit) {
  EXPECT_EQ(flits({Bytes{32}, Bytes{0}}, Request{}), 1);
}

std::string error_of(std::string_view toml) {
  config::Config config = config::Config::parse(toml, "f.toml");
  try {
    NetworkSpec spec;
    config::Reader reader(&config, nullptr);
    NetworkSection{spec, topologies()}.fields(reader);
    config.check_all_read();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(NetworkSpec, ReadsAllFields) {
  const NetworkSpec spec = spec_of(R"(
topology = "crossbar"
flit = "64B"
header = "0B"
clock = "1.9GHz"
input_buffer = 2
output_buffer = 3
virtual_channels = 4
allocator_iterations = 5
ejection = 6
)");
  EXPECT_EQ(spec.packet.flit, 64_B);
  EXPECT_EQ(spec.packet.header, 0_B);
  EXPECT_EQ(spec.clock, 1900_MHz);
  EXPECT_EQ(spec.input_buffer, 2u);
  EXPECT_EQ(spec.output_buffer, 3u);
  EXPECT_EQ(spec.virtual_channels, 4u);
  EXPECT_EQ(spec.allocator_iterations, 5u);
  EXPECT_EQ(spec.ejection, 6u);
}

TEST(NetworkSpec, RefusesWhatCannotWork) {
  using testing::HasSubstr;
  EXPECT_THAT(error_of("flit = \"0B\""), HasSubstr("flit"));
  EXPECT_THAT(error_of("flit = \"2KiB\""), HasSubstr("1B to 1KiB"));
  EXPECT_THAT(error_of("input_buffer = 0"), HasSubstr("1 to 4096"));
  EXPECT_THAT(error_of("output_buffer = 0"), HasSubstr("1 to 4096"));
  EXPECT_THAT(error_of("virtual_channels = 0"), HasSubstr("1 to 256"));
  EXPECT_THAT(error_of("allocator_iterations = 0"), HasSubstr("1 to 16"));
  EXPECT_THAT(error_of("ejection = 0"), HasSubstr("1 to 64"));
  EXPECT_THAT(error_of("clock = \"1.4kHz\""), HasSubstr("below 1 MHz"));
  EXPECT_THAT(error_of("topology = \"crosbar\""), HasSubstr("crossbar"));
  EXPECT_THAT(error_of("ring.link_latency = 0"), HasSubstr("ring.link_latency"));
  EXPECT_THAT(error_of("ring.link_buffer = 0"), HasSubstr("1 to 4096"));
  EXPECT_THAT(error_of("ring.ports_per_router = 65"), HasSubstr("1 to 64"));
  EXPECT_EQ(error_of("flit = \"1KiB\""), "no error");
}

TEST(NetworkSpec, ClockOfZeroIsTheCores) {
  NetworkSpec spec;
  EXPECT_TRUE(clock_of(spec, 1400_MHz).same_as_core());
  spec.clock = 700_MHz;
  EXPECT_EQ(clock_of(spec, 1400_MHz).cycle_of(10), 20u);
}

// What the chosen topology has no use for is told: parameters of the others, and common ones that it ignores.
TEST(NetworkSpec, TellsWhatTheChosenTopologyDoesNotUse) {
  const auto error = [](const std::string& topology, const std::string& set) -> std::string {
    config::Config config = config::Config::parse("topology = \"" + topology + "\"", "f.toml");
    config.set(set);
    NetworkSpec spec;
    config::Reader reader(&config, nullptr);
    NetworkSection{spec, topologies()}.fields(reader);
    try {
      config.check_all_used();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(error("crossbar", "ring.link_buffer=3"), testing::HasSubstr("topology is 'crossbar'"));
  EXPECT_EQ(error("crossbar", "allocator_iterations=2"), "");
  EXPECT_EQ(error("ring", "ring.link_buffer=3"), "");
  EXPECT_THAT(error("ring", "allocator_iterations=2"), testing::HasSubstr("topology is 'ring'"));
}

// A kind that comes from elsewhere stands beside those of noc/, with a section of its own.
TEST(Topology, OthersBringTheirOwnKinds) {
  static std::uint32_t stages = 0;
  std::vector<TopologyKind> kinds(topologies().begin(), topologies().end());
  kinds.push_back({"staged", "for this test", 8, [](config::Reader& r) {
                     stages = 2;
                     r.field("stages", stages, config::range(1, 4), "of the test");
                     return find_topology("crossbar", topologies()).read(r);
                   }});
  const NetworkSpec spec = spec_of("topology = \"staged\"\nstaged.stages = 3", kinds);
  EXPECT_EQ(spec.topology, "staged");
  EXPECT_NE(spec.design, nullptr);
  EXPECT_EQ(stages, 3u);
  EXPECT_THROW(spec_of("staged.stages = 5", kinds), Error);
  EXPECT_THROW(spec_of("topology = \"staged\""), Error);
}

TEST(Topology, UnknownNamesAreRefusedWithTheNearest) {
  try {
    find_topology("crossbra", topologies());
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("'crossbar'"));
  }
}

}  // namespace
}  // namespace heddle::noc
