#include "exec/link/operand_banks.h"

#include <cstring>

#include "base/align.h"

namespace heddle::exec {
namespace {

std::uint32_t vector_bytes(bool wide) {
  return static_cast<std::uint32_t>(wide ? 2 * kSlotBytes : kSlotBytes);
}

}  // namespace

Place ConstantBank::add(std::uint64_t value, bool wide) {
  const auto [it, added] = offset_.try_emplace({value, wide}, bytes_);
  if (added) bytes_ += vector_bytes(wide);
  return Place(Place::Constants, it->second);
}

void ConstantBank::finish(KernelImage& image) const {
  image.constants.assign(bytes_ / 8 + 8, 0);
  const auto start = reinterpret_cast<std::uintptr_t>(image.constants.data());
  image.constant_bank = reinterpret_cast<std::byte*>(align_up(start, 64));
  for (const auto& [key, offset] : offset_) {
    std::byte* const p = image.constant_bank + offset;
    const auto narrow = static_cast<std::uint32_t>(key.first);
    for (int i = 0; i < kLanes; ++i) {
      if (key.second)
        std::memcpy(p + 8 * i, &key.first, 8);
      else
        std::memcpy(p + 4 * i, &narrow, 4);
    }
  }
}

Place SpecialBank::add(ptx::Sreg reg, bool wide) {
  const auto [it, added] = offset_.try_emplace({reg, wide}, image_.special_bytes);
  if (added) {
    image_.specials.push_back({reg, wide, image_.special_bytes});
    image_.special_bytes += vector_bytes(wide);
  }
  return Place(Place::Specials, it->second);
}

}  // namespace heddle::exec
