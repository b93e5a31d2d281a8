// Bundled workloads give their reference's results under timing, on every preset and scheduler: pairwise here
// (any two of workload, preset, warp scheduler, CTA scheduler, cluster merger meet in some run); with
// HEDDLE_TEST_ALL=1 in the environment every workload on every preset meets every value of each of the
// others. And all of them on machines whose crossbars are replaced by meshes, a few of them without
// HEDDLE_TEST_ALL.
#include "bench.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "gpu/catalog.h"
#include "gpu/presets.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

constexpr std::size_t kFactors = 5;
using Choice = std::array<std::size_t, kFactors>;  // of each factor, a value by number

// The next choice that is made greedily: for each factor in turn the value with most pairs not yet covered,
// the first of them where several are equal. Always the same list.
class Pairwise {
 public:
  explicit Pairwise(const Choice& sizes) : sizes_(sizes) {
    for (std::size_t f = 0; f < kFactors; ++f)
      for (std::size_t g = f + 1; g < kFactors; ++g)
        for (std::size_t i = 0; i < sizes[f]; ++i)
          for (std::size_t j = 0; j < sizes[g]; ++j) left_.insert({f, i, g, j});
  }
  std::vector<Choice> all() {
    std::vector<Choice> list;
    while (!left_.empty()) {
      Choice c{};
      const Pair seed = *left_.begin();  // makes sure that every choice covers something
      std::array<bool, kFactors> fixed{};
      c[seed[0]] = seed[1];
      c[seed[2]] = seed[3];
      fixed[seed[0]] = fixed[seed[2]] = true;
      for (std::size_t f = 0; f < kFactors; ++f)
        if (!fixed[f]) {
          c[f] = best(c, fixed, f);
          fixed[f] = true;
        }
      for (std::size_t f = 0; f < kFactors; ++f)
        for (std::size_t g = f + 1; g < kFactors; ++g) left_.erase({f, c[f], g, c[g]});
      list.push_back(c);
    }
    return list;
  }

 private:
  using Pair = std::array<std::size_t, 4>;
  std::size_t best(const Choice& c, const std::array<bool, kFactors>& fixed, std::size_t f) const {
    std::size_t value = 0, most = 0;
    for (std::size_t i = 0; i < sizes_[f]; ++i) {
      std::size_t n = 0;
      for (std::size_t g = 0; g < kFactors; ++g)
        if (fixed[g]) n += left_.count(g < f ? Pair{g, c[g], f, i} : Pair{f, i, g, c[g]});
      if (n > most) {
        most = n;
        value = i;
      }
    }
    return value;
  }
  Choice sizes_;
  std::set<Pair> left_;
};

Choice sizes() {
  return {workloads::all_workloads().size(), presets().size(), warp_schedulers().size(),
          cta_schedulers().size(), mergers().size()};
}

std::vector<Choice> chosen() {
  if (!all_wanted()) return Pairwise(sizes()).all();
  std::vector<Choice> list;
  const Choice n = sizes();
  for (std::size_t w = 0; w < n[0]; ++w)
    for (std::size_t p = 0; p < n[1]; ++p)
      for (std::size_t k = 0; k < std::max({n[2], n[3], n[4]}); ++k)
        list.push_back({w, p, (k + w) % n[2], (k + p) % n[3], (k + w + p) % n[4]});
  return list;
}

TEST(Pairwise, CoversEveryPairWithFewRuns) {
  const Choice n = {5, 4, 3, 2, 2};
  const std::vector<Choice> list = Pairwise(n).all();
  for (std::size_t f = 0; f < kFactors; ++f)
    for (std::size_t g = f + 1; g < kFactors; ++g) {
      std::set<std::pair<std::size_t, std::size_t>> seen;
      for (const Choice& c : list) seen.insert({c[f], c[g]});
      EXPECT_EQ(seen.size(), n[f] * n[g]);
    }
  EXPECT_LE(list.size(), 26u);  // 20 at least
}

// A CTA of the workload is larger than an SM of that machine: the launch is refused.
bool too_large(std::string_view workload, std::string_view preset) {
  return (workload == "matrixmul" || workload == "histo") && preset == "mesh28";
}

void check(std::size_t workload, std::string_view preset, const Settings& settings) {
  const GpuSpec spec = spec_of(preset, settings);
  TimingDevice device(spec, {});
  const workload::Workload& w = *workloads::all_workloads()[workload];
  const workload::RunOptions options{workload::Scale::Tiny, 1};
  if (too_large(w.info().name, preset)) {
    EXPECT_THROW(w.run(device, options), Error);
    return;
  }
  const workload::Verification v = w.run(device, options);
  EXPECT_TRUE(v.ok) << v.detail;
  EXPECT_GT(device.total().gpu.cycles, 0u);
}

class TimedWorkload : public testing::TestWithParam<Choice> {};

TEST_P(TimedWorkload, GivesTheReferencesResult) {
  const Choice& c = GetParam();
  check(c[0], presets()[c[1]].name,
        {"sm.scheduler=" + std::string(warp_schedulers()[c[2]].name),
         "cta.scheduler=" + std::string(cta_schedulers()[c[3]].name),
         "cluster.merger=" + std::string(mergers()[c[4]].name)});
}

std::string plain(std::string_view name) {
  std::string text;
  for (const char ch : name) text += std::isalnum(static_cast<unsigned char>(ch)) ? ch : '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Each, TimedWorkload, testing::ValuesIn(chosen()), [](const auto& test) {
  const Choice& c = test.param;
  return plain(workloads::all_workloads()[c[0]]->info().name) + "_on_" + plain(presets()[c[1]].name) + "_" +
         plain(warp_schedulers()[c[2]].name) + "_" + plain(cta_schedulers()[c[3]].name) + "_" +
         plain(mergers()[c[4]].name);
});

constexpr std::array<std::string_view, 2> kMeshed = {"clustered60", "v100"};
using OnMesh = std::pair<std::size_t, std::size_t>;  // workload, machine

std::vector<OnMesh> on_meshes() {
  constexpr std::size_t kOneOf = 8;
  std::vector<OnMesh> list;
  for (std::size_t m = 0; m < kMeshed.size(); ++m)
    for (std::size_t w = 0; w < workloads::all_workloads().size(); ++w)
      if (all_wanted() || (w + m * kOneOf / 2) % kOneOf == 0) list.emplace_back(w, m);
  return list;
}

class MeshedWorkload : public testing::TestWithParam<OnMesh> {};

TEST_P(MeshedWorkload, GivesTheReferencesResult) {
  const auto [workload, machine] = GetParam();
  check(workload, kMeshed[machine], {"noc.request.topology=mesh", "noc.reply.topology=mesh"});
}

INSTANTIATE_TEST_SUITE_P(Each, MeshedWorkload, testing::ValuesIn(on_meshes()), [](const auto& test) {
  return plain(workloads::all_workloads()[test.param.first]->info().name) + "_on_" +
         plain(kMeshed[test.param.second]);
});

}  // namespace
}  // namespace heddle::gpu
