// A kernel for SM tests: straight-line instructions given by the test, executed by nobody.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "mem/l1_port.h"
#include "sm/sm.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

using workload::InstrClass;
using workload::StaticInstr;
using workload::WarpAccess;

inline StaticInstr op(InstrClass cls, std::initializer_list<int> dst = {},
                      std::initializer_list<int> src = {}, std::uint8_t flags = 0) {
  StaticInstr i;
  i.cls = cls;
  i.flags = flags;
  for (int d : dst) i.dst[i.n_dst++] = static_cast<workload::RegisterId>(d);
  for (int s : src) i.src[i.n_src++] = static_cast<workload::RegisterId>(s);
  return i;
}
inline StaticInstr exit_op() {
  return op(InstrClass::Branch, {}, {}, StaticInstr::kExit);
}
inline StaticInstr barrier_op() {
  return op(InstrClass::Barrier, {}, {}, StaticInstr::kBarrier);
}

// Remembers when each warp issued each pc, by the SM's clock.
class Script final : public workload::GridStream {
 public:
  Script(std::vector<StaticInstr> code, std::uint32_t warps, std::uint64_t ctas = 1)
      : code_(std::move(code)), warps_(warps), ctas_(ctas) {}
  std::function<void(std::uint64_t cta, std::uint32_t warp, std::uint32_t pc, WarpAccess&)> access;
  const workload::HardwareView* view = nullptr;
  std::vector<std::vector<sim::Cycle>> issued;  // [cta * warps + warp][n-th instruction]
  std::uint32_t registers = 64;
  std::uint8_t parts = 1;  // accesses of one memory instruction, all alike but for what this does:
  std::function<void(WarpAccess&)> second_part;

  std::string_view kernel() const override { return "script"; }
  std::uint64_t ctas() const override { return ctas_; }
  workload::CtaNeeds needs() const override { return {warps_ * 32, 16, 0}; }
  workload::StaticCode code() const override { return {code_, registers}; }
  workload::CtaStream* start(std::uint64_t id, std::uint32_t) override {
    live.push_back(std::make_unique<Cta>(*this, id));
    if (issued.size() < (id + 1) * warps_) issued.resize((id + 1) * warps_);
    return live.back().get();
  }
  void finish(workload::CtaStream*, std::uint32_t) override { ++finished; }
  std::uint64_t finished = 0;

 private:
  class Cta final : public workload::CtaStream {
   public:
    Cta(Script& s, std::uint64_t id) : s_(s), id_(id), pc_(s.warps_), blocked_(0) {}
    std::uint64_t id() const override { return id_; }
    std::uint32_t warps() const override { return s_.warps_; }
    std::uint32_t pc(std::uint32_t w) const override { return pc_[w]; }
    workload::Issued issue(std::uint32_t w) override {
      const std::uint32_t pc = pc_[w];
      const StaticInstr& i = s_.code_[pc];
      s_.issued[id_ * s_.warps_ + w].push_back(s_.view->clock());
      workload::Issued r;
      r.lanes = ~0u;
      r.next_pc = ++pc_[w];
      if ((i.flags & StaticInstr::kExit) != 0) {
        r.event = workload::Issued::Event::Exited;
        --pc_[w];
        exited_ |= std::uint64_t{1} << w;
      } else if ((i.flags & StaticInstr::kBarrier) != 0) {
        r.event = workload::Issued::Event::Blocked;
        blocked_ |= std::uint64_t{1} << w;
      } else if ((i.flags & StaticInstr::kMemory) != 0) {
        r.event = workload::Issued::Event::Memory;
        access_ = {};
        access_.mask = ~0u;
        access_.bytes = 4;
        access_.address = address_.data();
        for (std::uint32_t l = 0; l < 32; ++l) address_[l] = 0x1000'0000 + w * 128 + l * 4;
        s_.access(id_, w, pc, access_);
        parts_.assign(s_.parts, access_);
        if (s_.second_part) s_.second_part(parts_[1]);
        r.access = parts_.data();
        r.accesses = s_.parts;
      }
      return r;
    }
    std::uint64_t release() override {
      const std::uint64_t all = (std::uint64_t{1} << s_.warps_) - 1;
      if ((blocked_ | exited_) != all) return 0;
      const std::uint64_t r = blocked_;
      blocked_ = 0;
      return r;
    }
    void deliver(std::uint32_t, std::uint16_t) override { ++s_.delivered; }
    void retire_atomic(std::uint16_t) override { ++s_.retired; }
    void copied(std::uint16_t payload) override { s_.copied.emplace_back(s_.view->clock(), payload); }
    std::string place(std::uint32_t w) const override { return "script:" + std::to_string(pc_[w]); }

   private:
    Script& s_;
    std::uint64_t id_;
    std::vector<std::uint32_t> pc_;
    std::uint64_t blocked_, exited_ = 0;
    WarpAccess access_;
    std::vector<WarpAccess> parts_;
    alignas(64) std::array<std::uint64_t, 32> address_{};
  };
  std::vector<StaticInstr> code_;
  std::uint32_t warps_;
  std::uint64_t ctas_;

 public:
  std::vector<std::unique_ptr<Cta>> live;
  int delivered = 0, retired = 0;
  std::vector<std::pair<sim::Cycle, std::uint16_t>> copied;  // bulk copies, with their payload
};

// An L1 that does what the test says.
class FakeL1 final : public mem::L1Port {
 public:
  std::function<Answer(sim::Cycle, const mem::Request&)> behave = [](sim::Cycle now, const mem::Request&) {
    return Answer{Outcome::Hit, now + 10};
  };
  Answer access(sim::Cycle now, const mem::Request& r) override {
    const Answer a = behave(now, r);
    if (a.outcome != Outcome::Blocked) seen.emplace_back(now, r);
    return a;
  }
  sim::Cycle retry_at(sim::Cycle now) const override { return now + 1; }
  void forget_clean(sim::Cycle now) override { forgot.push_back(now); }
  std::vector<sim::Cycle> forgot;
  std::vector<std::pair<sim::Cycle, mem::Request>> seen;
};

struct Bench {
  explicit Bench(const SmSpec& s) : sm(s, 0, 1, 1_GHz) { sm.connect(l1, {}); }
  // Runs until all CTAs have ended; skips as the machine does.
  sim::Cycle run(Script& script, sim::Cycle limit = 100'000) {
    script.view = &sm;
    for (std::uint64_t c = 0; c < script.ctas(); ++c) sm.launch(script, 0, c, 0);
    sim::Cycle now = 0;
    while (script.finished < script.ctas() && now < limit) {
      sm.begin(now);
      while (!replies.empty() && replies.front().first <= now) {
        const mem::Request r = replies.front().second;
        replies.erase(replies.begin());
        sm.client().reply(now, r);
        sm.unblock();
      }
      sm.step(now);
      sim::Cycle next = sm.next(now);
      if (!replies.empty()) next = std::min(next, std::max(now + 1, replies.front().first));
      if (next == sim::kNever) break;
      now = next;
    }
    return now;
  }
  FakeL1 l1;
  Sm sm;
  std::vector<std::pair<sim::Cycle, mem::Request>> replies;  // sorted by time
};

inline SmSpec plain() {
  SmSpec s;
  s.schedulers = 1;
  s.count = Counting::AsPtx;
  s.register_banks = 16;
  s.bank_ports = 4;
  for (auto& t : s.timing.classes) t.interval = 1;
  s.timing.classes[static_cast<std::size_t>(InstrClass::IntAdd)] = {UnitKind::Int, 6, 1, 1};
  s.timing.classes[static_cast<std::size_t>(InstrClass::FloatMad)] = {UnitKind::Float, 4, 2, 1};
  return s;
}

}  // namespace heddle::sm
