#include "windowed_device.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

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

}  // namespace

struct WindowedDevice::Sm {
  Sm(const std::uint64_t& window, std::uint32_t id, std::uint32_t sms) : view(window, id, sms) {}

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
  Text text;
  std::vector<Resident> resident;
  std::map<std::uint16_t, InFlight> in_flight;  // by payload
};

WindowedDevice::WindowedDevice(const WindowedOptions& options)
    : options_(options), random_(options.seed), slice_logs_(options.slices) {
  std::vector<AtomicRecords*> records;
  std::vector<mem::StoreLog*> logs;
  for (std::uint32_t i = 0; i < options_.sms; ++i) {
    sms_.push_back(std::make_unique<Sm>(window_, i, options_.sms));
    records.push_back(&sms_.back()->execution.atomics);
  }
  for (mem::StoreLog& log : slice_logs_) logs.push_back(&log);
  executor_ = std::make_unique<AtomicExecutor>(memory(), records, logs);
}

WindowedDevice::~WindowedDevice() = default;

void WindowedDevice::start_ctas(PtxGrid& grid, std::uint32_t index) {
  Sm& sm = *sms_[index];
  while (next_cta_ < grid.ctas() && sm.resident.size() < options_.ctas_per_sm &&
         next_cta_ % options_.sms == index) {
    workload::CtaStream* cta = grid.start(next_cta_++, index);
    sm.resident.push_back({cta, std::vector<Sm::WarpState>(cta->warps())});
    progress_ = true;
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
  ++atomics_;
  for (Mask left = access.mask; left != 0;) {
    const std::uint64_t line = access.address[std::countr_zero(left)] / 128;
    mem::Request r;
    for (Mask m = left; m != 0; m &= m - 1)
      if (access.address[std::countr_zero(m)] / 128 == line) r.words |= m & -m;
    left &= ~r.words;
    r.line = line * 128;
    r.op = mem::Op::Atomic;
    r.sm = static_cast<std::uint16_t>(index);
    r.payload = access.payload;
    r.slice = static_cast<std::uint16_t>(line / 2 % options_.slices);
    ++sm.in_flight.at(access.payload).requests;
    flights_.push_back({window_ + 1 + random_.below(options_.most_delay), r, false});
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
    ++retries_;
    return;
  }
  progress_ = true;
  if ((issued.event == Issued::Event::Memory) != (issued.accesses != 0))
    throw Error("accesses without the event, or the event without accesses");
  if (issued.accesses != 0 && (s.flags & StaticInstr::kMemory) == 0)
    throw Error("an access without its flag");
  for (unsigned i = 0; i < issued.accesses; ++i) {
    const WarpAccess& a = issued.access[i];
    ++accesses_[static_cast<std::size_t>(a.space)];
    if (a.mask == 0 || (a.mask & ~issued.lanes) != 0) throw Error("an access of lanes that did not execute");
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
  const bool ended = std::all_of(resident.warps.begin(), resident.warps.end(),
                                 [](const Sm::WarpState& x) { return x.exited; });
  if (!ended) return;
  grid.finish(resident.cta, index);
  sm.resident.erase(sm.resident.begin() + static_cast<std::ptrdiff_t>(slot));
}

void WindowedDevice::run_window(PtxGrid& grid, std::uint32_t index) {
  Sm& sm = *sms_[index];
  start_ctas(grid, index);
  for (std::uint32_t n = 0; n < options_.issues; ++n) {
    // A random one of the warps that may issue.
    std::vector<std::pair<std::size_t, std::uint32_t>> ready;
    for (std::size_t c = 0; c < sm.resident.size(); ++c)
      for (std::uint32_t w = 0; w < sm.resident[c].warps.size(); ++w)
        if (may_issue(grid, sm, c, w)) ready.push_back({c, w});
    if (ready.empty()) return;
    const auto [c, w] = ready[random_.below(static_cast<std::uint32_t>(ready.size()))];
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

void WindowedDevice::run_slices() {
  std::vector<Flight> now;
  std::erase_if(flights_, [&](const Flight& f) {
    if (f.due > window_) return false;
    now.push_back(f);
    return true;
  });
  for (Flight& f : now) {
    progress_ = true;
    if (f.back) {
      answer(f.request.sm, f.request.payload);
      continue;
    }
    executor_->execute(f.request);
    f.back = true;
    f.due = window_ + 1 + random_.below(options_.most_delay);
    flights_.push_back(f);
  }
}

void WindowedDevice::commit() {
  for (mem::StoreLog& log : slice_logs_) log.commit(memory());
  for (const auto& sm : sms_) {
    sm->execution.log.commit(memory());
    if (options_.output != nullptr && !sm->text.text.empty()) options_.output->write(sm->text.text);
    sm->text.text.clear();
  }
}

std::string WindowedDevice::report() const {
  std::string who;
  for (const auto& sm : sms_)
    for (const Sm::Resident& r : sm->resident) who += "\n  " + static_cast<PtxCta*>(r.cta)->describe();
  return who;
}

void WindowedDevice::launch(const workload::Launch& launch) {
  std::vector<SmPorts> ports;
  for (const auto& sm : sms_) {
    sm->resident.clear();
    sm->in_flight.clear();
    ports.push_back({&sm->execution, &sm->view, &sm->text});
  }
  flights_.clear();
  const LaunchData data = prepare(launch, options_.recursive_stack);
  PtxGrid grid(memory(), data, ports, heap());
  next_cta_ = retries_ = atomics_ = 0;
  std::fill(std::begin(accesses_), std::end(accesses_), 0);
  const std::uint64_t last = window_ + options_.most_windows;
  const auto busy = [&] {
    return next_cta_ < grid.ctas() || !flights_.empty() ||
           std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return !sm->resident.empty(); });
  };
  for (; busy(); ++window_) {
    progress_ = !flights_.empty();
    for (std::uint32_t i = 0; i < options_.sms; ++i) run_window(grid, i);
    run_slices();
    commit();
    if (!progress_)
      throw Error("kernel '" + launch.kernel + "' is deadlocked: no warp can proceed",
                  "Who waits where:" + report());
    if (window_ == last) throw Error("kernel '" + launch.kernel + "' makes no progress", report());
  }
  for (const auto& sm : sms_)
    if (sm->execution.atomics.in_flight() != 0) throw Error("atomic records were left over");
  counts_.assign(grid.image().code.size(), {});
  grid.add_counts(counts_);
}

}  // namespace heddle::exec
