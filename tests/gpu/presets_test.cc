// The presets: complete, consistent, and every number with its source.
#include "gpu/presets.h"
#include "gpu/gpu_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

namespace heddle::gpu {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Preset& p : presets()) result.emplace_back(p.name);
  return result;
}

std::int64_t integer(const config::Config& c, std::string_view path) {
  const config::Entry* entry = c.find(path);
  if (entry == nullptr) throw std::runtime_error(std::string(path) + " is missing");
  return std::get<std::int64_t>(entry->value.data);
}
std::string text(const config::Config& c, std::string_view path) {
  return std::get<std::string>(c.find(path)->value.data);
}
double gigahertz(const config::Config& c, std::string_view path) {
  return static_cast<double>(parse_frequency(text(c, path)).value->count()) / 1e9;
}
std::uint64_t bytes(const config::Config& c, std::string_view path) {
  return parse_bytes(text(c, path)).value->count();
}

TEST(Presets, AllMachinesAreThere) {
  for (const char* name :
       {"clustered60", "clustered60-first", "gtx480", "gtx480-packets", "gtx480-linear", "mesh28", "cu80",
        "gtx570", "k40", "gtx980", "gtx1080", "v100", "h200", "qv100-gpgpusim"}) {
    const Preset* preset = find_preset(name);
    ASSERT_NE(preset, nullptr) << name;
    EXPECT_EQ(preset->name, name);
    EXPECT_FALSE(preset->description.empty());
    EXPECT_NE(preset->description.front(), '#');
  }
  EXPECT_EQ(find_preset("v10"), nullptr);
  EXPECT_EQ(preset_library().names(), names());
}

TEST(Presets, AreTheFilesOfTheSourceTree) {
  for (const Preset& p : presets())
    EXPECT_EQ(p.text, read_file(fs::path(HEDDLE_SOURCE_DIR) / "configs" / (std::string(p.name) + ".toml")));
}

class EachPreset : public testing::TestWithParam<std::string> {
 protected:
  config::Config config_ = load_config(GetParam());
};

// A value is a number when it holds a digit outside of names: 64, "48KiB", { latency = 4 }.
bool holds_a_number(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || line.starts_with("name ") || line.starts_with("inherits "))
    return false;
  return line.find_first_of("0123456789", equals) != std::string_view::npos;
}

TEST_P(EachPreset, EveryNumberHasItsSource) {
  std::istringstream lines{std::string(find_preset(GetParam())->text)};
  std::string before, line;
  for (int n = 1; std::getline(lines, line); ++n, before = line) {
    if (line.starts_with('#') || !holds_a_number(line.substr(0, line.find('#')))) continue;
    const bool here = line.find('#') != std::string::npos, above = before.starts_with('#');
    EXPECT_TRUE(here || above) << GetParam() << ".toml:" << n << ": " << line;
  }
}

// Every machine says everything: nothing may depend on a default that belongs to another machine.
TEST_P(EachPreset, GivesEveryKey) {
  const config::Config whole = load_config("qv100-gpgpusim");
  for (const auto& [path, entry] : whole.entries())
    EXPECT_NE(config_.find(path), nullptr) << GetParam() << " lacks " << path;
  const std::set<std::string> optional{
      "gpu.sms", "gpu.sms_per_tpc", "gpu.launch_reads", "gpu.instruction_bytes", "l2.fetch_bytes",
      "cluster.lrc.entries", "cluster.lrc.requesters", "sm.load_pipeline", "sm.segments", "l1.read_places",
      "l1.stores_need_way", "l1.overtaken_fill", "l1.replies_per_cycle", "l1.misses_per_cycle",
      "l1.fill_latency", "l1.parts", "l1.sector_sends", "l1.store_lines", "l1.store_idle",
      // GPGPU-Sim 2: docs/gpgpusim_2x.md.
      "gpu.store_replies", "sm.warp_overlap", "sm.lsu_stalls_issue", "sm.coalesced_lanes", "sm.local_layout",
      "sm.shared_lanes", "sm.shared_ports", "sm.texture_cache.bytes", "sm.texture_cache.line",
      "sm.texture_cache.ways", "sm.texture_cache.latency", "sm.texture_cache.mshr_entries", "l1.passing",
      // Where a source tells of them: docs/gpgpusim.md.
      "noc.request.buffers", "noc.request.ejection", "noc.request.crossbar.packet_setup",
      "noc.request.crossbar.setup_ahead", "noc.reply.crossbar.setup_ahead", "noc.reply.buffers",
      "noc.reply.ejection", "noc.reply.crossbar.packet_setup", "l2.own_fill_port", "l2.lookups_need_port",
      "l2.merges_as_misses", "l2.replies_per_cycle", "l2.miss_queue", "l2.dram_queue", "l2.reply_queue",
      "cta.cap_small_grids", "cta.balanced.first", "cta.balanced.ahead", "sm.calls.division_latency",
      "sm.calls.division_slots", "sm.calls.root_latency", "sm.calls.root_slots",
      "sm.calls.reciprocal_latency", "sm.calls.reciprocal_slots", "sm.calls.double_division_latency",
      "sm.calls.double_division_slots", "sm.calls.double_root_latency", "sm.calls.double_root_slots",
      "l2.write_miss_ack", "memory.bits", "dram.bank_group_order", "dram.tRCDW", "dram.delay", "dram.credits",
      "dram.bank_places",
      // Asked of a card: docs/h200.md.
      "sm.warp_launch", "sm.warps_in_turn", "sm.banked_data", "sm.constant_interval",
      "sm.constant_word_latency", "sm.constant_uniform_latency", "sm.constant_miss_interval", "l2.sides",
      "l2.side_latency", "l2.side_bytes", "l2.write_waits", "l2.atomic_passes", "l2.atomic_part_quarters",
      "l2.atomic_float_interval", "dram.refresh", "sm.untaken_latency", "sm.divergence_latency",
      "sm.guard_delay", "sm.static_waits", "sm.barrier_interval", "sm.barrier_result", "sm.fence_latency",
      "sm.fence_interval", "sm.cta_fence_latency", "sm.cta_fence_interval", "sm.texture_latency",
      "sm.plane_passes", "sm.plane_latency", "sm.filter_latency", "sm.shared_pairs", "sm.shared_pass_latency",
      "sm.shared_swap_passes", "sm.shared_swap_latency", "sm.shared_loop_latency", "sm.uniform_cache_bytes",
      "sm.uniform_miss_latency", "sm.uniform_miss_interval", "sm.timing.texture.interval",
      "sm.fences_empty_l1", "sm.fences_wait_for_all", "sm.fence_latency_behind", "sm.constant_cold_latency",
      "sm.parameter_cold_latency", "sm.icache_cold_latency", "sm.icache_miss_interval", "sm.icache_kept",
      "sm.instruction_bytes",
      // The machines of 2009.
      "noc.request.topology", "noc.reply.topology", "l2.merging", "dram.bank_queue", "dram.one_placement",
      "dram.command_order", "dram.recall", "dram.write_recovery", "dram.write_extra"};
  for (const auto& [path, entry] : config_.entries()) {
    const bool mesh = path.starts_with("noc.request.mesh.") || path.starts_with("noc.reply.mesh.");
    EXPECT_TRUE(whole.find(path) != nullptr || optional.contains(path) || mesh) << "unknown " << path;
  }
}

// The shortest wire is the inner window of the part that it lies in: one cycle each would make a run slow.
// mesh28 pays for that: what it is to be like has no wires.
TEST_P(EachPreset, ChannelsAllowAWindow) {
  if (GetParam() == "mesh28") return;
  std::int64_t smallest = 1000;
  for (const char* channel : {"sm_to_cluster", "cluster_to_network", "network_to_partition",
                              "partition_to_network", "network_to_cluster", "cluster_to_sm"})
    smallest = std::min(smallest, integer(config_, std::string("latency.") + channel));
  EXPECT_GE(smallest, 4);
  EXPECT_LE(smallest, 16);
}

TEST_P(EachPreset, NumbersAgreeWithEachOther) {
  EXPECT_EQ(integer(config_, "sm.threads"), 32 * integer(config_, "sm.warps"));
  EXPECT_GE(integer(config_, "dram.tRC"), integer(config_, "dram.tRAS") + integer(config_, "dram.tRP"));
  EXPECT_GE(integer(config_, "dram.tCCDL"), integer(config_, "dram.tCCDS"));
  // A column command's data are on the bus before the next command of another group may come.
  EXPECT_LE(integer(config_, "dram.burst"),
            integer(config_, "dram.tCCDS") * integer(config_, "dram.transfers_per_tick"));
  const auto sms = integer(config_, "gpu.clusters") * integer(config_, "gpu.sms_per_cluster");
  if (config_.find("gpu.sms") != nullptr) {
    EXPECT_LE(integer(config_, "gpu.sms"), sms);
    EXPECT_GT(integer(config_, "gpu.sms"), sms - integer(config_, "gpu.sms_per_cluster"));
  }
  if (const std::uint64_t unified = bytes(config_, "sm.unified_l1"); unified != 0) {
    const auto lines = integer(config_, "l1.sets") * integer(config_, "l1.ways");
    EXPECT_EQ(static_cast<std::uint64_t>(lines) * bytes(config_, "l1.line"),
              unified - bytes(config_, "sm.shared_memory"));
  }
  for (const auto& [path, entry] : config_.entries()) {
    if (!path.starts_with("sm.timing.") || !path.ends_with(".unit")) continue;
    const std::string unit = std::get<std::string>(entry.value.data);
    if (unit != "none") {
      EXPECT_GT(integer(config_, "sm.units." + unit), 0) << path << " is sent to a unit that is not there";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, EachPreset, testing::ValuesIn(names()), [](const auto& preset) {
  std::string name = preset.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Sizes and peak bandwidth that the papers and vendors state.
struct Stated {
  std::string_view preset;
  std::int64_t sms;
  std::uint64_t l2_kib;
  double dram_gb_s;
};

class StatedFigures : public testing::TestWithParam<Stated> {};

TEST_P(StatedFigures, FollowFromThePreset) {
  const Stated& s = GetParam();
  const config::Config c = load_config(s.preset);
  const auto sms = c.find("gpu.sms") != nullptr
                       ? integer(c, "gpu.sms")
                       : integer(c, "gpu.clusters") * integer(c, "gpu.sms_per_cluster");
  EXPECT_EQ(sms, s.sms);
  const auto partitions = integer(c, "memory.partitions");
  const auto lines = partitions * integer(c, "l2.slices") * integer(c, "l2.sets") * integer(c, "l2.ways");
  EXPECT_EQ(static_cast<std::uint64_t>(lines) * bytes(c, "l2.line"), s.l2_kib << 10);
  const double peak = static_cast<double>(partitions) * static_cast<double>(bytes(c, "dram.bus")) *
                      static_cast<double>(integer(c, "dram.transfers_per_tick")) * gigahertz(c, "dram.clock");
  EXPECT_NEAR(peak, s.dram_gb_s, 0.006 * s.dram_gb_s);
}

INSTANTIATE_TEST_SUITE_P(Presets, StatedFigures,
                         testing::Values(Stated{"clustered60", 60, 4096, 720},        // icc.md, Table 2
                                         Stated{"clustered60-first", 60, 4096, 720},  // the same
                                         Stated{"gtx480", 15, 768, 177.4},            // NVIDIA
                                         Stated{"cu80", 80, 4096, 473},               // dcl1.md, Table II
                                         Stated{"gtx570", 15, 640, 152},              // NVIDIA
                                         Stated{"k40", 15, 1536, 288},                // NVIDIA
                                         Stated{"gtx980", 16, 2048, 224},             // NVIDIA
                                         Stated{"gtx1080", 20, 2048, 320},            // NVIDIA
                                         Stated{"v100", 80, 6144, 898},               // NVIDIA
                                         Stated{"h200", 132, 61440, 4814},            // device attributes
                                         Stated{"qv100-gpgpusim", 80, 6144, 870.4}),  // peer_config.md
                         [](const auto& s) {
                           std::string name(s.param.preset);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Presets, InheritedValuesKeepTheirPlace) {
  const config::Config h200 = load_config("h200");
  EXPECT_EQ(integer(h200, "l1.latency"), 32);  // its own
  EXPECT_THAT(h200.find("l1.latency")->origin.brief(), HasSubstr("configs/h200.toml:"));
  EXPECT_EQ(integer(h200, "l2.mshr_entries"), integer(load_config("v100"), "l2.mshr_entries"));
  EXPECT_THAT(h200.find("l2.mshr_entries")->origin.brief(), HasSubstr("configs/v100.toml:"));
}

TEST(Presets, AUsersFileWorksWhereANameDoes) {
  const fs::path folder = testing::TempDir() + "heddle_presets_" + std::to_string(::getpid());
  fs::create_directories(folder);
  write_file(folder / "mine.toml", "inherits = \"v100\"\n[l1]\nlatency = 1\n");
  const config::Config mine = load_config((folder / "mine.toml").string());
  EXPECT_EQ(integer(mine, "l1.latency"), 1);
  EXPECT_EQ(integer(mine, "gpu.clusters"), integer(load_config("v100"), "gpu.clusters"));
  write_file(folder / "v100.toml", "[gpu]\nclusters = 3\n");
  EXPECT_EQ(integer(load_config("v100", {folder}), "gpu.clusters"), 3);  // a user's folder comes first
  fs::remove_all(folder);
  try {
    load_config("v101");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'v100'?"));
  }
}

// placement.cu: six GPCs of 16 SMs, then two of 18.
TEST(Presets, ClustersDifferByWholeTpcs) {
  config::Config c = load_config("h200");
  const MachineSpec m = config::read<GpuSpec>(c).gpu;
  for (std::uint32_t k = 0; k < 8; ++k) EXPECT_EQ(m.cluster_size(k), k < 6 ? 16u : 18u) << k;
  EXPECT_EQ(m.first_sm(7), 114u);
  const auto failure = [](const std::string& setting) -> std::string {
    try {
      config::Config bad = load_config("h200");
      bad.set(setting);
      config::read<GpuSpec>(bad);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(failure("gpu.sms_per_tpc=5"), HasSubstr("no multiple of 5"));
  EXPECT_THAT(failure("gpu.sms_per_cluster=17"), HasSubstr("give the last one 18"));
  EXPECT_THAT(failure("gpu.sms=14"), HasSubstr("leave some of 8 clusters without any"));
}

}  // namespace
}  // namespace heddle::gpu
