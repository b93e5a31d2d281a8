// The worked example: two components and a machine made of them, from declaration to explanation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/reader.h"

namespace heddle {
namespace {

using config::at_least;
using config::Config;
using config::range;
using testing::HasSubstr;

enum class Replacement { Lru, Fifo, Random };

struct CacheSpec {
  Bytes size = 48_KiB;
  Bytes line = 128_B;
  std::uint32_t ways = 4;
  Cycles latency = 28_cycles;
  Replacement replacement = Replacement::Lru;

  void fields(config::Reader& r) {
    r.field("size", size, range(1_KiB, 16_MiB).multiple_of(128_B), "Capacity of the data array");
    r.field("line", line, range(32_B, 256_B).power_of_two(), "Bytes of a line");
    r.field("ways", ways, range(1, 64), "Lines per set");
    r.field("latency", latency, at_least(1_cycles), "From request to reply of a hit");
    r.choice("replacement", replacement,
             {{"lru", Replacement::Lru, "least recently used"},
              {"fifo", Replacement::Fifo, "oldest first"},
              {"random", Replacement::Random, "any, from a fixed seed"}},
             "Which line makes room");
    if (size % (line * ways) != Bytes{0}) r.fail("size", "must be a multiple of line x ways");
  }
};

struct GpuSpec {
  std::uint32_t sms = 16;
  Frequency clock = 1400_MHz;
  CacheSpec l1;
  CacheSpec l2{.size = 768_KiB, .ways = 8, .latency = 120_cycles};  // the same parameters, other defaults

  void fields(config::Reader& r) {
    r.field("sms", sms, range(1, 1024), "Streaming multiprocessors");
    r.field("clock", clock, range(1_MHz, 10_GHz), "Core clock");
    r.section("l1", l1, "L1 data cache of an SM");
    r.section("l2", l2, "One slice of the L2");
  }
};

TEST(ConfigExample, ReadsAMachine) {
  Config config = Config::parse(R"(
sms = 80
clock = "1.53GHz"
[l1]
size = "32KiB"
replacement = "fifo"
)",
                                "my.toml");
  config.set("l2.ways=16");
  const GpuSpec gpu = config::read<GpuSpec>(config);
  config.check_all_read();
  EXPECT_EQ(gpu.sms, 80u);
  EXPECT_EQ(gpu.clock, 1530_MHz);
  EXPECT_EQ(gpu.l1.size, 32_KiB);
  EXPECT_EQ(gpu.l1.replacement, Replacement::Fifo);
  EXPECT_EQ(gpu.l1.latency, 28_cycles);
  EXPECT_EQ(gpu.l2.size, 768_KiB);
  EXPECT_EQ(gpu.l2.ways, 16u);
}

TEST(ConfigExample, DumpTellsWhereEachValueCameFromAndLoadsAgain) {
  Config config = Config::parse("sms = 80\n[l1]\nsize = 32768\n", "my.toml");
  config.set("l2.ways=16");
  config::read<GpuSpec>(config);
  const std::string dump = config.dump();
  EXPECT_THAT(dump, HasSubstr("sms = 80          # my.toml:1"));
  EXPECT_THAT(dump, HasSubstr("size = \"32KiB\"       # my.toml:3"));
  EXPECT_THAT(dump, HasSubstr("ways = 16            # --set"));
  EXPECT_THAT(dump, HasSubstr("# default"));

  Config again = Config::parse(dump, "dump.toml");
  config::read<GpuSpec>(again);
  again.check_all_read();
  EXPECT_EQ(again.dump(false), config.dump(false));
}

TEST(ConfigExample, ExplainsParameters) {
  const config::ParamTable table = config::describe<GpuSpec>();
  EXPECT_EQ(table.params().size(), 12u);
  EXPECT_EQ(
      table.explain("l2.size"),
      "l2.size  (size, 1KiB to 16MiB, a multiple of 128B, default 768KiB)\n  Capacity of the data array\n");
  EXPECT_THAT(table.explain("l1.replacement"), HasSubstr("fifo             oldest first"));
  EXPECT_THAT(table.explain("l1"), HasSubstr("[l1]  L1 data cache of an SM"));
  EXPECT_THAT(table.markdown(), HasSubstr("| `clock` | frequency | `1.4GHz` | 1MHz to 10GHz | Core clock |"));
  try {
    table.explain("l1.sizes");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'l1.size'?"));
  }
}

TEST(ConfigExample, ChecksThatInvolveSeveralFields) {
  Config config = Config::parse("[l1]\nways = 5\nsize = \"48KiB\"", "my.toml");
  try {
    config::read<GpuSpec>(config);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("my.toml:3:8: l1.size: must be a multiple of line x ways"));
  }
}

}  // namespace
}  // namespace heddle
