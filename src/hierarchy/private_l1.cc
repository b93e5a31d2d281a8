// An L1 beside every SM; the SMs of a cluster share a port.
#include <array>

#include "hierarchy/l1_organization.h"
#include "hierarchy/sm_tile.h"
#include "noc/packet_merger.h"

namespace heddle::hierarchy {
namespace {

class PrivateLevel final : public L1Level {
 public:
  PrivateLevel(const L1Setting& setting, const L1Organization::Surroundings& around, sim::Engine& engine) {
    for (std::uint32_t s = 0; s < setting.sms(); ++s) {
      auto tile = std::make_unique<SmTile>(around.sm, s, setting.sms(), setting.core, setting.map,
                                           *around.to_port[s], *around.from_port[s]);
      tile->configure_l1(setting.l1);
      if (setting.request.merging && setting.request.merging->wants_ready_warps()) tile->tell_ready_warps();
      tile->sm().observe(around.observer);
      core_units_.push_back(engine.add(*tile));
      tiles_.push_back(tile.get());
      cores_.push_back(std::move(tile));
    }
  }
  sim::UnitId lane_unit(std::uint32_t lane) const override { return core_units_[lane]; }
  cache::L1Cache& l1(std::uint32_t l1) override { return tiles_[l1]->l1(); }
  void configure(const cache::L1Spec& l1) override {
    for (SmTile* t : tiles_)
      if (t->l1().spec().tags.ways != l1.tags.ways) t->configure_l1(l1);
  }
  void watch(std::uint32_t l1, mem::ReplicaLog& log) override { tiles_[l1]->watch(log); }
  void measure(sim::Cycle window) override {
    for (SmTile* t : tiles_) t->measure(window);
  }

 private:
  std::vector<SmTile*> tiles_;
};

class PrivateL1 final : public L1Organization {
 public:
  L1Layout layout(const L1Setting& setting) const override {
    L1Layout l;
    l.l1s = setting.sms();
    l.ports.resize(setting.clusters());
    for (std::uint32_t c = 0; c < setting.clusters(); ++c)
      for (std::uint32_t s = setting.first_sm[c]; s < setting.first_sm[c + 1]; ++s) l.ports[c].push_back(s);
    return l;
  }
  std::string place(const L1Setting& setting) const override {
    if (setting.unified.count() == 0) return {};
    return to_string(setting.unified) + " together with shared memory; without any:";
  }
  std::unique_ptr<L1Level> build(const L1Setting& setting, const Surroundings& around,
                                 sim::Engine& engine) const override {
    return std::make_unique<PrivateLevel>(setting, around, engine);
  }
};

std::shared_ptr<const L1Organization> read_private(config::Reader&) {
  return std::make_shared<PrivateL1>();
}

constexpr std::array kOrganizations = {
    OrganizationKind{"private", "every SM has its own, beside it", read_private},
};

}  // namespace

std::span<const OrganizationKind> l1_organizations() {
  return kOrganizations;
}

}  // namespace heddle::hierarchy
