#include "windowed_device.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::exec {

using workload::Issued;
using workload::StaticInstr;
using workload::WarpAccess;

namespace {

struct View final : workload::HardwareView {
  View(const std::uint64_t& window, std::uint32_t id, std::uint32_t sms) : now(window), sm(id), n(sms) {}
  std::uint64_t clock() const override { return now; }
  std::uint64_t globaltimer() const override { return now; }
  std::uint32_t smid() const override { return sm; }
  std::uint32_t nsmid() const override { return n; }
  const std::uint64_t& now;
  std::uint32_t sm, n;
};

struct Text final : OutputSink {
  void write(const std::string& t) override { text += t; }
  std::string text;
};

// What execution says about addresses must be so: the timing side does not look again.
void check_shape(const WarpAccess& a) {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  bool contiguous = a.mask == kAllLanes;
  for (Mask m = a.mask; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    low = std::min(low, a.address[i]);
    high = std::max(high, a.address[i]);
    contiguous = contiguous && a.address[i] == a.address[0] + std::uint64_t{i} * a.bytes;
  }
  if (a.shape.known() && a.shape.reach != high - low) throw Error("an access with a wrong reach");
  if (a.shape.known() && a.shape.contiguous != contiguous) throw Error("an access with a wrong shape");
  if (a.shape.contiguous && !contiguous) throw Error("an access that is not contiguous");
}

}  // namespace

struct WindowedDevice::Sm {
  Sm(const std::uint64_t& window, std::uint32_t id, const WindowedOptions& o)
      : view(window, id, o.sms), random(o.seed * 1000 + id) {}

  struct WarpState {
    bool blocked = false, exited = false;
    std::uint32_t outstanding = 0;  // atomics
    std::set<std::uint32_t> waits;  // registers with a result on its way
  };
  struct Resident {
    workload::CtaStream* cta = nullptr;
    std::vector<WarpState> warps;
  };
  struct InFlight {
    std::uint64_t cta = 0;
    std::uint32_t warp = 0, requests = 0;
    bool result = false;
    std::vector<std::uint32_t> registers;  // that receive it
  };
  SmExecution execution;
  View view;
  workload::Random random;
  Text text;
  std::vector<Flight> in, out;  // answers to this SM, requests from it
  std::uint64_t retries = 0, atomics = 0;
  std::array<std::uint64_t, 6> accesses{};
  std::vector<PcCount> counts;  // by pc: what issue() said was executed
  bool progress = false;
  std::vector<Resident> resident;
  std::map<std::uint16_t, InFlight> in_flight;  // by payload
  struct Landing {                              // a bulk copy to shared memory
    std::uint64_t due = 0, cta = 0;
    std::uint16_t payload = 0;
  };
  std::vector<Landing> landing;
};

WindowedDevice::WindowedDevice(const WindowedOptions& options) : options_(options), slices_(options.slices) {
  std::vector<AtomicRecords*> records;
  std::vector<mem::StoreLog*> logs;
  for (std::uint32_t i = 0; i < options_.sms; ++i) {
    sms_.push_back(std::make_unique<Sm>(window_, i, options_));
    records.push_back(&sms_.back()->execution.atomics);
  }
  for (Slice& slice : slices_) logs.push_back(&slice.log);
  executor_ = std::make_unique<AtomicExecutor>(memory(), records, logs);
}

WindowedDevice::~WindowedDevice() = default;

void WindowedDevice::start_ctas(PtxGrid& grid, std::uint32_t index) {
  Sm& sm = *sms_[index];
  while (next_cta_ < grid.ctas() && sm.resident.size() < options_.ctas_per_sm &&
         next_cta_ % options_.sms == index) {
    workload::CtaStream* cta = grid.start(next_cta_++, index);
    sm.resident.push_back({cta, std::vector<Sm::WarpState>(cta->warps())});
    sm.progress = true;
  }
}

bool WindowedDevice::may_issue(const PtxGrid& grid, const Sm& sm, std::size_t cta, std::uint32_t warp) const {
  const Sm::WarpState& w = sm.resident[cta].warps[warp];
  if (w.blocked || w.exited) return false;
  const StaticInstr& s = grid.code().instr[sm.resident[cta].cta->pc(warp)];
  const auto waits = [&](std::uint32_t r) { return w.waits.contains(r); };
  if (std::any_of(s.src.begin(), s.src.begin() + s.n_src, waits)) return false;
  if (std::any_of(s.dst.begin(), s.dst.begin() + s.n_dst, waits)) return false;
  constexpr unsigned kWaits = StaticInstr::kBarrier | StaticInstr::kFence | StaticInstr::kExit;
  return (s.flags & kWaits) == 0 || w.outstanding == 0;
}

void WindowedDevice::send(std::uint32_t index, const WarpAccess& access) {
  Sm& sm = *sms_[index];
  ++sm.atomics;
  for (Mask left = access.mask; left != 0;) {
    const std::uint64_t line = access.address[std::countr_zero(left)] / 128;
    mem::Request r;
    for (Mask m = left; m != 0; m &= m - 1)
      if (access.address[std::countr_zero(m)] / 128 == line) r.words |= m & -m;
    left &= ~r.words;
    r.line = line * 128;
    r.op = mem::Op::Atomic;
    r.sm = static_cast<std::uint16_t>(index);
    r.owner = r.sm;
    r.payload = access.payload;
    r.token = sm.random.below(options_.most_delay);  // how long the way back takes
    r.slice = static_cast<std::uint16_t>(line / 2 % options_.slices);
    ++sm.in_flight.at(access.payload).requests;
    sm.out.push_back({window_ + 1 + sm.random.below(options_.most_delay), r});
  }
}

void WindowedDevice::issue(PtxGrid& grid, std::uint32_t index, std::size_t slot, std::uint32_t warp) {
  Sm& sm = *sms_[index];
  Sm::Resident& resident = sm.resident[slot];
  Sm::WarpState& w = resident.warps[warp];
  const std::uint32_t pc = resident.cta->pc(warp);
  const StaticInstr& s = grid.code().instr[pc];
  const Issued issued = resident.cta->issue(warp);
  if (issued.event == Issued::Event::Retry) {
    ++sm.retries;
    return;
  }
  sm.progress = true;
  ++sm.counts[pc].issued;
  sm.counts[pc].lanes += static_cast<unsigned>(std::popcount(issued.lanes));
  if ((issued.event == Issued::Event::Memory) != (issued.accesses != 0))
    throw Error("accesses without the event, or the event without accesses");
  if (issued.accesses != 0 && (s.flags & StaticInstr::kMemory) == 0)
    throw Error("an access without its flag");
  for (unsigned i = 0; i < issued.accesses; ++i) {
    const WarpAccess& a = issued.access[i];
    ++sm.accesses[static_cast<std::size_t>(a.space)];
    if (a.mask == 0 || (a.mask & ~issued.lanes) != 0) throw Error("an access of lanes that did not execute");
    if (a.sizes == nullptr) check_shape(a);
    if (a.sizes != nullptr && a.kind == WarpAccess::Kind::Load)
      sm.landing.push_back(
          {window_ + sm.random.below(4 * options_.most_delay), resident.cta->id(), a.payload});
    const bool atomic = a.kind == WarpAccess::Kind::Atomic || a.kind == WarpAccess::Kind::Reduce;
    if (!atomic || a.space != WarpAccess::Space::Global) continue;
    const bool result = a.kind == WarpAccess::Kind::Atomic;
    sm.in_flight[a.payload] = {resident.cta->id(), warp, 0, result, {s.dst.begin(), s.dst.begin() + s.n_dst}};
    ++w.outstanding;
    w.waits.insert(s.dst.begin(), s.dst.begin() + s.n_dst);
    send(index, a);
  }
  w.blocked = issued.event == Issued::Event::Blocked;
  w.exited = issued.event == Issued::Event::Exited;
  if (!issued.check_barriers) return;
  for (std::uint64_t m = resident.cta->release(); m != 0; m &= m - 1)
    resident.warps[static_cast<std::size_t>(std::countr_zero(m))].blocked = false;
  finish_if_ended(grid, index, slot);
}

void WindowedDevice::finish_if_ended(PtxGrid& grid, std::uint32_t index, std::size_t slot) {
  Sm& sm = *sms_[index];
  const Sm::Resident& resident = sm.resident[slot];
  const bool ended = std::all_of(resident.warps.begin(), resident.warps.end(),
                                 [](const Sm::WarpState& x) { return x.exited; });
  const bool awaited = std::any_of(sm.landing.begin(), sm.landing.end(),
                                   [&](const Sm::Landing& l) { return l.cta == resident.cta->id(); });
  if (!ended || awaited) return;
  grid.finish(resident.cta, index);
  sm.resident.erase(sm.resident.begin() + static_cast<std::ptrdiff_t>(slot));
}

// Bulk copies whose time has come tell their mbarriers.
void WindowedDevice::land(PtxGrid& grid, std::uint32_t index) {
  Sm& sm = *sms_[index];
  if (sm.landing.empty()) return;
  sm.progress = true;
  std::erase_if(sm.landing, [&](const Sm::Landing& l) {
    if (l.due > window_) return false;
    std::find_if(sm.resident.begin(), sm.resident.end(), [&](const Sm::Resident& r) {
      return r.cta->id() == l.cta;
    })->cta->copied(l.payload);
    return true;
  });
  for (std::size_t slot = sm.resident.size(); slot-- > 0;) finish_if_ended(grid, index, slot);
}

void WindowedDevice::run_sm(PtxGrid& grid, std::uint32_t index) {
  Sm& sm = *sms_[index];
  sm.progress = sm.progress || !sm.in.empty();
  land(grid, index);
  std::erase_if(sm.in, [&](const Flight& f) {
    if (f.due > window_) return false;
    answer(index, f.request.payload);
    return true;
  });
  for (std::uint32_t n = 0; n < options_.issues; ++n) {
    // A random one of the warps that may issue.
    std::vector<std::pair<std::size_t, std::uint32_t>> ready;
    for (std::size_t c = 0; c < sm.resident.size(); ++c)
      for (std::uint32_t w = 0; w < sm.resident[c].warps.size(); ++w)
        if (may_issue(grid, sm, c, w)) ready.push_back({c, w});
    if (ready.empty()) return;
    const auto [c, w] = ready[sm.random.below(static_cast<std::uint32_t>(ready.size()))];
    issue(grid, index, c, w);
  }
}

void WindowedDevice::answer(std::uint32_t index, std::uint16_t payload) {
  Sm& sm = *sms_[index];
  Sm::InFlight& f = sm.in_flight.at(payload);
  if (--f.requests != 0) return;
  const auto resident = std::find_if(sm.resident.begin(), sm.resident.end(),
                                     [&](const Sm::Resident& r) { return r.cta->id() == f.cta; });
  if (resident == sm.resident.end()) throw Error("an answer for a CTA that has ended");
  Sm::WarpState& w = resident->warps[f.warp];
  --w.outstanding;
  if (f.result) {
    resident->cta->deliver(f.warp, payload);
    for (const std::uint32_t r : f.registers) w.waits.erase(r);
  }
  resident->cta->retire_atomic(payload);
  sm.in_flight.erase(payload);
}

// In the order of arrival.
void WindowedDevice::run_slice(Slice& slice) {
  std::erase_if(slice.in, [&](const Flight& f) {
    if (f.due > window_) return false;
    executor_->execute(f.request);
    slice.out.push_back({window_ + 1 + f.request.token, f.request});
    return true;
  });
}

void WindowedDevice::run_window(PtxGrid& grid) {
  if (!options_.threads) {
    for (std::uint32_t i = 0; i < options_.sms; ++i) run_sm(grid, i);
    for (Slice& slice : slices_) run_slice(slice);
    return;
  }
  std::vector<std::jthread> threads;
  for (std::uint32_t i = 0; i < options_.sms; ++i) threads.emplace_back([&, i] { run_sm(grid, i); });
  for (Slice& slice : slices_) threads.emplace_back([&] { run_slice(slice); });
}

// The window's end: what crosses units, in a fixed order.
void WindowedDevice::commit() {
  for (Slice& slice : slices_) {
    slice.log.commit(memory());
    for (const Flight& f : slice.out) sms_[f.request.sm]->in.push_back(f);
    slice.out.clear();
  }
  for (const auto& sm : sms_) {
    sm->execution.log.commit(memory());
    for (const Flight& f : sm->out) slices_[f.request.slice].in.push_back(f);
    sm->out.clear();
    if (options_.output != nullptr && !sm->text.text.empty()) options_.output->write(sm->text.text);
    sm->text.text.clear();
  }
}

bool WindowedDevice::busy(const PtxGrid& grid) const {
  return next_cta_ < grid.ctas() ||
         std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return !sm->resident.empty(); });
}

std::uint64_t WindowedDevice::retries() const {
  std::uint64_t n = 0;
  for (const auto& sm : sms_) n += sm->retries;
  return n;
}
std::uint64_t WindowedDevice::atomics() const {
  std::uint64_t n = 0;
  for (const auto& sm : sms_) n += sm->atomics;
  return n;
}
std::uint64_t WindowedDevice::accesses(WarpAccess::Space space) const {
  std::uint64_t n = 0;
  for (const auto& sm : sms_) n += sm->accesses[static_cast<std::size_t>(space)];
  return n;
}

std::string WindowedDevice::report() const {
  std::string who;
  for (const auto& sm : sms_)
    for (const Sm::Resident& r : sm->resident)
      for (std::uint32_t w = 0; w < r.cta->warps(); ++w)
        if (!r.warps[w].exited)
          who += fmt::format("\n  CTA {}: warp {} at {}", r.cta->id(), w, r.cta->place(w));
  return who;
}

void WindowedDevice::launch(const workload::Launch& launch) {
  std::vector<SmPorts> ports;
  for (const auto& sm : sms_) {
    sm->retries = sm->atomics = 0;
    sm->accesses = {};
    ports.push_back({&sm->execution, &sm->view, &sm->text});
  }
  const LaunchData data = prepare(launch, options_.recursive_stack);
  PtxGrid grid(memory(), data, ports, heap());
  for (const auto& sm : sms_) sm->counts.assign(grid.code().instr.size(), {});
  next_cta_ = 0;
  const std::uint64_t last = window_ + options_.most_windows;
  for (; busy(grid); ++window_) {
    bool progress = std::any_of(slices_.begin(), slices_.end(), [](const Slice& s) { return !s.in.empty(); });
    for (const auto& sm : sms_) sm->progress = false;
    for (std::uint32_t i = 0; i < options_.sms; ++i) start_ctas(grid, i);
    run_window(grid);
    for (const auto& sm : sms_) progress |= sm->progress;
    commit();
    if (!progress)
      throw Error("kernel '" + launch.kernel + "' is deadlocked: no warp can proceed",
                  "Who waits where:" + report());
    if (window_ == last) throw Error("kernel '" + launch.kernel + "' makes no progress", report());
  }
  for (const auto& sm : sms_)
    if (sm->execution.atomics.any()) throw Error("atomic records were left over");
}

std::vector<PcCount> WindowedDevice::counts() const {
  std::vector<PcCount> all;
  for (const auto& sm : sms_) {
    all.resize(sm->counts.size());
    for (std::size_t pc = 0; pc < all.size(); ++pc) {
      all[pc].issued += sm->counts[pc].issued;
      all[pc].lanes += sm->counts[pc].lanes;
    }
  }
  return all;
}

}  // namespace heddle::exec
