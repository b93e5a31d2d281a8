#include "exec/builtins/builtins.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/builtins/builtin_call.h"
#include "exec/memory/device_heap.h"
#include "exec/warp/context.h"
#include "exec/warp/cta.h"
#include "exec/warp/kernel_fault.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

const std::byte* generic_pointer(Warp& w, int lane, std::uint64_t a, std::uint64_t* left) {
  auto inside = [&](std::uint64_t window, const std::byte* data, std::uint64_t size) -> const std::byte* {
    const std::uint64_t offset = a - window;
    *left = offset < size ? size - offset : 0;
    return offset < size ? data + offset : nullptr;
  };
  if (a >= mem::kSharedWindow && a < mem::kLocalWindow)
    return inside(mem::kSharedWindow, w.cta().shared.data(), w.cta().shared.size());
  if (a >= mem::kLocalWindow && a < mem::kParamWindow)
    return inside(mem::kLocalWindow, w.local(lane), w.local_bytes());
  if (a >= mem::kParamWindow && a < mem::kFunctionWindow)
    return inside(mem::kParamWindow, w.context().params.data(), w.context().params.size());
  const mem::Allocation* x = w.context().memory.find(a);
  *left = x != nullptr ? x->end - a : 0;
  return x != nullptr ? w.context().memory.host(a) : nullptr;
}

mem::Address allocate(Warp& w, std::uint64_t bytes, const char* label) {
  if (HeapArena* heap = w.context().heap; heap != nullptr) return heap->allocate(bytes);
  mem::DeviceMemory& memory = w.context().memory;
  return bytes == 0 || !memory.has_room(bytes) ? 0 : memory.allocate(bytes, label);
}

namespace {

std::string read_string(Warp& w, int lane, std::uint64_t a) {
  constexpr std::uint64_t kLongest = 1u << 20;
  std::uint64_t left = 0;
  const auto* p = reinterpret_cast<const char*>(generic_pointer(w, lane, a, &left));
  if (p == nullptr) return fmt::format("(bad string address {:#x})", a);
  std::string text(p, strnlen(p, std::min(left, kLongest)));
  const mem::StoreLog* const log = w.context().log;
  if (log == nullptr || log->empty() || w.context().memory.find(a) == nullptr) return text;
  // This SM may just have written it.
  text.assign(p, std::min(left, kLongest));
  log->overlay(a, text.data(), static_cast<std::uint32_t>(text.size()));
  return text.substr(0, strnlen(text.data(), text.size()));
}

// The packed argument buffer of vprintf: each value aligned to its size.
class PrintArguments {
 public:
  PrintArguments(Warp& w, int lane, std::uint64_t address)
      : base_(generic_pointer(w, lane, address, &left_)) {}
  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T v{};
    if (base_ != nullptr && at_ + sizeof(T) <= left_) std::memcpy(&v, base_ + at_, sizeof v);
    at_ += sizeof(T);
    ++taken_;
    return v;
  }
  std::int32_t taken() const { return taken_; }

 private:
  std::uint64_t left_ = 0;
  const std::byte* base_;
  std::uint64_t at_ = 0;
  std::int32_t taken_ = 0;
};

template <class T>
std::string print_one(const std::string& spec, T v) {
  char buffer[512];
  const int n = std::snprintf(buffer, sizeof buffer, spec.c_str(), v);
  return std::string(buffer, static_cast<std::size_t>(std::clamp(n, 0, static_cast<int>(sizeof buffer) - 1)));
}

// One conversion "%...x" of the format, with its argument.
std::string convert(Warp& w, int lane, std::string flags, const std::string& length, char type,
                    PrintArguments& args) {
  const bool wide = length == "ll" || length == "l" || length == "j" || length == "z" || length == "t";
  switch (type) {
    case 'd':
    case 'i':
      return print_one(flags + "lld",
                       wide ? args.next<long long>() : static_cast<long long>(args.next<std::int32_t>()));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return print_one(flags + "ll" + type,
                       wide ? args.next<unsigned long long>()
                            : static_cast<unsigned long long>(args.next<std::uint32_t>()));
    case 'c':
      return print_one(flags + 'c', args.next<std::int32_t>());
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return print_one(flags + type, args.next<double>());
    case 'p':
      return fmt::format("{:#x}", args.next<std::uint64_t>());
    case 's': {
      const std::string text = read_string(w, lane, args.next<std::uint64_t>());
      if (flags == "%") return text;
      return print_one(flags + 's', text.c_str());
    }
    default:
      return flags + length + type;
  }
}

std::string format(Warp& w, int lane, const std::string& text, PrintArguments& args) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    std::string flags = "%", length;
    for (++i; i < text.size() && std::strchr("-+ #0123456789.*", text[i]) != nullptr && text[i] != '\0';
         ++i) {
      if (text[i] == '*')
        flags += std::to_string(args.next<std::int32_t>());
      else
        flags += text[i];
    }
    for (; i < text.size() && std::strchr("hljztL", text[i]) != nullptr && text[i] != '\0'; ++i)
      length += text[i];
    if (flags.size() > 32) flags = "%";
    if (i < text.size()) out += convert(w, lane, flags, length, text[i], args);
  }
  return out;
}

void vprintf_lanes(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const std::string text = read_string(w, lane, argument<std::uint64_t>(w, info, lane, 0));
    PrintArguments args(w, lane, argument<std::uint64_t>(w, info, lane, 1));
    const std::string out = format(w, lane, text, args);
    if (w.context().output != nullptr) w.context().output->write(out);
    set_result<std::int32_t>(w, info, lane, args.taken());  // unlike C's printf
  }
}

// A line for each of the warp's threads that fail together, as a card prints them.
[[noreturn]] void assert_failed(Warp& w, const CallInfo& info, Mask active) {
  const auto& block = w.context().block;
  const workload::Dim3 cta = w.cta().id;
  std::string lines;
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const std::uint32_t t = w.index() * kLanes + static_cast<std::uint32_t>(lane);
    const auto text = [&](std::size_t i) {
      return read_string(w, lane, argument<std::uint64_t>(w, info, lane, i));
    };
    lines +=
        fmt::format("{}{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                    lines.empty() ? "" : "\n", text(1), argument<std::uint32_t>(w, info, lane, 2), text(3),
                    cta.x, cta.y, cta.z, t % block.x, t / block.x % block.y, t / block.x / block.y, text(0));
  }
  throw KernelFault(FaultKind::Assertion, w.image().place(w.pc() - 1), lines);
}

void allocate_lanes(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    set_result<std::uint64_t>(w, info, lane,
                              allocate(w, argument<std::uint64_t>(w, info, lane, 0), "device malloc"));
  }
}

}  // namespace

void release_lanes(Warp& w, const CallInfo& info, Mask active) {
  for (Mask m = active; m != 0; m &= m - 1) {
    const auto p = argument<std::uint64_t>(w, info, std::countr_zero(m), 0);
    if (p == 0) continue;
    if (HeapArena* heap = w.context().heap; heap != nullptr)
      heap->release(p);
    else
      w.context().memory.release(p);
  }
  // Remembered allocations may be gone.
  for (Bounds& b : w.context().bounds) b = {};
}

Builtin find_builtin(std::string_view name) {
  if (name == "vprintf") return Builtin::Vprintf;
  if (name == "__assertfail") return Builtin::Assertfail;
  if (name == "malloc") return Builtin::Malloc;
  if (name == "free") return Builtin::Free;
  return find_launch_builtin(name);
}

bool needs_heap(Builtin b) {
  return b == Builtin::Malloc || b == Builtin::Free || b == Builtin::LaunchBuffer || b == Builtin::MallocTo ||
         b == Builtin::FreeStatus || b == Builtin::ErrorText;
}

void call_builtin(Warp& w, const CallInfo& info, Mask active) {
  switch (info.builtin) {
    case Builtin::Vprintf:
      vprintf_lanes(w, info, active);
      break;
    case Builtin::Assertfail:
      assert_failed(w, info, active);
    case Builtin::Malloc:
      allocate_lanes(w, info, active);
      break;
    case Builtin::Free:
      release_lanes(w, info, active);
      break;
    default:
      call_launch_builtin(w, info, active);
  }
}

}  // namespace heddle::exec
