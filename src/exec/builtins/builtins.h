// Device functions that the driver provides: printf, assert, malloc, launches.
#pragma once

#include <string_view>

#include "exec/image/kernel_image.h"

namespace heddle::exec {

// None when the name is not one of them.
Builtin find_builtin(std::string_view name);
bool needs_heap(Builtin builtin);
// It leaves work behind that follows the kernel.
bool launches(Builtin builtin);

// Executes the builtin for the active lanes; arguments and result lie in the caller's frame.
void call_builtin(Warp& warp, const CallInfo& info, Mask active);

}  // namespace heddle::exec
