// What the analysis says of addresses is what execution does: every lane of every access that it gives a sum
// for, in CTAs of bundled workloads.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>

#include "gpu/timing_device.h"
#include "ptx/parse/parse_module.h"
#include "techniques/cta_clustering/framework/circumstances.h"
#include "tests/gpu/bench.h"
#include "workload/forwarding_device.h"
#include "workloads/registry.h"

namespace heddle::cta_clustering {
namespace {

using workload::Dim3;

constexpr std::uint64_t kEvery = 7;  // CTAs that are looked at: with most grids in all rows and columns

// One launch's accesses by pc, with numbers for all but coordinates and iterations.
class Predicted {
 public:
  Predicted(const ptx::Module& module, const ptx::Function& kernel, const workload::Launch& launch)
      : c_(circumstances(module, kernel, launch)),
        found_(ptx::find_addresses(module, kernel, known_launch(c_))),
        evaluate_(found_.atoms),
        grid_(launch.grid),
        block_(launch.block) {
    for (const ptx::GlobalAccess& a : found_.accesses) {
      const bool sum = a.understood && !a.by_data && !a.about && !a.texture && a.loops.size() <= 1 &&
                       a.base.kind == ptx::AccessBase::Kind::Parameter && a.function == &kernel;
      if (!sum) continue;
      std::uint64_t base = 0;
      std::memcpy(&base, launch.args.block().data() + a.base.index, 8);
      by_pc_[a.instr].push_back({&a, base});
    }
    for (ptx::AtomId id = 0; id < found_.atoms.size(); ++id) {
      const ptx::Atom& a = found_.atoms[id];
      if (a.kind == ptx::AtomKind::Tid) tid_[a.index] = id;
      if (a.kind == ptx::AtomKind::Ctaid) cta_[a.index] = id;
    }
  }

  struct One {
    const ptx::GlobalAccess* access;
    std::uint64_t base;
  };
  // The only one at this pc; nullptr: nothing is said about it.
  const One* at(std::uint32_t pc) const {
    const auto it = by_pc_.find(pc);
    return it == by_pc_.end() || it->second.size() != 1 ? nullptr : &it->second[0];
  }

  std::optional<std::uint64_t> address(const One& one, std::uint64_t cta, std::uint32_t thread,
                                       std::int64_t n) {
    const std::uint32_t at[3] = {static_cast<std::uint32_t>(cta % grid_.x),
                                 static_cast<std::uint32_t>(cta / grid_.x % grid_.y),
                                 static_cast<std::uint32_t>(cta / grid_.x / grid_.y)};
    const std::uint32_t in[3] = {thread % block_.x, thread / block_.x % block_.y,
                                 thread / block_.x / block_.y};
    for (const auto& [axis, id] : cta_) evaluate_.set(id, at[axis]);
    for (const auto& [axis, id] : tid_) evaluate_.set(id, in[axis]);
    evaluate_.set_thread(thread);
    for (ptx::AtomId id = 0; id < found_.atoms.size(); ++id)
      if (found_.atoms[id].kind == ptx::AtomKind::Iteration) evaluate_.set(id, n);
    const std::optional<std::int64_t> offset = evaluate_(one.access->offset);
    if (!offset) return std::nullopt;
    return one.base + static_cast<std::uint64_t>(*offset);
  }

 private:
  Circumstances c_;
  ptx::KernelAddresses found_;
  ptx::Evaluation evaluate_;
  Dim3 grid_, block_;
  std::map<std::uint32_t, std::vector<One>> by_pc_;
  std::map<std::uint32_t, ptx::AtomId> tid_, cta_;
};

class Comparer final : public workload::StreamObserver {
 public:
  void start(Predicted* p) {
    predicted_ = p;
    first_ = nullptr;
    next_.clear();
  }

  void issued(std::uint32_t, std::uint64_t cta, std::uint32_t warp, const workload::StaticInstr& instr,
              const workload::Issued& result) override {
    if (first_ == nullptr) first_ = &instr;  // the program's first instruction
    if (cta % kEvery != 0) return;
    if (predicted_ == nullptr || result.event != workload::Issued::Event::Memory) return;
    const auto pc = static_cast<std::uint32_t>(&instr - first_);
    const Predicted::One* one = predicted_->at(pc);
    if (one == nullptr) return;
    for (std::uint8_t i = 0; i < result.accesses; ++i)
      if (result.access[i].space == workload::WarpAccess::Space::Global)
        compare(*one, pc, cta, warp, result.access[i]);
  }
  void window_end() override {}

  std::uint64_t compared = 0, wrong = 0, without_number = 0;
  std::string example;

 private:
  void compare(const Predicted::One& one, std::uint32_t pc, std::uint64_t cta, std::uint32_t warp,
               const workload::WarpAccess& access) {
    for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
      std::int64_t& next = next_[{pc, cta, warp * 32 + lane}];
      // An iteration may have gone by without the access, where a branch leaves it out.
      const std::int64_t last = one.access->loops.empty() ? next : next + 64;
      bool found = false;
      for (std::int64_t n = one.access->loops.empty() ? 0 : next; n <= last && !found; ++n) {
        const auto a = predicted_->address(one, cta, warp * 32 + lane, n);
        if (!a) {
          ++without_number;
          return;
        }
        found = *a == access.address[lane];
        if (found) next = n + 1;
        if (one.access->loops.empty()) break;
      }
      ++compared;
      if (found) continue;
      if (++wrong == 1)
        example = "line " + std::to_string(one.access->line) + " of " + one.access->function->name;
    }
  }

  Predicted* predicted_ = nullptr;
  const workload::StaticInstr* first_ = nullptr;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, std::int64_t> next_;
};

class Watched final : public workload::ForwardingDevice {
 public:
  Watched(workload::Device& to, Comparer& comparer) : ForwardingDevice(to), comparer_(comparer) {}
  void load_module(std::string_view text, std::string_view file) override {
    to_.load_module(text, file);
    modules_.push_back(
        std::make_unique<ptx::Module>(ptx::parse_module(std::string(text), std::string(file))));
  }
  void launch(const workload::Launch& launch) override {
    std::optional<Predicted> predicted;
    for (const auto& m : modules_)
      if (const ptx::Function* f = m->find_function(launch.kernel)) predicted.emplace(*m, *f, launch);
    comparer_.start(predicted ? &*predicted : nullptr);
    to_.launch(launch);
  }

 private:
  Comparer& comparer_;
  std::vector<std::unique_ptr<ptx::Module>> modules_;
};

// Tiles, stencils, unrolled loops, strength-reduced pointers, antidiagonals, grid-stride loops.
class ObservedAddresses : public testing::TestWithParam<const char*> {};

TEST_P(ObservedAddresses, AreThosePredicted) {
  const workload::Workload* w = workloads::find_workload(GetParam());
  ASSERT_NE(w, nullptr);
  Comparer comparer;
  gpu::TimingOptions options;
  options.observer = &comparer;
  gpu::TimingDevice device(gpu::spec_of("clustered60"), options);
  Watched watched(device, comparer);
  ASSERT_TRUE(w->run(watched, {.scale = workload::Scale::Tiny}).ok);
  EXPECT_GT(comparer.compared, 500u);
  EXPECT_EQ(comparer.wrong, 0u) << comparer.example;
  RecordProperty("compared", std::to_string(comparer.compared));
}

INSTANTIATE_TEST_SUITE_P(Workloads, ObservedAddresses,
                         testing::Values("matrixmul", "syrk", "3dconv", "nw", "hotspot", "sgemm",
                                         "blackscholes", "histogram", "nn", "dct8x8", "stencil", "srad"),
                         [](const auto& i) {
                           std::string name = i.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace heddle::cta_clustering
