// Load fronts with one fault each, around a sound one.
#pragma once

#include <memory>
#include <utility>

#include "gpu/catalog.h"
#include "sm/load_fronts.h"

namespace heddle::contract {

enum class FrontFault {
  None,
  StoresOvertakeLoads,  // a store may issue while loads of its warp wait
  LoadsOvertakeStores,  // a load may issue while stores of its warp wait
  BarriersDoNotWait,    // warps pass barriers with accesses that have not reached the L1
  LosesALoad,           // one load's line is never answered
  SendsStoresTwice,
  MergesVolatileLoads,  // with others
  OversleepsAnswers     // says that nothing will happen when something will
};

// The factory of a kind of the catalog with its defaults.
inline sm::LoadFrontFactory sound_front(std::string_view name) {
  config::Config none;
  config::Reader defaults(&none, nullptr);
  return gpu::load_front_kind(name).read(defaults);
}

class BrokenFront final : public sm::LoadFront {
 public:
  BrokenFront(FrontFault fault, std::unique_ptr<sm::LoadFront> inner)
      : fault_(fault), inner_(std::move(inner)) {}

  void connect(const sm::FrontL1& l1) override { inner_->connect(l1); }
  void accept(sim::Cycle now, const sm::FrontAccess& a) override {
    workload::WarpAccess lanes = a.lanes;
    if (fault_ == FrontFault::MergesVolatileLoads && a.op == mem::Op::Read)
      lanes.cache = workload::WarpAccess::Cache::All;
    std::span<const sm::LineAccess> lines = a.lines;
    if (fault_ == FrontFault::LosesALoad && a.op == mem::Op::Read && lines.size() > 1 && ++accepted_ == 40)
      lines = lines.first(lines.size() - 1);
    const sm::FrontAccess changed{a.warp, a.token, a.op, a.space, lanes, lines};
    inner_->accept(now, changed);
    if (fault_ == FrontFault::SendsStoresTwice && a.op == mem::Op::Write && ++accepted_ == 10)
      inner_->accept(now, changed);
    follow();
  }
  bool step(sim::Cycle now, bool port) override {
    const bool used = inner_->step(now, port);
    follow();
    return used;
  }
  sim::Cycle next(sim::Cycle now) const override {
    const sim::Cycle at = inner_->next(now);
    return fault_ == FrontFault::OversleepsAnswers && at != sim::kNever && now % 7 == 0 ? at + 1 : at;
  }
  void unblock() override { inner_->unblock(); }
  void reply(sim::Cycle now, const mem::Request& r) override {
    inner_->reply(now, r);
    follow();
  }
  bool takes_replies() const override { return inner_->takes_replies(); }
  bool idle() const override { return inner_->idle(); }
  std::uint32_t waiting() const override { return inner_->waiting(); }

 private:
  void follow() {
    holds_ = inner_->holds();
    stats_ = inner_->statistics();
    if (fault_ == FrontFault::StoresOvertakeLoads) holds_.stores = 0;
    if (fault_ == FrontFault::LoadsOvertakeStores) holds_.loads = 0;
    if (fault_ == FrontFault::BarriersDoNotWait) holds_.drain = 0;
  }
  FrontFault fault_;
  std::unique_ptr<sm::LoadFront> inner_;
  std::uint32_t accepted_ = 0;
};

inline sm::LoadFrontFactory broken_front(FrontFault fault, std::string_view kind) {
  return [fault, make = sound_front(kind)](const sm::FrontPlace& place) {
    return std::make_unique<BrokenFront>(fault, make(place));
  };
}

}  // namespace heddle::contract
