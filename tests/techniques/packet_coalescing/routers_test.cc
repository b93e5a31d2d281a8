// Packet coalescing in the routers of a mesh: what is held and for how long, what goes together, and that
// every request arrives once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <map>

#include "mesh_rig.h"
#include "techniques/packet_coalescing/packet_coalescing.h"

namespace heddle::packet_coalescing {
namespace {

using noc::Rig;
using noc::RigOptions;
using sim::Cycle;

// None when static objects are made: it is one of those.
std::span<const noc::PacketMergerKind> mergers() {
  return {&kPacketCoalescing, 1};
}

// A row of routers: sources at 0 to 3, the controllers at 4 and 5; two ticks per router and one per link.
RigOptions row_of_routers(const std::string& own, const std::string& more = "") {
  RigOptions o{.inputs = 4, .outputs = 2};
  o.spec = noc::spec_of(
      "topology = \"mesh\"\nmerger = \"packet_coalescing\"\noutput_buffer = 64\nmesh.width = 6\nmesh.height "
      "= "
      "1\nmesh.placement = \"list\"\nmesh.slice_nodes = [4, 5]\nmesh.routing_delay = 0\nmesh.crossing_delay "
      "= 0\n" +
          more + own,
      noc::topologies(), mergers());
  return o;
}
// Unloaded, from the input's channel to the output's.
Cycle alone(std::uint32_t routers) {
  return 4 + 2 * routers + (routers - 1);
}

// A line of row `row` of a controller's bank `bank`: by the rig's address map.
std::uint64_t line(std::uint64_t row, std::uint32_t bank, std::uint32_t number) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  std::uint32_t n = 0;
  for (std::uint64_t a = 0;; a += 128) {
    const mem::Location at = map.locate(a);
    if (at.partition == 0 && at.row == row && at.bank == bank && n++ == number) return a;
  }
}
mem::Request read(std::uint64_t address) {
  mem::Request r;
  r.line = address;
  return r;
}
PacketCoalescingStats counted(const Rig& rig) {
  stats::Groups all;
  all.make<noc::MeshStats>(noc::mesh_group("n"));
  all.make<PacketCoalescingStats>(kGroup);
  rig.network->collect("n", all);
  return all.get<PacketCoalescingStats>(kGroup);
}

// By itself: 5 cycles per router more, however they are divided.
TEST(Routers, HoldEveryReadAsLongAsTheDetectorSays) {
  for (const char* hold : {"fixed", "dynamic"})
    for (std::uint32_t source = 0; source < 4; ++source) {
      Rig rig(row_of_routers(fmt::format("packet_coalescing.hold = \"{}\"", hold)));
      rig.run(200, [&](Cycle c) {
        if (c == 10) rig.send(c, source, 0, 1, read(line(0, 0, 0)));
      });
      const std::uint32_t routers = 5 - source;
      ASSERT_EQ(rig.delivered.size(), 1u);
      EXPECT_EQ(rig.delivered[0].sent, 10 + alone(routers) + 5 * routers) << hold;
      const PacketCoalescingStats s = counted(rig);
      EXPECT_EQ(s.held_ticks, 5 * routers);
      EXPECT_EQ(s.held, routers);
      EXPECT_EQ(s.coalesced, 0u);
    }
}

TEST(Routers, LetWritesAndAtomicsPass) {
  for (const mem::Op op : {mem::Op::Write, mem::Op::Atomic}) {
    Rig rig(row_of_routers(""));
    mem::Request r = read(line(0, 0, 0));
    r.op = op;
    rig.run(200, [&](Cycle c) {
      if (c == 10) rig.send(c, 0, 0, 3, r);
    });
    ASSERT_EQ(rig.delivered.size(), 1u);
    EXPECT_EQ(rig.delivered[0].sent, 10 + alone(5) + 2);
    EXPECT_EQ(counted(rig).held, 0u);
  }
}

struct Two {
  std::uint64_t first, second;  // lines
  std::uint64_t coalesced;
};

// From different cores, the second while the first is held at its router.
TEST(Routers, RequestsToOneRowGoTogether) {
  for (const Two& two : {Two{line(0, 0, 0), line(0, 0, 1), 2}, Two{line(0, 0, 0), line(0, 0, 0), 2},
                         Two{line(0, 0, 0), line(1, 0, 0), 0}, Two{line(0, 0, 0), line(0, 1, 0), 0}}) {
    Rig rig(row_of_routers(""));
    rig.run(200, [&](Cycle c) {
      if (c == 10) rig.send(c, 0, 0, 1, read(two.first));
      if (c == 16) rig.send(c, 1, 0, 1, read(two.second));  // while the first is at router 1
    });
    const PacketCoalescingStats s = counted(rig);
    EXPECT_EQ(s.reads, 2u);
    EXPECT_EQ(s.unpacked, 2u);
    EXPECT_EQ(s.coalesced, two.coalesced);
    EXPECT_EQ(s.packets, two.coalesced == 2 ? 1u : 2u);
    ASSERT_EQ(rig.delivered.size(), 2u);
    // Both come out by themselves, one after the other, as they came.
    if (two.coalesced == 2) {
      EXPECT_EQ(rig.delivered[0].serial, two.first);
      EXPECT_EQ(rig.delivered[1].serial, two.second);
      EXPECT_EQ(rig.delivered[1].sent, rig.delivered[0].sent + 1);
      EXPECT_EQ(rig.network->statistics().flits, 1u);
    }
  }
}

// The same row number of another controller is another row.
TEST(Routers, RequestsToDifferentControllersDoNotGoTogether) {
  Rig rig(row_of_routers(""));
  rig.run(200, [&](Cycle c) {
    if (c == 10) rig.send(c, 0, 0, 1, read(line(0, 0, 0)));
    if (c == 16) rig.send(c, 1, 1, 1, read(line(0, 0, 0)));
  });
  EXPECT_EQ(counted(rig).coalesced, 0u);
  EXPECT_EQ(rig.delivered.size(), 2u);
}

// Four requests of 8 bytes fit a flit of 32. The first one's packet takes them along, router by router.
TEST(Routers, ABigPacketIsAsLongAsItsRequests) {
  for (const std::uint32_t n : {2u, 4u, 5u, 9u, 16u}) {
    Rig rig(row_of_routers("packet_coalescing.hold = \"fixed\"\npacket_coalescing.delay_per_hop = 40"));
    rig.run(600, [&](Cycle c) {
      if (c >= 10 && c < 10 + n) rig.send(c, 0, 0, 1, read(line(0, 0, static_cast<std::uint32_t>(c - 10))));
    });
    ASSERT_EQ(rig.delivered.size(), n);
    EXPECT_EQ(rig.network->statistics().flits, (n * 8 + 31) / 32) << n;
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(rig.delivered[i].serial, line(0, 0, i));
    EXPECT_EQ(counted(rig).big_packets, 1u);
  }
}

// A packet that comes from another router joins one that is held, whole.
TEST(Routers, ABigPacketJoinsAnother) {
  Rig rig(row_of_routers("packet_coalescing.hold = \"fixed\"\npacket_coalescing.delay_per_hop = 20"));
  rig.run(600, [&](Cycle c) {
    if (c >= 10 && c < 16) rig.send(c, 0, 0, 1, read(line(0, 0, static_cast<std::uint32_t>(c - 10))));
    if (c >= 30 && c < 36) rig.send(c, 1, 0, 1, read(line(0, 0, static_cast<std::uint32_t>(c - 20))));
  });
  const PacketCoalescingStats s = counted(rig);
  EXPECT_EQ(s.big_packets, 1u);
  EXPECT_EQ(s.coalesced, 12u);
  EXPECT_EQ(rig.delivered.size(), 12u);
  EXPECT_EQ(rig.network->statistics().flits, 3u);
}

TEST(Routers, APacketTakesNoMoreThanItsMost) {
  Rig rig(
      row_of_routers("packet_coalescing.hold = \"fixed\"\npacket_coalescing.delay_per_hop = "
                     "40\npacket_coalescing.most_requests = 4"));
  rig.run(600, [&](Cycle c) {
    if (c >= 10 && c < 20) rig.send(c, 0, 0, 1, read(line(0, 0, static_cast<std::uint32_t>(c - 10))));
  });
  EXPECT_EQ(counted(rig).packets, 3u);
  EXPECT_EQ(rig.delivered.size(), 10u);
}

// Rule 8: what finds no entry goes on at once.
TEST(Routers, AFullTableLetsPacketsPass) {
  Rig rig(row_of_routers("packet_coalescing.entries = 1"));
  rig.run(300, [&](Cycle c) {
    if (c == 10) rig.send(c, 3, 0, 1, read(line(0, 0, 0)));
    if (c == 11) rig.send(c, 3, 0, 1, read(line(0, 1, 0)));
  });
  const PacketCoalescingStats s = counted(rig);
  EXPECT_EQ(s.peak, 1u);
  ASSERT_EQ(rig.delivered.size(), 2u);
  // The first is held for 3 of its 10 cycles, the second has all of them left for router 4, where it comes
  // first.
  EXPECT_EQ(s.table_full, 2u);
  EXPECT_EQ(rig.delivered[0].serial, line(0, 0, 0));
  EXPECT_EQ(rig.delivered[0].sent, 10 + alone(2) + 3);
  EXPECT_EQ(rig.delivered[1].sent, 11 + alone(2) + 10);
}

// extra5cycle: everyone waits as with `fixed`, nobody goes together.
TEST(Routers, WithoutMergingOnlyTheWaitingIsLeft) {
  Rig rig(row_of_routers("packet_coalescing.hold = \"fixed\"\npacket_coalescing.merge = false"));
  rig.run(200, [&](Cycle c) {
    if (c == 10) rig.send(c, 0, 0, 1, read(line(0, 0, 0)));
    if (c == 30) rig.send(c, 0, 0, 1, read(line(0, 0, 1)));
  });
  ASSERT_EQ(rig.delivered.size(), 2u);
  EXPECT_EQ(rig.delivered[0].sent, 10 + alone(5) + 25);
  EXPECT_EQ(rig.delivered[1].sent, 30 + alone(5) + 25);
  const PacketCoalescingStats s = counted(rig);
  EXPECT_EQ(s.joined, 0u);
  EXPECT_EQ(s.coalesced, 0u);
  EXPECT_EQ(s.held_ticks, 50u);
}

// What a packet waits for its time it waits in its queue: the next one of its source stands behind it.
TEST(Routers, WithoutMergingPacketsWaitInTheirQueues) {
  Rig rig(row_of_routers("packet_coalescing.hold = \"fixed\"\npacket_coalescing.merge = false"));
  rig.run(300, [&](Cycle c) {
    if (c == 10 || c == 11) rig.send(c, 3, 0, 1, read(line(0, c == 10 ? 0 : 1, 0)));
  });
  ASSERT_EQ(rig.delivered.size(), 2u);
  EXPECT_EQ(rig.delivered[0].sent, 10 + alone(2) + 2 * 5);
  // It is first in its queue when the other has crossed the switch, and is held as long.
  EXPECT_EQ(rig.delivered[1].sent, rig.delivered[0].sent + 5 + 2);
}

// A packet whose time is over takes no others along, unless it is told to. Router 3 has two sources' packets
// for controller 0; a stream of writes keeps the link behind it busy.
TEST(Routers, PacketsWhoseTimeIsOverTakeNobodyAlong) {
  const auto joined = [](const char* join_expired) {
    Rig rig(
        row_of_routers(fmt::format("packet_coalescing.hold = \"fixed\"\npacket_coalescing.delay_per_hop = "
                                   "2\npacket_coalescing.join_expired = {}",
                                   join_expired),
                       "mesh.vc_buffer = 8\nmesh.wait_for_tail_credit = true\n"));
    rig.run(4000, [&](Cycle c) {
      if (c >= 10 && c < 400) rig.send(c, 3, 0, 8);  // writes
      // Requests of a row come 20 cycles apart.
      if (c >= 10 && c < 400 && c % 20 == 0) rig.send(c, 2, 0, 1, read(line(0, c / 20 % 2, 0)));
      if (c >= 10 && c < 400 && c % 20 == 10) rig.send(c, 1, 0, 1, read(line(0, c / 20 % 2, 1)));
    });
    const PacketCoalescingStats s = counted(rig);
    EXPECT_EQ(s.reads, s.unpacked);
    return s;
  };
  const PacketCoalescingStats never = joined("false"), still = joined("true");
  EXPECT_LT(never.joined, still.joined);
  EXPECT_GT(never.overdue_ticks, 0u);
}

// One entry per cycle leaves a table: of two that are due together the second is held a cycle longer.
TEST(Routers, OnePacketPerCycleLeavesATable) {
  // 30 cycles at every router, a cycle to cross it and one for the link: what source 2 sent 32 cycles before
  // source 3 comes to router 3 with it.
  for (const std::uint32_t between : {31u, 32u, 33u}) {
    Rig rig(row_of_routers("packet_coalescing.hold = \"fixed\"\npacket_coalescing.delay_per_hop = 30",
                           "mesh.vc_delay = 0\n"));
    rig.run(300, [&](Cycle c) {
      if (c == 10) rig.send(c, 2, 0, 1, read(line(0, 0, 0)));
      if (c == 10 + between) rig.send(c, 3, 0, 1, read(line(0, 1, 0)));
    });
    ASSERT_EQ(rig.delivered.size(), 2u);
    const PacketCoalescingStats s = counted(rig);
    EXPECT_EQ(s.held, 5u);
    EXPECT_EQ(s.held_ticks, 5 * 30u + (between == 32 ? 1 : 0)) << between;
  }
}

// With two virtual channels, packets for one controller take turns flit by flit; a big one that holds the
// grant is as fast as if it were alone.
TEST(Routers, AGrantHolderKeepsABigPacketTogether) {
  const auto last = [](bool hold_grant) {
    Rig rig(
        row_of_routers(fmt::format("packet_coalescing.hold = \"fixed\"\npacket_coalescing.delay_per_hop = "
                                   "40\npacket_coalescing.hold_grant = {}",
                                   hold_grant),
                       "virtual_channels = 2\ninput_buffer = 64\n"));
    rig.run(700, [&](Cycle c) {
      if (c >= 10 && c < 42) rig.send(c, 0, 0, 1, read(line(0, 0, static_cast<std::uint32_t>(c % 16))));
      if (c >= 20 && c < 400) rig.send(c, 3, 0, 8);  // a stream of writes
    });
    Cycle at = 0;
    for (const noc::Delivery& d : rig.delivered)
      if (d.source == 0) at = std::max(at, d.sent);
    EXPECT_EQ(counted(rig).coalesced, 32u);
    return at;
  };
  EXPECT_LT(last(true), last(false));
}

// Random requests to few rows, in networks that are much too small for them: each arrives once, where it
// belongs, and stepping every cycle gives the same times.
TEST(Routers, EveryRequestArrivesOnce) {
  noc::Random random(5);
  std::uint64_t coalesced = 0;
  std::vector<std::uint64_t> lines;  // of two rows of two banks
  for (std::uint32_t i = 0; i < 8; ++i) lines.push_back(line(i / 4, i / 2 % 2, i % 2));
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t most = 1 + random.below(16), channels = 1 + random.below(2);
    const auto pick = [&](auto... names) {
      const std::array all = {names...};
      return std::string(all[random.below(all.size())]);
    };
    RigOptions o{.inputs = 9, .outputs = 3};
    o.spec = noc::spec_of(
        fmt::format(
            "topology = \"mesh\"\nmerger = \"packet_coalescing\"\nbuffers = \"{}\"\nvirtual_channels = "
            "{}\ninput_buffer = {}\noutput_buffer = {}\nmesh.vc_buffer = {}\nmesh.routing_delay = "
            "{}\nmesh.vc_delay = {}\nmesh.wait_for_tail_credit = {}\npacket_coalescing.hold = "
            "\"{}\"\npacket_coalescing.delay_per_hop = {}\npacket_coalescing.entries = "
            "{}\npacket_coalescing.most_requests = {}\npacket_coalescing.join_expired = {}\n",
            pick("packets", "flits"), channels, 8 + random.below(8), most + 8 + random.below(4),
            (most + 3) / 4 + random.below(3), random.below(3), random.below(2), random.below(2) == 1,
            pick("fixed", "dynamic"), random.below(12), 1 + random.below(6), most, random.below(2) == 1),
        noc::topologies(), mergers());
    o.out_capacity = 2;
    o.clock = random.below(2) == 0 ? sim::Clock{} : sim::Clock(650_MHz, 1400_MHz);
    const auto run = [&](bool every_cycle, std::uint64_t seed) {
      RigOptions mine = o;
      mine.every_cycle = every_cycle;
      Rig rig(mine);
      noc::Random r(seed);
      std::map<std::pair<std::uint64_t, std::uint32_t>, int> expected;  // by line and output
      rig.open = [](std::uint32_t output, Cycle now) { return (now / 50 + output) % 3 != 0; };
      rig.run(20000, [&](Cycle c) {
        if (c > 2000) return;
        for (std::uint32_t i = 0; i < 9; ++i) {
          const std::uint32_t output = r.below(3);
          mem::Request request = read(lines[r.below(8)]);
          const bool write = r.below(5) == 0;
          if (write) request.op = mem::Op::Write;
          if (rig.send(c, i, output, write ? 3 : 1, request)) ++expected[{request.line, output}];
        }
      });
      EXPECT_EQ(rig.delivered.size(), rig.sent) << rig.report();
      for (const noc::Delivery& d : rig.delivered) --expected[{d.serial, d.destination}];
      for (const auto& [what, left] : expected) EXPECT_EQ(left, 0) << what.first;
      const PacketCoalescingStats s = counted(rig);
      EXPECT_EQ(s.reads, s.unpacked);
      coalesced += s.coalesced;
      return rig.delivered;
    };
    EXPECT_EQ(run(false, 11), run(true, 11)) << round;
  }
  EXPECT_GT(coalesced, 10000u);
}

TEST(Routers, RefusePacketsThatTheirBuffersCannotHold) {
  const auto refusal = [](const std::string& own, const std::string& more) {
    const RigOptions o = row_of_routers(own, more);
    const mem::AddressMap map{mem::AddressMapSpec{}};
    const auto found = o.spec.design->obstacle(o.spec, noc::place_of(4, 2, map));
    return found ? found->message : std::string();
  };
  EXPECT_THAT(refusal("", "mesh.vc_buffer = 7\n"), testing::HasSubstr("8 flits"));
  EXPECT_THAT(refusal("packet_coalescing.most_requests = 65", "mesh.vc_buffer = 64\n"),
              testing::HasSubstr("output_buffer"));
  EXPECT_EQ(refusal("", ""), "");
}

}  // namespace
}  // namespace heddle::packet_coalescing
