// What functions that the device calls and Heddle provides share: their arguments, memory they may reach.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "exec/builtins/builtins.h"
#include "exec/warp/context.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

// Host memory behind a generic address of one lane; `left` receives how many bytes follow. nullptr: none.
const std::byte* generic_pointer(Warp& w, int lane, std::uint64_t a, std::uint64_t* left);

// For `malloc`. 0: no room.
mem::Address allocate(Warp& w, std::uint64_t bytes, const char* label);
void release_lanes(Warp& w, const CallInfo& info, Mask active);

template <class T>
T argument(Warp& w, const CallInfo& info, int lane, std::size_t i) {
  T v{};
  if (i < info.arguments.size())
    std::memcpy(&v, w.local(lane) + w.local_base() + info.arguments[i].caller,
                std::min<std::size_t>(sizeof v, info.arguments[i].bytes));
  return v;
}

template <class T>
void set_result(Warp& w, const CallInfo& info, int lane, T v) {
  if (!info.results.empty())
    std::memcpy(w.local(lane) + w.local_base() + info.results[0].caller, &v,
                std::min<std::size_t>(sizeof v, info.results[0].bytes));
}

// Functions of the device runtime (dynamic parallelism, graphs). None when the name is not one of them.
Builtin find_launch_builtin(std::string_view name);
void call_launch_builtin(Warp& w, const CallInfo& info, Mask active);

}  // namespace heddle::exec
