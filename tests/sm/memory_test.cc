// The load/store unit as the SM uses it.
#include <gtest/gtest.h>

#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

const StaticInstr kLoad = op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory);
const StaticInstr kStore = op(InstrClass::Store, {}, {0, 1}, StaticInstr::kMemory);
const StaticInstr kUse = op(InstrClass::IntAdd, {2}, {1});

TEST(Memory, AHitIsReadyAfterTheL1sLatency) {
  Bench b(plain());
  Script s({kLoad, kUse, exit_op()}, 1);
  s.access = [](auto...) {};
  b.run(s);
  // Issued at t, in the load/store unit at t + 1, data 10 later.
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 11u);
}

TEST(Memory, RegistersOfASecondRecordComeWithTheOthers) {
  StaticInstr load = op(InstrClass::Load, {1, 2, 3, 4, 5}, {0}, StaticInstr::kMemory);
  load.more = 1;
  load.set_rest(3);
  Bench b(plain());
  Script s({load, op(InstrClass::IntAdd, {20}, {8}), exit_op(), op(InstrClass::Other, {6, 7, 8})}, 1);
  s.access = [](auto...) {};
  b.run(s);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 11u);
}

// Four lanes at a time: those of a column need not wait for each other, those of a row do by banks of 16
// bytes.
TEST(Memory, TexelsOfAPlaneCollideByRows) {
  SmSpec spec = plain();
  spec.banked_data = true;
  spec.lines_per_cycle = 4;
  const StaticInstr fetch = op(InstrClass::Texture, {1}, {0}, StaticInstr::kMemory);
  constexpr sim::Cycle kHit = 10;
  // From the first line of a fetch to that of the next one, which waits for its result.
  auto cycles = [&](std::uint64_t distance, bool plane) {
    std::array<std::uint64_t, 32> texel;
    for (std::size_t lane = 0; lane < texel.size(); ++lane) texel[lane] = 4096 + lane * distance;
    Bench b(spec);
    std::vector<sim::Cycle> first;
    b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
      if (r.line == texel[0] / 128 * 128) first.push_back(now);
      return mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + kHit};
    };
    Script s({fetch, fetch, exit_op()}, 1);
    s.access = [&](auto, auto, auto, WarpAccess& a) {
      a.space = WarpAccess::Space::Texture;
      if (plane) a.manner = WarpAccess::Manner::Plane;
      a.address = texel.data();
    };
    b.run(s);
    EXPECT_EQ(first.size(), 2u);
    return first.size() == 2 ? first[1] - first[0] - kHit : 0;
  };
  EXPECT_EQ(cycles(4, true), 1u);
  EXPECT_EQ(cycles(1024, true), 8u);    // a column: 32 lines, four in a cycle
  EXPECT_EQ(cycles(1024, false), 32u);  // words of one bank
  EXPECT_EQ(cycles(16, true), 16u);     // two words of each bank for four lanes
  EXPECT_EQ(cycles(32, true), 32u);
  EXPECT_EQ(cycles(6, true), 1u);  // neighbours in 32 bytes, wherever they begin
}

// validation/data/h200_l1_bank.csv: 32 lines so far apart, each lane its own bank of the data.
TEST(Memory, LinesCollideInBanksOfTheTags) {
  SmSpec spec = plain();
  spec.banked_data = true;
  spec.lines_per_cycle = 4;
  // From the first request of a load to that of the one behind it.
  const auto cycles = [&](std::uint64_t lines_apart) {
    Bench b(spec);
    std::vector<sim::Cycle> first;
    b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
      if (r.line == 0x1000'0000) first.push_back(now);
      return mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + 10};
    };
    Script s(
        {op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory),
         op(InstrClass::Load, {2}, {0}, StaticInstr::kMemory), op(InstrClass::IntAdd, {3}, {2}), exit_op()},
        1);
    s.access = [&](auto, auto, auto, WarpAccess& a) {
      for (std::uint64_t l = 0; l < 32; ++l)
        const_cast<std::uint64_t*>(a.address)[l] = 0x1000'0000 + l * lines_apart * 128 + l * 4;
    };
    b.run(s);
    return first.size() == 2 ? first[1] - first[0] : 0;
  };
  for (const std::uint64_t even : {1, 2, 4, 8, 16, 32}) EXPECT_EQ(cycles(even), 8u) << even;
  EXPECT_EQ(cycles(3), 11u);
  EXPECT_EQ(cycles(5), 10u);
  EXPECT_EQ(cycles(9), 14u);
  EXPECT_EQ(cycles(17), 9u);
}

TEST(Memory, TexelsOfPlanesAndFiltersComeLater) {
  SmSpec spec = plain();
  spec.texture_latency = 60, spec.plane_latency = 30, spec.filter_latency = 7;
  const StaticInstr fetch = op(InstrClass::Texture, {1}, {0}, StaticInstr::kMemory);
  const auto cycles = [&](bool plane, std::uint8_t parts) {
    Bench b(spec);
    Script s({fetch, kUse, exit_op()}, 1);
    s.parts = parts;
    s.access = [plane](auto, auto, auto, WarpAccess& a) {
      a.space = WarpAccess::Space::Texture;
      if (plane) a.manner = WarpAccess::Manner::Plane;
    };
    b.run(s);
    return s.issued[0][1] - s.issued[0][0];
  };
  EXPECT_EQ(cycles(false, 1), 11u + 60);
  EXPECT_EQ(cycles(true, 1), 11u + 90);
  EXPECT_EQ(cycles(true, 4), 11u + 97 + 3);  // a line request for each texel
}

TEST(Memory, AMissWakesTheWarpWithItsReply) {
  Bench b(plain());
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + 500, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  Script s({kLoad, kUse, exit_op()}, 1);
  s.access = [](auto...) {};
  b.run(s);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 501u);
  EXPECT_EQ(b.sm.statistics().stall_memory, 500u);
}

// Cycles skipped until the acknowledgement that ends the CTA were spent with its warp on the SM.
TEST(Memory, WaitingForTheLastStoreIsActiveTime) {
  Bench b(plain());
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + 500, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  Script s({kStore, exit_op()}, 1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.kind = WarpAccess::Kind::Store;
  };
  b.run(s);
  ASSERT_EQ(b.sm.retired().size(), 1u);
  EXPECT_EQ(b.sm.statistics().active_cycles, b.sm.retired()[0].at);
  EXPECT_EQ(b.sm.statistics().warp_cycles, b.sm.retired()[0].at);
  EXPECT_GT(b.sm.statistics().stall_drain, 490u);
}

// 32 lanes in 32 lines: one line per cycle, in order; the data are there after the last.
TEST(Memory, ScatteredLanesAreSerialised) {
  Bench b(plain());
  Script s({kLoad, kUse, exit_op()}, 1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = l * 4096;
  };
  b.run(s);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 11u + 31);
  ASSERT_EQ(b.l1.seen.size(), 32u);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(b.l1.seen[i].second.line, i * 4096);
}

// The texels of a filter are several accesses of one instruction.
TEST(Memory, AnInstructionOfSeveralPartsIsCountedOnce) {
  Bench b(plain());
  Script s({op(InstrClass::Texture, {1}, {0}, StaticInstr::kMemory), kUse, exit_op()}, 1);
  s.parts = 8;
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.space = WarpAccess::Space::Texture;
  };
  b.run(s);
  EXPECT_EQ(b.sm.statistics().texture.instructions, 1u);
  EXPECT_EQ(b.sm.statistics().texture.lines, 8u);
}

// A blocked global access blocks the shared access of another warp behind it.
TEST(Memory, TheUnitIsInOrder) {
  Bench b(plain());
  b.l1.behave = [](sim::Cycle now, const mem::Request&) {
    return now < 200 ? mem::L1Port::Answer{} : mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + 10};
  };
  Script s({kLoad, kUse, exit_op()}, 2);
  s.access = [](std::uint64_t, std::uint32_t warp, std::uint32_t, WarpAccess& a) {
    if (warp == 1) a.space = WarpAccess::Space::Shared;
  };
  b.run(s);
  EXPECT_GE(s.issued[1][1], 200u + 20);
}

// From an access to shared memory to what needs it; lane l at word l % words * apart.
struct SharedUse {
  std::uint64_t words = 32, apart = 1;
  WarpAccess::Kind kind = WarpAccess::Kind::Load;
  WarpAccess::Manner manner = WarpAccess::Manner::Plain;
};
sim::Cycle cycles(const SmSpec& spec, const SharedUse& use) {
  Bench b(spec);
  Script s({op(InstrClass::LoadShared, {1}, {0}, StaticInstr::kMemory), kUse, exit_op()}, 1);
  s.access = [use](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.space = WarpAccess::Space::Shared;
    a.kind = use.kind;
    a.manner = use.manner;
    for (std::uint64_t l = 0; l < 32; ++l)
      const_cast<std::uint64_t*>(a.address)[l] = l % use.words * use.apart * 4;
  };
  b.run(s);
  return s.issued[0][1] - s.issued[0][0];
}

TEST(Memory, SharedBankConflictsTakeOneCycleEach) {
  SmSpec spec = plain();
  EXPECT_EQ(cycles(spec, {}), 1u + 20);
  EXPECT_EQ(cycles(spec, {.apart = 2}), 1u + 20 + 1);
  EXPECT_EQ(cycles(spec, {.apart = 32}), 1u + 20 + 31);
  spec.shared_pass_latency = 2;
  EXPECT_EQ(cycles(spec, {}), 1u + 20);
  EXPECT_EQ(cycles(spec, {.apart = 32}), 1u + 20 + 62);
}

// As validation/data/h200_shared_atomics.csv has them, less 11 cycles: of the loop around them, and 29 of
// shared memory for 20.
TEST(Memory, AtomicsOfSharedMemoryByKind) {
  SmSpec spec = plain();
  spec.shared_latency = 29, spec.shared_pass_latency = 2;
  spec.shared_swap_passes = 2, spec.shared_swap_latency = 8, spec.shared_loop_latency = 94;
  using Kind = WarpAccess::Kind;
  using Manner = WarpAccess::Manner;
  const auto add = cycles(spec, {.kind = Kind::Atomic});
  EXPECT_EQ(cycles(spec, {.words = 8, .kind = Kind::Atomic}) - add, 6u);   // 37.3 - 31.3
  EXPECT_EQ(cycles(spec, {.words = 1, .kind = Kind::Atomic}) - add, 62u);  // 93.3 - 31.3
  const auto swap = cycles(spec, {.kind = Kind::Atomic, .manner = Manner::Swap});
  EXPECT_EQ(swap - add, 10u);  // 39.3 - 31.3
  EXPECT_EQ(cycles(spec, {.words = 1, .kind = Kind::Atomic, .manner = Manner::Swap}) - swap, 124u);
  // Rounds of a loop: by lanes in a word, and longer where they read different words of a bank.
  const auto loop = cycles(spec, {.kind = Kind::Atomic, .manner = Manner::Loop});
  EXPECT_EQ(cycles(spec, {.words = 1, .kind = Kind::Atomic, .manner = Manner::Loop}) - loop, 31u * 94);
  EXPECT_EQ(cycles(spec, {.apart = 32, .kind = Kind::Atomic, .manner = Manner::Loop}) - loop, 31u * 94 + 992);
  spec.shared_loop_latency = 0;
  EXPECT_EQ(cycles(spec, {.kind = Kind::Atomic, .manner = Manner::Loop}), add);
}

TEST(Memory, AQueueOfLimitedLengthStallsIssue) {
  SmSpec spec = plain();
  spec.lsu_queue = 2;
  Bench b(spec);
  b.l1.behave = [](sim::Cycle now, const mem::Request&) {
    return now < 300 ? mem::L1Port::Answer{} : mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + 10};
  };
  Script s({kLoad, exit_op()}, 4);
  s.access = [](auto...) {};
  b.run(s);
  int early = 0;
  for (int w = 0; w < 4; ++w) early += s.issued[static_cast<std::size_t>(w)][0] < 300 ? 1 : 0;
  EXPECT_EQ(early, 2);
  EXPECT_GT(b.sm.statistics().stall_lsu, 250u);
}

// Also what no unit executes needs room in the load/store queue.
TEST(Memory, ConstantLoadsWithoutAUnitWaitForTheQueue) {
  SmSpec spec = plain();
  spec.lsu_queue = 1;
  spec.timing.classes[static_cast<std::size_t>(InstrClass::LoadConst)].unit = UnitKind::None;
  Bench b(spec);
  b.l1.behave = [](sim::Cycle now, const mem::Request&) {
    return now < 300 ? mem::L1Port::Answer{} : mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + 10};
  };
  std::vector<StaticInstr> code{kLoad};
  for (int i = 0; i < 40; ++i)
    code.push_back(op(InstrClass::LoadConst, {2 + i % 8}, {0}, StaticInstr::kMemory));
  code.push_back(exit_op());
  Script s(code, 4);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t pc, WarpAccess& a) {
    if (pc != 0) a.space = WarpAccess::Space::Constant;
  };
  b.run(s);
  EXPECT_EQ(s.finished, 1u);
  EXPECT_GT(b.sm.statistics().stall_lsu, 250u);
}

// As validation/data/h200_constants.csv has them: lanes with the same word together, others one after
// another.
TEST(Memory, ConstantsTakeTheirTimeByWords) {
  SmSpec spec = plain();
  spec.constant_latency = 30, spec.constant_interval = 2, spec.constant_word_latency = 11;
  const auto cycles = [&](std::uint64_t distinct) {
    Bench b(spec);
    Script s({op(InstrClass::LoadConst, {1}, {0}, StaticInstr::kMemory), kUse, exit_op()}, 1);
    s.access = [distinct](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
      a.space = WarpAccess::Space::Constant;
      for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = l % distinct * 4;
    };
    b.run(s);
    return s.issued[0][1] - s.issued[0][0];
  };
  const auto one = cycles(1);
  EXPECT_EQ(cycles(4) - one, 3u * (11 + 2));
  EXPECT_EQ(cycles(32) - one, 31u * (11 + 2));
}

TEST(Memory, ConstantsOfTwoWordsTakeNoLonger) {
  SmSpec spec = plain();
  spec.constant_latency = 30, spec.constant_interval = 2;
  const auto cycles = [&](std::uint8_t bytes) {
    Bench b(spec);
    Script s({op(InstrClass::LoadConst, {1}, {0}, StaticInstr::kMemory), kUse, exit_op()}, 1);
    s.access = [bytes](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
      a.space = WarpAccess::Space::Constant;
      a.bytes = bytes;
      for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = l % 8 * 16;
    };
    b.run(s);
    return s.issued[0][1] - s.issued[0][0];
  };
  EXPECT_EQ(cycles(8), cycles(4));
  EXPECT_EQ(cycles(16) - cycles(8), 8u * 2);
}

// Words that all lanes read at an address that the assembler knows to be one: beside the load/store unit,
// from a cache of their own that fetches one line at a time.
TEST(Memory, UniformConstantsHaveACacheOfTheirOwn) {
  SmSpec spec = plain();
  spec.constant_uniform_latency = 6;
  spec.uniform_cache = 128_B, spec.uniform_miss_latency = 0, spec.uniform_miss_interval = 59;
  // Every load waits for the one before.
  const StaticInstr load = op(InstrClass::LoadConst, {1}, {1}, StaticInstr::kMemory);
  const auto gaps = [&](const std::vector<std::uint64_t>& lines) {
    Bench b(spec);
    std::vector<StaticInstr> code(lines.size(), load);
    code.push_back(op(InstrClass::IntAdd, {9}, {1}));
    code.push_back(exit_op());
    Script s(code, 1);
    s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t pc, WarpAccess& a) {
      a.space = WarpAccess::Space::Constant;
      a.manner = WarpAccess::Manner::Uniform;
      for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = lines[pc] * 64;
    };
    b.run(s);
    std::vector<sim::Cycle> result;
    for (std::size_t i = 0; i < lines.size(); ++i) result.push_back(s.issued[0][i + 1] - s.issued[0][i]);
    return result;
  };
  EXPECT_EQ(gaps({0, 0, 1, 0, 1}), (std::vector<sim::Cycle>{65, 6, 65, 6, 6}));
  EXPECT_EQ(gaps({0, 1, 2, 0}), (std::vector<sim::Cycle>{65, 65, 65, 65}));
  EXPECT_EQ(gaps({0, 1, 0, 2, 0, 1}), (std::vector<sim::Cycle>{65, 65, 6, 65, 6, 65}));
  spec.uniform_cache = 0_B;
  EXPECT_EQ(gaps({0, 1, 2, 0}), (std::vector<sim::Cycle>{6, 6, 6, 6}));
}

// Lines that the constant cache does not hold come one after another.
TEST(Memory, ConstantMissesHaveAnInterval) {
  SmSpec spec = plain();
  spec.constant_cache = 2_KiB, spec.constant_latency = 30;
  spec.constant_miss_latency = 70, spec.constant_miss_interval = 4;
  Bench b(spec);
  std::vector<StaticInstr> code;
  for (int i = 1; i <= 8; ++i) code.push_back(op(InstrClass::LoadConst, {i}, {0}, StaticInstr::kMemory));
  code.push_back(op(InstrClass::IntAdd, {9}, {8}));
  code.push_back(exit_op());
  Script s(code, 1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t pc, WarpAccess& a) {
    a.space = WarpAccess::Space::Constant;
    for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = pc * 64;
  };
  b.run(s);
  EXPECT_EQ(s.issued[0][8] - s.issued[0][0], 1u + 8 * 4 + 70 + 30);
}

// The CTA ends when its store is acknowledged; a fence waits for it as well.
TEST(Memory, StoresAreAcknowledged) {
  Bench b(plain());
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + 400, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  Script s(
      {kStore, op(InstrClass::IntAdd, {5}), op(InstrClass::Fence, {}, {}, StaticInstr::kFence), exit_op()},
      1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.kind = WarpAccess::Kind::Store;
  };
  b.run(s);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 1u);
  EXPECT_EQ(s.issued[0][2] - s.issued[0][0], 401u);
}

TEST(Memory, FencesBeyondTheCtaEmptyTheL1) {
  SmSpec spec = plain();
  spec.fences_empty_l1 = true;
  StaticInstr gpu = op(InstrClass::Fence, {}, {}, StaticInstr::kFence), cta = gpu;
  gpu.wide_dst |= StaticInstr::kAcquires;
  cta.set_cta_scope();
  Bench b(spec);
  Script s({cta, gpu, exit_op()}, 1);
  b.run(s);
  EXPECT_EQ(b.l1.forgot, std::vector<sim::Cycle>{s.issued[0][1]});
  spec.fences_empty_l1 = false;
  Bench without(spec);
  Script again({gpu, exit_op()}, 1);
  without.run(again);
  EXPECT_TRUE(without.l1.forgot.empty());
}

// Warp 0's store is acknowledged after 50 cycles, warp 1's after 400.
TEST(Memory, FencesWaitForWhatTheSmHasUnderWay) {
  for (const bool all : {false, true}) {
    SmSpec spec = plain();
    spec.fence_latency = 200;
    spec.fences_wait_for_all = all;
    spec.fences_empty_l1 = true;
    Bench b(spec);
    b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
      b.replies.emplace_back(now + (r.line == 0 ? 50 : 400), r);
      std::sort(b.replies.begin(), b.replies.end(), [](auto& x, auto& y) { return x.first < y.first; });
      return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
    };
    StaticInstr fence = op(InstrClass::Fence, {}, {}, StaticInstr::kFence);
    fence.wide_dst |= StaticInstr::kAcquires;
    Script s({kStore, fence, op(InstrClass::IntAdd, {5}), exit_op()}, 2);
    s.access = [](std::uint64_t, std::uint32_t warp, std::uint32_t, WarpAccess& a) {
      a.kind = WarpAccess::Kind::Store;
      for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = warp * 4096;
    };
    b.run(s);
    const auto took = [&](int warp) { return s.issued[warp][2] - s.issued[warp][0]; };
    if (all) {
      EXPECT_NEAR(static_cast<double>(took(0)), 402, 4) << "what warp 1 stored before";
      EXPECT_NEAR(static_cast<double>(took(1)), 402, 4) << "both at once";
      EXPECT_LE(s.issued[0][1] - s.issued[0][0], 2u) << "it has begun";
    } else {
      EXPECT_EQ(took(0), 51u + 200);
      EXPECT_EQ(took(1), 401u + 200);
    }
    ASSERT_EQ(b.l1.forgot.size(), 2u);
    EXPECT_GE(b.l1.forgot[0], all ? 400u : 50u);
  }
}

// An atomic's value, and what a load brings, are there before the fence begins.
TEST(Memory, FencesWaitForTheirWarpsValues) {
  SmSpec spec = plain();
  spec.fence_latency = 200;
  spec.fences_wait_for_all = true;
  Bench b(spec);
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + 300, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  StaticInstr fence = op(InstrClass::Fence, {}, {}, StaticInstr::kFence);
  fence.wide_dst |= StaticInstr::kAcquires;
  for (const InstrClass cls : {InstrClass::Load, InstrClass::Atomic}) {
    Script s({op(cls, {1}, {0}, StaticInstr::kMemory), fence, op(InstrClass::IntAdd, {5}), exit_op()}, 1);
    s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
      if (cls == InstrClass::Atomic) a.kind = WarpAccess::Kind::Atomic;
    };
    b.run(s);
    EXPECT_GE(s.issued[0][1] - s.issued[0][0], 300u);
    EXPECT_LE(s.issued[0][2] - s.issued[0][1], 201u) << "nothing is under way any more";
  }
}

// A CTA that has ended did not wait for its stores (sm.store_ack = false); a fence of the next one does, and
// it does not matter whether that has the same context.
TEST(Memory, FencesWaitForStoresOfEndedCtas) {
  SmSpec spec = plain();
  spec.fence_latency = 200;
  spec.fences_wait_for_all = true;
  spec.store_ack = false;
  Bench b(spec);
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + 400, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  StaticInstr fence = op(InstrClass::Fence, {}, {}, StaticInstr::kFence);
  fence.wide_dst |= StaticInstr::kAcquires;
  Script stores({kStore, exit_op()}, 2);
  stores.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.kind = WarpAccess::Kind::Store;
  };
  b.run(stores);
  ASSERT_EQ(b.replies.size(), 2u) << "still under way";
  Script fences({fence, op(InstrClass::IntAdd, {5}), exit_op()}, 1);
  b.run(fences);
  ASSERT_EQ(fences.finished, 1u);
  EXPECT_NEAR(static_cast<double>(fences.issued[0][1]), 402, 4);
}

// Behind an access of the SM, answered or not, a fence takes longer than the next one; behind a reduction it
// begins at once.
TEST(Memory, FencesBehindAccessesTakeLonger) {
  SmSpec spec = plain();
  spec.fence_latency = 100;
  spec.fence_latency_behind = 250;
  spec.fences_wait_for_all = true;
  StaticInstr fence = op(InstrClass::Fence, {}, {}, StaticInstr::kFence);
  fence.wide_dst |= StaticInstr::kAcquires;
  const auto run = [&](const StaticInstr& access, WarpAccess::Kind kind,
                       WarpAccess::Space space = WarpAccess::Space::Global) {
    Bench b(spec);
    b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
      b.replies.emplace_back(now + 40, r);
      return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
    };
    Script s({access, fence, fence, op(InstrClass::IntAdd, {5}), exit_op()}, 1);
    s.access = [=](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
      a.kind = kind;
      a.space = space;
    };
    b.run(s);
    return std::array<sim::Cycle, 3>{s.issued[0][1] - s.issued[0][0], s.issued[0][2] - s.issued[0][1],
                                     s.issued[0][3] - s.issued[0][2]};
  };
  const auto loaded = run(op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory), WarpAccess::Kind::Load);
  EXPECT_GE(loaded[0], 40u);
  EXPECT_EQ(loaded[1], 250u);
  EXPECT_EQ(loaded[2], 100u);
  const auto reduced = run(op(InstrClass::Atomic, {}, {0}, StaticInstr::kMemory), WarpAccess::Kind::Reduce);
  EXPECT_LE(reduced[0], 2u);
  EXPECT_EQ(reduced[1], 250u);
  EXPECT_EQ(reduced[2], 100u);
  const auto shared = run(op(InstrClass::LoadShared, {1}, {0}, StaticInstr::kMemory), WarpAccess::Kind::Load,
                          WarpAccess::Space::Shared);
  EXPECT_EQ(shared[1], 100u) << "not past the SM";
}

// What follows it reads what others wrote before the value that was acquired.
TEST(Memory, AnAcquiringLoadEmptiesTheL1WithItsValue) {
  SmSpec spec = plain();
  spec.fences_empty_l1 = true;
  Bench b(spec);
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + 300, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  StaticInstr acquire = op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory);
  acquire.wide_dst |= StaticInstr::kAcquires;
  Script s({acquire, op(InstrClass::IntAdd, {5}), exit_op()}, 1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess&) {};
  b.run(s);
  ASSERT_EQ(b.l1.forgot.size(), 1u);
  EXPECT_GE(b.l1.forgot[0], s.issued[0][0] + 300);
  EXPECT_GE(s.issued[0][1], b.l1.forgot[0]) << "it needs no register of the load";
}

// As tools/probes/cold_code.cu: 256 bytes at once, the next ones when the second half is read.
TEST(Memory, ConstantsAreColdOnce) {
  SmSpec spec = plain();
  spec.constant_cache = 2_KiB, spec.constant_latency = 30, spec.constant_miss_latency = 70;
  spec.constant_cold_latency = 700;
  Bench b(spec);
  std::vector<StaticInstr> code;
  const std::vector<std::uint64_t> at = {0, 64, 128, 256, 1024};
  for (std::size_t i = 0; i < at.size(); ++i)
    code.push_back(op(InstrClass::LoadConst, {1}, {1}, StaticInstr::kMemory));
  code.push_back(op(InstrClass::IntAdd, {9}, {1}));
  code.push_back(exit_op());
  Script s(code, 1);
  s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t pc, WarpAccess& a) {
    a.space = WarpAccess::Space::Constant;
    for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = at[pc];
  };
  b.run(s);
  const auto took = [&](std::size_t i) { return s.issued[0][i + 1] - s.issued[0][i]; };
  EXPECT_EQ(took(0), 1u + 700 + 30);
  EXPECT_EQ(took(1), 1u + 70 + 30) << "the same piece";
  EXPECT_EQ(took(2), 1u + 70 + 30) << "the second half: the next piece is fetched";
  EXPECT_EQ(took(3), 700u - took(2) + 1 + 30) << "it is under way";
  EXPECT_EQ(took(4), 1u + 700 + 30) << "nobody had it fetched";
  b.sm.kernel_end();
  s.issued.clear();
  s.finished = 0;
  b.run(s);
  EXPECT_GE(took(0), 700u) << "another kernel";
}

TEST(Memory, ParametersAreColdOnce) {
  SmSpec spec = plain();
  spec.parameter_cold_latency = 90;
  Bench b(spec);
  Script s({op(InstrClass::LoadParam, {1}), op(InstrClass::LoadParam, {2}, {1}),
            op(InstrClass::IntAdd, {3}, {2}), exit_op()},
           1);
  b.run(s);
  const auto first = s.issued[0][1] - s.issued[0][0], second = s.issued[0][2] - s.issued[0][1];
  EXPECT_EQ(first, 90u) << "from when it was asked for";
  EXPECT_LT(second, 20u);
}

TEST(Memory, AtomicsDeliverOnceAllLinesHaveAnswered) {
  Bench b(plain());
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    EXPECT_EQ(r.op, mem::Op::Atomic);
    EXPECT_EQ(r.words, 0xffffu << (16 * b.l1.seen.size()));
    b.replies.emplace_back(now + 100 + 50 * b.l1.seen.size(), r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  Script s({op(InstrClass::Atomic, {1}, {0}, StaticInstr::kMemory), kUse, exit_op()}, 1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.kind = WarpAccess::Kind::Atomic;
    for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = l / 16 * 4096;
  };
  b.run(s);
  EXPECT_EQ(s.delivered, 1);
  EXPECT_EQ(s.retired, 1);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 2u + 150);
}

// Copies of a value under way (removed by the assembler) become ready with it.
TEST(Memory, CopiesOfALoadedValueArriveWithIt) {
  SmSpec spec = plain();
  spec.count = Counting::AsSass;
  spec.timing.classes[static_cast<std::size_t>(InstrClass::Move)].slots = 0;
  Bench b(spec);
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + 100, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  Script s({kLoad, op(InstrClass::Move, {7}, {1}), op(InstrClass::IntAdd, {5}),
            op(InstrClass::IntAdd, {6}, {7}), exit_op()},
           1);
  s.access = [](auto...) {};
  b.run(s);
  EXPECT_EQ(s.issued[0][2] - s.issued[0][0], 1u);
  EXPECT_EQ(s.issued[0][3] - s.issued[0][0], 101u);
}

}  // namespace
}  // namespace heddle::sm
