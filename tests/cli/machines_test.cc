// Machines on the command line: describe, diff, list, and configurations that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gpu/catalog.h"
#include "gpu/presets.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

class Machines : public Commands {};

TEST_F(Machines, EveryPresetIsDescribed) {
  for (const gpu::Preset& p : gpu::presets()) {
    const Outcome o = heddle("describe " + std::string(p.name));
    EXPECT_EQ(o.status, 0) << o.out;
    for (const char* part :
         {"clusters of", "cluster ports", "request network: ", "reply network: ", "memory partitions",
          "DRAM  ", "implementation per slot", "policies", "peak rates", "latency of a load",
          "DRAM, bank closed", "resident on an SM at once", "where its values come from"})
      EXPECT_THAT(o.out, HasSubstr(part)) << p.name;
  }
}

// What the paper's table and a card's data sheet say.
TEST_F(Machines, PeakRatesAreTheKnownOnes) {
  const std::string clustered = heddle("describe clustered60").out;
  EXPECT_THAT(clustered, HasSubstr("crossbar 12 x 8"));
  EXPECT_THAT(clustered, HasSubstr("reply network     717 GB/s"));  // icc.md: 716.8 GB/s
  EXPECT_THAT(clustered, HasSubstr("L2 data ports     358 GB/s"));
  EXPECT_THAT(clustered, HasSubstr("4MiB in all"));
  const std::string h200 = heddle("describe h200").out;
  EXPECT_THAT(h200, HasSubstr("FP32              33.5 T instr./s"));  // 67 TFLOPS
  EXPECT_THAT(h200, HasSubstr("DRAM              4.81 TB/s"));
  EXPECT_THAT(h200, HasSubstr("132 SMs present"));
}

TEST_F(Machines, TellsWhatIsGuessed) {
  const std::string v100 = heddle("describe v100").out;
  EXPECT_THAT(v100.substr(v100.find("  assumed")), HasSubstr("sm.scheduler"));
  EXPECT_THAT(heddle("describe v100 --all").out, HasSubstr("assumed: not published\n"));
}

// icc.md, section a: 276 bytes, and 3.2 KB.
TEST_F(Machines, StorageOfAMergerIsTold) {
  EXPECT_THAT(heddle("describe clustered60 --set cluster.merger=icc").out,
              HasSubstr("per cluster: merge table 48 x (41 + 5) bits = 276 bytes\n"));
  EXPECT_THAT(heddle("describe clustered60 --set cluster.merger=icc_cc").out,
              HasSubstr("coalesced cache 24 x (41 + 1024) bits = 3195 bytes\n"));
  EXPECT_THAT(heddle("describe clustered60").out, Not(HasSubstr("per cluster: ")));
}

TEST_F(Machines, EveryPresetHasACost) {
  for (const gpu::Preset& p : gpu::presets()) {
    const Outcome o = heddle("describe --cost " + std::string(p.name));
    EXPECT_EQ(o.status, 0) << o.out;
    for (const char* part : {"cost of memories and networks at ", "energy of events", "when nothing happens",
                             "  request network ", "  reply network ", " crossbar", " links of ", " / flit",
                             "allocator", "all of them"})
      EXPECT_THAT(o.out, HasSubstr(part)) << p.name;
    EXPECT_THAT(o.out, Not(testing::ContainsRegex("nan|inf"))) << p.name;
    const std::string machine = heddle("describe " + std::string(p.name)).out;
    for (const std::string cache : {"L1", "L2"})
      EXPECT_EQ(o.out.find("\n  " + cache + " ") == std::string::npos,
                machine.find(cache + "  none") != std::string::npos)
          << p.name << ", " << cache;
  }
}

// The baseline of dcl1.md: at 700 MHz, and not at 1400 (figure 13b).
TEST_F(Machines, CostTellsWhichClocksCannotBe) {
  const std::string plain = heddle("describe cu80 --cost").out;
  EXPECT_THAT(plain, HasSubstr("1 crossbar 80 x 32, 32B; 4 virtual channels, 4 flits each"));
  EXPECT_THAT(plain, HasSubstr("112 links of 32B, 12.3 mm"));
  EXPECT_THAT(plain, HasSubstr("80 caches of 16KiB, 4 ways of 128B"));
  EXPECT_THAT(plain, HasSubstr("32 caches of 128KiB, 8 ways of 128B"));
  EXPECT_THAT(plain, Not(HasSubstr("NOT REACHED")));
  const std::string twice = heddle("describe cu80 --cost --set noc.request.clock=1400MHz").out;
  EXPECT_THAT(twice, HasSubstr("asked for 1400 MHz: NOT REACHED"));
}

TEST_F(Machines, ADesignIsDescribedOnItsMachine) {
  EXPECT_EQ(heddle("describe clustered60 --design ICC").out,
            heddle("describe clustered60 --set cluster.merger=icc").out);
  EXPECT_THAT(heddle("describe cu80 --cost --design wide:baseline:noc.reply.flit=64B").out,
              HasSubstr("1 crossbar 32 x 80, 64B"));
  const Outcome two = heddle("describe clustered60 --design baseline,ICC");
  EXPECT_NE(two.status, 0);
  EXPECT_THAT(two.out, HasSubstr("names 2 designs"));
  EXPECT_NE(heddle("describe clustered60 --design nothing_like_it").status, 0);
}

TEST_F(Machines, CostAsJsonFollowsTheDescription) {
  const auto cost = [&](const std::string& more) {
    const Outcome o = heddle("describe cu80 --cost --json " + more);
    EXPECT_EQ(o.status, 0) << o.out;
    return nlohmann::json::parse(o.out);
  };
  const auto base = cost("");
  ASSERT_EQ(base["structures"].size(), 5);  // SMs, L1, two networks, L2
  double area = 0;
  for (const auto& s : base["structures"]) area += s["area_mm2"].get<double>();
  EXPECT_NEAR(area, base["area_mm2"], 1e-9);
  const auto of = [](const nlohmann::json& j, const char* name) {
    for (const auto& s : j["structures"])
      if (s["name"] == name) return s["area_mm2"].get<double>();
    return 0.0;
  };
  EXPECT_NEAR(of(cost("--set l1.sets=64"), "L1") / of(base, "L1"), 1.84,
              0.06);  // dcl1.md, row 60; with MSHRs
  EXPECT_GT(of(cost("--set noc.reply.flit=64B"), "reply network"), 2 * of(base, "reply network"));
  EXPECT_LT(of(cost("--link-um 3300"), "request network"), of(base, "request network"));
  EXPECT_EQ(of(cost("--set l1.enabled=false"), "L1"), 0);
  EXPECT_NE(heddle("describe cu80 --json").status, 0);  // of --cost
}

// 12 clusters and 8 slices, each at a router of its own.
TEST_F(Machines, ARingIsDescribedByItsRouters) {
  const std::string ring = heddle("describe clustered60 --set noc.request.topology=ring").out;
  EXPECT_THAT(ring, HasSubstr("request network: ring of 20 routers, 12 x 8"));
  EXPECT_THAT(ring, HasSubstr("reply network: crossbar 8 x 12"));
  EXPECT_THAT(ring, HasSubstr("routers in a ring of two directions"));
}

TEST_F(Machines, AllTellsTheSourceOfEveryValue) {
  const Outcome o = heddle("describe v100 --all --set l1.latency=33");
  EXPECT_THAT(o.out, HasSubstr("configs/v100.toml:"));
  EXPECT_THAT(o.out, HasSubstr("latency = 33"));
  EXPECT_THAT(o.out, HasSubstr("--set"));
}

TEST_F(Machines, DiffShowsOnlyWhatDiffers) {
  Outcome o = heddle("describe gtx480 --diff clustered60");
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, HasSubstr("gpu.clusters"));
  EXPECT_THAT(o.out, HasSubstr("cta.scheduler"));
  EXPECT_THAT(o.out, Not(HasSubstr("dram.tRAS")));
  EXPECT_THAT(o.out, Not(HasSubstr("peak rates")));
  EXPECT_THAT(heddle("describe v100 --diff v100").out, HasSubstr("the same machine"));
  const std::string mine = file("mine.toml", "inherits = \"v100\"\n[l1]\nlatency = 7\n");
  o = heddle("describe " + mine + " --diff v100");
  EXPECT_THAT(o.out, HasSubstr("l1.latency"));
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 2) << o.out;
}

TEST_F(Machines, ListShowsGpusAndEveryImplementation) {
  const std::string out = heddle("list").out;
  for (const gpu::Preset& p : gpu::presets()) EXPECT_THAT(out, HasSubstr(std::string(p.description)));
  EXPECT_EQ(gpu::catalog().size(), 14u);
  for (const gpu::Slot& slot : gpu::catalog()) {
    EXPECT_THAT(out, HasSubstr("--set " + std::string(slot.key)));
    EXPECT_FALSE(slot.implementations().empty());
    for (const auto& i : slot.implementations()) EXPECT_THAT(out, HasSubstr(i.description));
  }
}

// Every implementation of every slot can be chosen by its name, and the program then says that it was.
TEST_F(Machines, EveryImplementationCanBeChosen) {
  for (const gpu::Slot& slot : gpu::catalog())
    for (const auto& i : slot.implementations()) {
      std::string set = std::string(slot.key) + "=" + i.name;
      if (slot.key == "noc.request.merger")  // only a mesh has routers for it
        set +=
            " --set noc.request.topology=mesh --set noc.reply.topology=mesh --set "
            "noc.request.output_buffer=32";
      const Outcome o = heddle(
          "run vecadd --scale tiny --gpu clustered60 --set l1.ways=4 --set l1.index=linear --set " + set);
      EXPECT_EQ(o.status, 0) << set << "\n" << o.out;
      EXPECT_THAT(o.out, HasSubstr(i.description)) << set;
    }
}

TEST_F(Machines, ImpossibleMachinesAreRefusedWithKeyAndRule) {
  struct Case {
    const char *set, *key, *rule;
  };
  for (const Case& c :
       {Case{"l1.sets=0", "l1.sets", "expected 1 to"}, Case{"l1.line=96B", "l1.line", "no power of two"},
        Case{"l2.line=64B", "l2.line", "must be equal"},
        Case{"memory.interleave=64B", "memory.interleave", "multiple of the L2 line"},
        Case{"gpu.clock=0Hz", "gpu.clock", "expected 1MHz to"},
        Case{"dram.clock=0MHz", "dram.clock", "expected 1MHz to"},
        Case{"l2.clock=10Hz", "l2.clock", "below 1 MHz"},
        Case{"noc.request.flit=0B", "noc.request.flit", "expected 1B to"},
        Case{"dram.bus=1B", "dram.bus", "every pseudo channel needs a byte"},
        Case{"dram.burst=64", "dram.burst", "more than a row"},
        Case{"latency.cluster_to_sm=0", "latency.cluster_to_sm", "expected 1 to"},
        Case{"gpu.sms=3", "gpu.sms", "without any"}, Case{"gpu.sms=500", "gpu.sms", "do not fit"},
        Case{"l1.latncy=5", "l1.latncy", "did you mean 'l1.latency'?"},
        Case{"cluster.merger=iccc", "cluster.merger", "plain"}}) {
    const Outcome o =
        heddle(std::string("describe v100 --set memory.row=256B --set dram.bus=16B --set ") + c.set);
    EXPECT_EQ(o.status, 2) << c.set;
    EXPECT_THAT(o.out, HasSubstr(c.key));
    EXPECT_THAT(o.out, HasSubstr(c.rule)) << c.set;
  }
  const Outcome o = heddle("run vecadd --gpu v10");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("v100"));
}

// What does nothing on the chosen machine is refused, with the reason; the same on a machine that uses it is
// not.
TEST_F(Machines, SettingsWithoutEffectAreErrors) {
  struct Case {
    const char *gpu, *set, *why, *with;
  };
  for (const Case& c : {
           Case{"clustered60", "cluster.icc.entries=9", "cluster.merger is 'plain'", "cluster.merger=icc"},
           Case{"clustered60", "l1.next_line.degree=2", "l1.prefetcher is 'none'", "l1.prefetcher=next_line"},
           Case{"clustered60", "noc.request.ring.link_latency=3", "topology is 'crossbar'",
                "noc.request.topology=ring"},
           Case{"clustered60", "sm.active_warps=3", "two_level", "sm.scheduler=two_level"},
           Case{"clustered60", "l1.latency=9", "there is no L1", "l1.enabled=true"},
           Case{"clustered60", "dram.tRFC=9", "no refresh", "dram.tREFI=1000"},
           Case{"clustered60", "dram.row_hit_cap=9", "fr_fcfs", "dram.scheduler=fr_fcfs"},
           Case{"clustered60", "measure.window=9", "measure.funnel", "measure.funnel=true"},
           Case{"v100", "l1.ways=9", "sm.unified_l1", "sm.unified_l1=0B"},
           Case{"v100", "sm.timing.move.latency=9", "slots = 0", "sm.timing.move.slots=1"},
           Case{"v100", "sm.timing.float_div.slots=9", "as_ptx", "sm.count=as_sass"},
       }) {
    std::string without = std::string("describe ") + c.gpu + " --set " + c.set;
    if (std::string_view(c.set).starts_with("l1.latency")) without += " --set l1.enabled=false";
    if (std::string_view(c.set).starts_with("dram.row")) without += " --set dram.scheduler=fifo";
    if (std::string_view(c.set).starts_with("dram.tRFC")) without += " --set dram.tREFI=0";
    if (std::string_view(c.set).starts_with("sm.timing.f")) without += " --set sm.count=as_ptx";
    const Outcome o = heddle(without);
    EXPECT_EQ(o.status, 2) << without;
    EXPECT_THAT(o.out, HasSubstr("has no effect on this machine")) << without;
    EXPECT_THAT(o.out, HasSubstr(c.why)) << without;
    const std::string with = std::string("describe ") + c.gpu + " --set " + c.set + " --set " + c.with;
    EXPECT_EQ(heddle(with).status, 0) << with;
  }
  // Common settings of designs: one of them must use it.
  EXPECT_EQ(heddle("compare vecadd --scale tiny --store " + file("s.db") +
                   " --designs baseline,ICC --set cluster.icc.entries=9")
                .status,
            0);
  const Outcome o = heddle("compare vecadd --scale tiny --designs baseline,DB --set cluster.icc.entries=9");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("no effect on any of the designs"));
}

// Only what does nothing but compute can be removed by an assembler.
TEST_F(Machines, WhatDoesWorkTakesAtLeastOneSlot) {
  for (const char* c :
       {"load", "store", "branch", "barrier", "atomic", "shuffle", "fence", "load_shared", "texture"}) {
    const Outcome o = heddle(std::string("describe clustered60 --set sm.timing.") + c + ".slots=0");
    EXPECT_EQ(o.status, 2) << c;
    EXPECT_THAT(o.out, HasSubstr("expected 1 to 100")) << c;
  }
  EXPECT_EQ(heddle("describe v100 --set sm.timing.int_add.slots=0").status, 0);
}

// A kernel that only waits ends with the report of who waits for whom, not never.
TEST_F(Machines, MachinesThatDoNotProceedEnd) {
  const std::string ptx =
      file("spin.ptx",
           ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<2>;\nld.param.u64 %rd1, [p];\n"
           "W:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\nret;\n}\n");
  const std::string launch = file("spin.toml",
                                  "[buffer.b]\ntype = \"u32\"\ncount = 1\n[[launch]]\nkernel = \"k\"\n"
                                  "grid = 1\nblock = 32\nargs = [\"b\"]\n");
  const Outcome o = heddle("run " + ptx + " --launch " + launch + " --set gpu.patience=20000");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("does not proceed"));
  EXPECT_THAT(o.out, HasSubstr("Who waits for whom"));
  EXPECT_THAT(o.out, HasSubstr("SM 0"));
}

}  // namespace
}  // namespace heddle
