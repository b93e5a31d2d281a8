#include "exec/warp/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "base/error.h"
#include "base/host_memory.h"
#include "exec/image/kernel_image.h"
#include "exec/warp/context.h"
#include "exec/warp/cta.h"

namespace heddle::exec {

// ---- life ---------------------------------------------------------------------------------------------

void Warp::start(const KernelImage& image, ExecContext& context, Cta& cta, std::uint32_t index, Mask live) {
  image_ = &image;
  context_ = &context;
  last_access_ = &context.last_access;
  code_ = image.code.data();
  counts_ = context.counts.data();
  cta_ = &cta;
  index_ = index;
  live_ = live;
  splits_.clear();
  joins_.clear();
  for (Frame& f : frames_) f.used = false;
  local_bytes_ = context.stack_bytes;
  if (std::size_t{local_bytes_} * kLanes > local_capacity_) {
    const std::size_t bytes = std::size_t{local_bytes_} * kLanes;
    count_host_memory(bytes, fmt::format("local memory of a warp of kernel '{}', {} bytes for each thread",
                                         image.name, local_bytes_));
    local_ = {};
    local_capacity_ = 0;
    local_ = std::make_unique<std::byte[]>(bytes);
    local_capacity_ = bytes;
  } else if (local_bytes_ != 0) {
    std::memset(local_.get(), 0, std::size_t{local_bytes_} * kLanes);
  }
  bank_[Place::Constants] = image.constant_bank;
  fill_specials();
  carry_ = 0;
  const std::uint32_t frame = new_frame(0, live);
  enter_frame(frame);
  std::memset(frames_[frame].registers, 0, image.functions[0].register_bytes());
  pc_ = image.functions[0].entry_pc;
  mask_ = live;
  join_ = kNone;
  meet_pc_ = kNone;
  stop_ = Stop::None;
  executed_ = 0;
  clock_read_at_ = clock_ahead_ = clock_polls_ = 0;
  turns_ = hinted_turns_ = 0;
  forget_repetition();
  yields_ = 0;
  spin_hint_ = false;
  forced_ = false;
  results_ = 0;
}

// ---- execution ----------------------------------------------------------------------------------------

template <bool ToAccess>
Warp::Stop Warp::execute(std::uint64_t end, [[maybe_unused]] std::uint64_t free_reads) {
  const Code* const code = code_;
  PcCount* const counts = counts_;
  stop_ = Stop::None;
  [[maybe_unused]] const std::uint64_t begin = executed_;
  while (executed_ != end) {
    const std::uint32_t pc = pc_;
    const Code& c = code[pc];
    if constexpr (ToAccess)
      if (c.in_step != Code::InStep::No && executed_ != begin &&
          (c.in_step == Code::InStep::Write || executed_ >= free_reads))
        return Stop::Access;
    const Mask active = guarded(c);
    counts[pc].issued += 1;
    counts[pc].lanes += static_cast<unsigned>(std::popcount(active));
    pc_ = pc + 1;
    ++executed_;  // here, because handlers read it as the clock
    if (active != 0) [[likely]]
      c.handler(*this, c, active);
    else if (c.even_if_none) [[unlikely]]
      c.handler(*this, c, active);
    if (pc_ == meet_pc_) meet();
    if (stop_ != Stop::None) [[unlikely]]
      break;
  }
  return stop_ == Stop::None ? Stop::Budget : stop_;
}

Warp::Stop Warp::run(std::uint64_t end) {
  return execute<false>(end, 0);
}
Warp::Stop Warp::run_to_access(std::uint64_t end, std::uint64_t free_reads) {
  return execute<true>(end, free_reads);
}

void Warp::retry(Mask active) {
  --pc_;
  --executed_;
  counts_[pc_].issued -= 1;
  counts_[pc_].lanes -= static_cast<unsigned>(std::popcount(active));
  stop_ = Stop::Retry;
}

void Warp::add_part(const Access& part) {
  last_access_->part[last_access_->whole.parts++] = part;
}

// ---- calls --------------------------------------------------------------------------------------------

std::uint32_t Warp::new_frame(std::uint32_t function, Mask lanes) {
  std::uint32_t i = 0;
  while (i < frames_.size() && frames_[i].used) ++i;
  if (i == frames_.size()) {
    frames_.emplace_back();
    frame_storage_.emplace_back();
    storage_bytes_.push_back(0);
  }
  const FunctionImage& f = image_->functions[function];
  const std::size_t predicate_bytes = (f.registers.predicates + 2) * sizeof(Mask);
  const std::size_t need = f.register_bytes() + predicate_bytes;
  if (need > storage_bytes_[i]) {
    storage_bytes_[i] = need;
    frame_storage_[i].reset(static_cast<std::byte*>(::operator new (need, std::align_val_t{64})));
    std::memset(frame_storage_[i].get(), 0, need);
  }
  Frame& frame = frames_[i];
  frame = {.function = function, .lanes = lanes, .used = true};
  frame.registers = frame_storage_[i].get();
  frame.predicates = reinterpret_cast<Mask*>(frame.registers + f.register_bytes());
  std::memset(frame.predicates, 0, predicate_bytes);
  frame.predicates[kPredTrue] = kAllLanes;
  return i;
}

void Warp::enter_frame(std::uint32_t frame) {
  frame_ = frame;
  bank_[Place::Registers] = frames_[frame].registers;
  predicates_ = frames_[frame].predicates;
}

void Warp::leave_frame(std::uint32_t frame, Mask lanes) {
  Frame& f = frames_[frame];
  f.lanes &= ~lanes;
  if (f.lanes == 0) f.used = false;
}

void Warp::call(Mask active, const CallInfo& info, std::uint32_t function) {
  const std::uint32_t caller = frame_;
  const std::uint32_t base =
      frames_[caller].local_base + image_->functions[frames_[caller].function].frame_bytes;
  if (base + image_->functions[function].frame_bytes > local_bytes_)
    throw Error(
        image_->place(pc_ - 1),
        fmt::format(
            "stack overflow: calling '{}' needs more than the {} bytes of local memory each thread has",
            image_->functions[function].source->name, local_bytes_),
        "Recursion may be too deep; raise the stack size of the launch.");
  const std::uint32_t join = new_join(pc_, mask_, true);
  if (mask_ != active) arrive(join, mask_ & ~active);
  const std::uint32_t frame = new_frame(function, active);
  frames_[frame].caller = caller;
  frames_[frame].local_base = base;
  frames_[frame].call = &info;
  std::memset(frames_[frame].registers, 0, image_->functions[function].register_bytes());
  for (const ParamCopy& c : info.arguments)
    for (Mask m = active; m != 0; m &= m - 1) {
      std::byte* const lane = local(std::countr_zero(m));
      std::memcpy(lane + base + c.callee, lane + frames_[caller].local_base + c.caller, c.bytes);
    }
  join_ = join;
  meet_pc_ = kNone;
  mask_ = active;
  enter_frame(frame);
  pc_ = image_->functions[function].entry_pc;
}

void Warp::call_indirect(Mask active, const CallInfo& info, const std::uint32_t* lane_function) {
  const std::uint32_t function = lane_function[std::countr_zero(active)];
  Mask group = 0;
  for (Mask m = active; m != 0; m &= m - 1)
    if (lane_function[std::countr_zero(m)] == function) group |= m & -m;
  if (group != active) {  // the others execute the call again; all meet behind it
    join_ = new_join(pc_, mask_, false);
    if (mask_ != active) arrive(join_, mask_ & ~active);
    splits_.push_back({.pc = pc_ - 1, .mask = active & ~group, .join = join_, .frame = frame_});
    mask_ = group;
  }
  call(group, info, function);
}

void Warp::ret(Mask active) {
  const Frame frame = frames_[frame_];
  if (frame.caller == kNone) {
    exit(active);
    return;
  }
  const std::uint32_t caller_base = frames_[frame.caller].local_base;
  for (const ParamCopy& c : frame.call->results)
    for (Mask m = active; m != 0; m &= m - 1) {
      std::byte* const lane = local(std::countr_zero(m));
      std::memcpy(lane + caller_base + c.caller, lane + frame.local_base + c.callee, c.bytes);
    }
  mask_ &= ~active;
  leave_frame(frame_, active);
  std::uint32_t j = join_;
  while (!joins_[j].call) {
    const std::uint32_t parent = joins_[j].parent;
    drop_from_join(j, active);
    j = parent;
  }
  arrive(j, active);
  if (mask_ == 0) pick_next();
}

void Warp::exit(Mask active) {
  live_ &= ~active;
  mask_ &= ~active;
  for (std::uint32_t f = frame_; f != kNone;) {
    const std::uint32_t caller = frames_[f].caller;
    leave_frame(f, active);
    f = caller;
  }
  for (std::uint32_t j = join_; j != kNone;) {
    const std::uint32_t parent = joins_[j].parent;
    drop_from_join(j, active);
    j = parent;
  }
  if (mask_ == 0) pick_next();
}

std::string Warp::describe() const {
  auto at = [&](std::uint32_t pc) {
    const SourcePlace p =
        image_->place(std::min<std::uint32_t>(pc, static_cast<std::uint32_t>(image_->code.size() - 1)));
    return fmt::format("{}:{}", p.file, p.line);
  };
  std::string out = fmt::format("warp {}:", index_);
  if (live_ == 0) return out + " ended";
  if (mask_ != 0) out += fmt::format(" lanes {:08x} run at {};", mask_, at(pc_));
  for (const Split& s : splits_) {
    const char* what = s.state == State::Barrier ? "wait at barrier"
                       : s.state == State::Sync  ? "wait for other lanes"
                                                 : "ready";
    out += fmt::format(" lanes {:08x} {}", s.mask, what);
    if (s.state == State::Barrier) out += fmt::format(" {}", s.barrier);
    if (s.state == State::Sync) out += fmt::format(" {:08x}", s.required & live_);
    out += fmt::format(" at {};", at(s.state == State::Barrier ? s.pc - 1 : s.pc));
  }
  for (const Join& j : joins_)
    if (j.used && j.arrived != 0)
      out += fmt::format(" lanes {:08x} wait for {:08x} to meet at {};", j.arrived, j.expected & ~j.arrived,
                         at(j.pc));
  return out;
}

}  // namespace heddle::exec
