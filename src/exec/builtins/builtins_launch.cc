// What kernels ask of CUDA's device runtime: launches, copies and fills that follow them, streams and events,
// memory, the conditions of graphs.
#include <bit>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "exec/builtins/builtin_call.h"
#include "exec/warp/cta.h"
#include "exec/warp/kernel_fault.h"

namespace heddle::exec {
namespace {

// The function's arguments follow the description. An impossible shape gets no buffer: compiled code then
// does not launch.
void launch_buffers(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    ChildHeader header;
    const auto function = argument<std::uint64_t>(w, info, lane, 0) - function_address(0);
    header.function = static_cast<std::uint32_t>(function / (function_address(1) - function_address(0)));
    header.grid = argument<workload::Dim3>(w, info, lane, 1);
    header.block = argument<workload::Dim3>(w, info, lane, 2);
    header.shared = argument<std::uint32_t>(w, info, lane, 3);
    const auto& functions = w.image().module->functions;
    const bool known = header.function < functions.size() && functions[header.function].entry;
    const bool possible =
        header.grid.count() != 0 && header.block.count() != 0 && header.block.count() <= 1024;
    mem::Address buffer = 0;
    if (known && possible) {
      std::uint64_t bytes = 0;
      for (const ptx::Variable& p : functions[header.function].params) bytes = p.offset + p.size;
      buffer = allocate(w, kChildArguments + bytes, "arguments of a launch");
    }
    if (buffer != 0) {
      // Nobody else knows this memory yet.
      std::memcpy(w.context().memory.host(buffer), &header, sizeof header);
      buffer += kChildArguments;
    }
    set_result<std::uint64_t>(w, info, lane, buffer);
  }
}

void launch_children(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const auto buffer = argument<std::uint64_t>(w, info, lane, 0);
    constexpr std::uint32_t kInvalidValue = 1;
    if (buffer != 0)
      w.context().children.push_back({w.cta().linear,
                                      buffer - kChildArguments,
                                      argument<std::uint64_t>(w, info, lane, 1),
                                      w.context().heap,
                                      {}});
    set_result<std::uint32_t>(w, info, lane, buffer != 0 ? 0 : kInvalidValue);
  }
}

// What the parameters of the four functions mean; rows follow each other where there is no pitch.
ChildTransfer transfer_of(Warp& w, const CallInfo& info, int lane) {
  auto number = [&](std::size_t i) { return argument<std::uint64_t>(w, info, lane, i); };
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(number(i)); };
  switch (info.builtin) {
    case Builtin::CopyAsync:
      return {number(0), number(1), 0, 0, number(2), 1, {}};
    case Builtin::Copy2DAsync:
      return {number(0), number(2), number(1), number(3), number(4), number(5), {}};
    case Builtin::FillAsync:
      return {number(0), 0, 0, 0, number(2), 1, byte(1)};
    default:
      return {number(0), 0, number(1), 0, number(3), number(4), byte(2)};
  }
}

// They are done in their turn among the launches: a stream may hold both.
void transfer_later(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const auto stream = argument<std::uint64_t>(w, info, lane, info.arguments.size() - 1);
    w.context().children.push_back({w.cta().linear, 0, stream, nullptr, transfer_of(w, info, lane)});
    set_result<std::uint32_t>(w, info, lane, 0);
  }
}

// The text of one of the errors that functions of the device runtime return here.
void error_texts(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const auto code = argument<std::uint32_t>(w, info, lane, 0);
    const std::string text = code == 0   ? "no error"
                             : code == 1 ? "invalid argument"
                             : code == 2 ? "out of memory"
                                         : "unrecognized error code";
    const mem::Address a = allocate(w, text.size() + 1, "text of an error");
    if (a != 0) std::memcpy(w.context().memory.host(a), text.c_str(), text.size() + 1);
    set_result<std::uint64_t>(w, info, lane, a);
  }
}

// Eight bytes to wherever the lane's pointer says.
void store_word(Warp& w, int lane, std::uint64_t to, std::uint64_t value) {
  std::uint64_t left = 0;
  auto* const p = const_cast<std::byte*>(generic_pointer(w, lane, to, &left));
  if (p == nullptr || left < sizeof value)
    throw KernelFault(FaultKind::IllegalAddress, w.image().place(w.pc() - 1),
                      fmt::format("a function of the device runtime was given the bad address {:#x}", to));
  std::memcpy(p, &value, sizeof value);
}

// A handle is the address of its value. Nobody reads that before the kernel has ended, and what kernels do at
// the same time is undefined.
void set_conditional(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    store_word(w, lane, argument<std::uint64_t>(w, info, lane, 0), argument<std::uint32_t>(w, info, lane, 1));
  }
}

// A stream or an event: children run one after another, so that no two need to be told apart.
void create_handles(Warp& w, const CallInfo& info, Mask active) {
  constexpr std::uint64_t kSomeHandle = 0x100;
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    store_word(w, lane, argument<std::uint64_t>(w, info, lane, 0), kSomeHandle);
    set_result<std::uint32_t>(w, info, lane, 0);
  }
}

void allocate_to(Warp& w, const CallInfo& info, Mask active) {
  constexpr std::uint32_t kNoMemory = 2;
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const mem::Address a = allocate(w, argument<std::uint64_t>(w, info, lane, 1), "device cudaMalloc");
    store_word(w, lane, argument<std::uint64_t>(w, info, lane, 0), a);
    set_result<std::uint32_t>(w, info, lane, a != 0 ? 0 : kNoMemory);
  }
}

void succeed(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) set_result<std::uint32_t>(w, info, std::countr_zero(m), 0);
}

}  // namespace

Builtin find_launch_builtin(std::string_view name) {
  if (name == "cudaGraphSetConditional") return Builtin::SetConditional;
  constexpr std::string_view kPrefix = "__cudaCDP2", kPerThread = "_ptsz";
  if (!name.starts_with(kPrefix)) return Builtin::None;
  name.remove_prefix(kPrefix.size());
  if (name.ends_with(kPerThread)) name.remove_suffix(kPerThread.size());
  static constexpr struct {
    std::string_view name;
    Builtin builtin;
  } kAll[] = {{"GetParameterBufferV2", Builtin::LaunchBuffer},
              {"LaunchDeviceV2", Builtin::LaunchChild},
              {"StreamCreateWithFlags", Builtin::CreateHandle},
              {"EventCreateWithFlags", Builtin::CreateHandle},
              {"StreamDestroy", Builtin::Nothing},
              {"EventDestroy", Builtin::Nothing},
              {"EventRecord", Builtin::Nothing},
              {"EventRecordWithFlags", Builtin::Nothing},
              {"StreamWaitEvent", Builtin::Nothing},
              {"GetLastError", Builtin::Nothing},
              {"PeekAtLastError", Builtin::Nothing},
              {"GetErrorString", Builtin::ErrorText},
              {"MemcpyAsync", Builtin::CopyAsync},
              {"Memcpy2DAsync", Builtin::Copy2DAsync},
              {"MemsetAsync", Builtin::FillAsync},
              {"Memset2DAsync", Builtin::Fill2DAsync},
              {"Malloc", Builtin::MallocTo},
              {"Free", Builtin::FreeStatus}};
  for (const auto& b : kAll)
    if (b.name == name) return b.builtin;
  return Builtin::None;
}

bool launches(Builtin b) {
  return b == Builtin::LaunchChild || b == Builtin::CopyAsync || b == Builtin::Copy2DAsync ||
         b == Builtin::FillAsync || b == Builtin::Fill2DAsync;
}

void call_launch_builtin(Warp& w, const CallInfo& info, Mask active) {
  switch (info.builtin) {
    case Builtin::LaunchBuffer:
      return launch_buffers(w, info, active);
    case Builtin::LaunchChild:
      return launch_children(w, info, active);
    case Builtin::CreateHandle:
      return create_handles(w, info, active);
    case Builtin::MallocTo:
      return allocate_to(w, info, active);
    case Builtin::FreeStatus:
      release_lanes(w, info, active);
      return succeed(w, info, active);
    case Builtin::CopyAsync:
    case Builtin::Copy2DAsync:
    case Builtin::FillAsync:
    case Builtin::Fill2DAsync:
      return transfer_later(w, info, active);
    case Builtin::ErrorText:
      return error_texts(w, info, active);
    case Builtin::SetConditional:
      return set_conditional(w, info, active);
    default:  // Nothing
      return succeed(w, info, active);
  }
}

}  // namespace heddle::exec
