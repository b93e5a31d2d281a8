#include "exec/link/frame_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/align.h"
#include "base/error.h"

namespace heddle::exec {
namespace {

using ptx::Function;
using ptx::Space;
using ptx::Variable;

}  // namespace

FrameLayout::FrameLayout(const Function& f) {
  std::uint64_t at = 0;
  std::uint64_t frame_align = 16;
  auto put = [&](const Variable& v) {
    at = align_up(at, v.align);
    frame_align = std::max<std::uint64_t>(frame_align, v.align);
    const auto offset = static_cast<std::uint32_t>(at);
    at += v.size;
    return offset;
  };
  if (!f.entry) {
    for (const Variable& v : f.returns) returns.push_back(put(v));
    for (const Variable& v : f.params) params.push_back(put(v));
  }
  for (const Variable& v : f.variables)
    variables.push_back(v.space == Space::Local || v.space == Space::Param ? put(v) : 0);
  // A call takes room for its return address: recursion without anything else on the stack ends, too.
  if (!f.entry) at = std::max<std::uint64_t>(at, 16);
  bytes = align_up(at, frame_align);
}

void FrameLayout::check(const ptx::Module& module, const Function& f) const {
  if (bytes <= kMostLocalBytes) return;
  const Variable* largest = nullptr;
  for (const auto* list : {&f.variables, &f.params, &f.returns})
    for (const Variable& v : *list)
      if ((v.space == Space::Local || v.space == Space::Param) &&
          (largest == nullptr || v.size > largest->size))
        largest = &v;
  throw Error(module.place(largest != nullptr ? largest->line : f.line),
              fmt::format("'{}' needs {} bytes of local memory for each thread; no card gives more than {}",
                          f.name, bytes, kMostLocalBytes),
              largest == nullptr
                  ? ""
                  : fmt::format("Its largest variable is '{}' with {} bytes.", largest->name, largest->size));
}

}  // namespace heddle::exec
