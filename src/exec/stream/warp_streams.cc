#include "exec/stream/warp_streams.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "exec/image/kernel_image.h"
#include "exec/warp/warp_step.h"

namespace heddle::exec {
namespace {

using workload::Issued;
using workload::StaticInstr;
using workload::WarpAccess;

WarpAccess::Space space_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
      return WarpAccess::Space::Shared;
    case ptx::Space::Local:
      return WarpAccess::Space::Local;
    case ptx::Space::Const:
      return WarpAccess::Space::Constant;
    case ptx::Space::Param:
      return WarpAccess::Space::Param;
    default:
      return WarpAccess::Space::Global;
  }
}

void fill(WarpAccess& to, const WarpAccess& form, const Access& access) {
  to = form;
  if (form.space != WarpAccess::Space::Texture) to.space = space_of(access.space);
  to.bytes = static_cast<std::uint8_t>(access.bytes);
  to.payload = access.payload;
  to.shape = access.shape;
  to.mask = access.mask;
  to.address = access.address.data();
}

}  // namespace

void PtxCta::start(ExecContext& context, std::uint64_t id) {
  context_ = &context;
  atomics_ = context.atomics;
  image_ = context.image;
  blocked_ = 0;
  cta_.start(*image_, context, id);
}

void PtxCta::fill_accesses(const Warp& warp, std::uint32_t pc, Issued& issued) {
  const Access& access = warp.access();
  if (access.mask == 0) return;
  auto& out = accesses_;
  const WarpAccess& form = image_->access_templates[pc];
  issued.event = Issued::Event::Memory;
  issued.access = out.data();
  if (access.parts == 0) [[likely]] {
    issued.accesses = 1;
    fill(out[0], form, access);
    return;
  }
  if (image_->code[pc].instr->op == ptx::Op::CpAsyncBulk) {
    issued.accesses = 1;
    fill(out[0], form, warp.part(0));
    out[0].sizes = warp.part(1).address.data();
    return;
  }
  issued.accesses = access.parts;
  for (unsigned i = 0; i < access.parts; ++i) {
    fill(out[i], form, warp.part(i));
    if (form.kind == WarpAccess::Kind::Load && warp.part(i).write) out[i].kind = WarpAccess::Kind::Store;
  }
}

// What every instruction is followed by.
inline void PtxCta::executed(Warp& warp, std::uint32_t pc, Warp::Stop stop, Issued& issued) {
  issued.next_pc = warp.pc();
  if (stop != Warp::Stop::None) [[unlikely]]
    note_stop(warp, pc, stop, issued);
  if (atomics_->any_awaited() && stop != Warp::Stop::Retry) [[unlikely]]
    atomics_->done_waiting(warp);
}

Issued PtxCta::issue(std::uint32_t index) {
  Warp& warp = cta_.warps[index];
  issued_ = index;
  const std::uint32_t pc = warp.pc();
  const std::uint8_t flags = warp.code(pc).flags;
  if ((flags & StaticInstr::kBranch) != 0) return issue_branch(warp);
  Issued issued;
  const Warp::Stop stop = warp.step(issued.lanes);
  executed(warp, pc, stop, issued);
  if (flags == 0 || issued.lanes == 0) [[likely]]
    return issued;
  if ((flags & StaticInstr::kBarrier) != 0) issued.check_barriers = true;
  if ((flags & StaticInstr::kMemory) != 0 && issued.event == Issued::Event::None)
    fill_accesses(warp, pc, issued);
  return issued;
}

Issued PtxCta::issue_branch(Warp& warp) {
  const std::uint32_t pc = warp.pc();
  const Code& code = warp.code(pc);
  const std::uint64_t divergent = context_->counts[pc].divergent;
  Issued issued;
  const Warp::Stop stop = warp.step(issued.lanes);
  executed(warp, pc, stop, issued);
  if (issued.lanes == 0) return issued;
  issued.diverged = context_->counts[pc].divergent != divergent;
  issued.taken_backward = code.instr->op == ptx::Op::Bra
                              ? static_cast<std::uint32_t>(code.imm) <= pc
                              : (code.flags & StaticInstr::kCall) == 0 && warp.pc() <= pc;
  return issued;
}

void PtxCta::note_stop(const Warp& warp, std::uint32_t pc, Warp::Stop stop, Issued& issued) {
  switch (stop) {
    case Warp::Stop::Retry:
      issued.event = Issued::Event::Retry;
      issued.lanes = 0;
      break;
    case Warp::Stop::Exited:
      issued.event = Issued::Event::Exited;
      issued.check_barriers = true;
      break;
    case Warp::Stop::Barrier:
      issued.event = Issued::Event::Blocked;
      issued.check_barriers = true;
      blocked_ |= std::uint64_t{1} << warp.index();
      break;
    case Warp::Stop::Stuck:
      throw Error(image_->place(pc),
                  fmt::format("kernel '{}': lanes of a warp wait for each other", image_->name),
                  "Who waits where: " + warp.describe());
    default:
      break;
  }
}

std::uint64_t PtxCta::release() {
  cta_.release_barriers();
  std::uint64_t released = 0;
  for (std::uint64_t m = blocked_; m != 0; m &= m - 1)
    if (cta_.warps[static_cast<std::size_t>(std::countr_zero(m))].mask() != 0) released |= m & -m;
  blocked_ &= ~released;
  return released;
}

void PtxCta::deliver(std::uint32_t index, std::uint16_t payload) {
  const AtomicRecord& r = (*context_->atomics)[payload];
  cta_.warps[index].result_came();
  for (Mask m = r.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    if (r.bytes == 8)
      reinterpret_cast<std::uint64_t*>(r.destination)[lane] = r.old[lane];
    else
      reinterpret_cast<std::uint32_t*>(r.destination)[lane] = static_cast<std::uint32_t>(r.old[lane]);
  }
}

void PtxCta::copied(std::uint16_t payload) {
  for (const CopyArrival& a : cta_.copies.take(payload)) arrive(cta_.warps[a.warp], a);
}

std::string PtxCta::place(std::uint32_t warp) const {
  const SourcePlace p = image_->place(cta_.warps[warp].pc());
  return fmt::format("{}:{}", p.file, p.line);
}

std::uint64_t PtxCta::shared_state() const {
  Hasher h;
  h.add(cta_.shared.data(), cta_.shared.size());
  return h.value();
}

PtxGrid::PtxGrid(mem::DeviceMemory& memory, const LaunchData& launch, std::span<const SmPorts> ports,
                 DeviceHeap& heap)
    : image_(*launch.image), shape_(launch.grid) {
  needs_.threads = static_cast<std::uint32_t>(launch.block.count());
  needs_.registers_per_thread = launch.registers != 0 ? launch.registers : image_.registers_per_thread;
  needs_.shared_bytes = launch.shared_bytes;
  if (image_.uses_heap) heap.prepare(static_cast<std::uint32_t>(ports.size()));
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    sms_.push_back(std::make_unique<Sm>(memory, launch));
    Sm& sm = *sms_.back();
    sm.execution = ports[i].execution;
    sm.context.log = &ports[i].execution->log;
    sm.context.atomics = &ports[i].execution->atomics;
    sm.context.atomics->forget_waiting();
    sm.context.view = ports[i].view;
    sm.context.output = ports[i].output;
    sm.context.count_accesses = false;
    if (image_.uses_heap) sm.context.heap = &heap.arena(i);
  }
}

PtxGrid::~PtxGrid() {
  for (const auto& sm : sms_)
    for (auto& cta : sm->running) sm->execution->idle.push_back(std::move(cta));
}

workload::CtaStream* PtxGrid::start(std::uint64_t id, std::uint32_t sm_index) {
  Sm& sm = *sms_[sm_index];
  auto& idle = sm.execution->idle;
  if (idle.empty()) idle.push_back(std::make_unique<PtxCta>());
  sm.running.push_back(std::move(idle.back()));
  idle.pop_back();
  sm.running.back()->start(sm.context, id);
  return sm.running.back().get();
}

void PtxGrid::finish(workload::CtaStream* cta, std::uint32_t sm_index) {
  Sm& sm = *sms_[sm_index];
  const auto it =
      std::find_if(sm.running.begin(), sm.running.end(), [&](const auto& p) { return p.get() == cta; });
  if (it == sm.running.end()) throw Error("a CTA ends that does not run on this SM");
  sm.execution->idle.push_back(std::move(*it));
  sm.running.erase(it);
}

std::vector<ChildLaunch> PtxGrid::take_children() const {
  std::vector<ChildLaunch> all;
  for (const auto& sm : sms_) all.insert(all.end(), sm->context.children.begin(), sm->context.children.end());
  return all;
}

}  // namespace heddle::exec
