// The special registers of a warp: lane vectors that are filled when it starts.
#include <algorithm>
#include <new>
#include <utility>

#include "exec/image/kernel_image.h"
#include "exec/warp/context.h"
#include "exec/warp/cta.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

// Only the CTA's own coordinates differ from one CTA to the next on the same warp object, also in a later
// launch of the same shape.
void Warp::fill_specials() {
  using ptx::Sreg;
  const SpecialsKey now{image_,
                        context_->view,
                        context_->grid,
                        context_->block,
                        context_->shared_bytes,
                        context_->dynamic_shared,
                        context_->grid_workspace};
  if (specials_key_ == now) {
    bank_[Place::Specials] = specials_.get();
    fill_cta_specials();
    return;
  }
  specials_key_ = now;
  specials_cta_ = cta_->id;
  if (image_->special_bytes > specials_bytes_) {
    specials_bytes_ = image_->special_bytes;
    specials_.reset(static_cast<std::byte*>(::operator new (specials_bytes_, std::align_val_t{64})));
  }
  bank_[Place::Specials] = specials_.get();
  const auto& block = context_->block;
  const auto& grid = context_->grid;
  auto value = [&](Sreg r, std::uint32_t lane) -> std::uint64_t {
    const std::uint32_t t = index_ * kLanes + lane;
    const Mask bit = 1u << lane;
    switch (r) {
      case Sreg::TidX:
        return t % block.x;
      case Sreg::TidY:
        return t / block.x % block.y;
      case Sreg::TidZ:
        return t / block.x / block.y;
      case Sreg::NtidX:
        return block.x;
      case Sreg::NtidY:
        return block.y;
      case Sreg::NtidZ:
        return block.z;
      case Sreg::CtaidX:
        return cta_->id.x;
      case Sreg::CtaidY:
        return cta_->id.y;
      case Sreg::CtaidZ:
        return cta_->id.z;
      case Sreg::NctaidX:
        return grid.x;
      case Sreg::NctaidY:
        return grid.y;
      case Sreg::NctaidZ:
        return grid.z;
      case Sreg::Laneid:
        return lane;
      case Sreg::LanemaskEq:
        return bit;
      case Sreg::LanemaskLt:
        return bit - 1;
      case Sreg::LanemaskLe:
        return bit | (bit - 1);
      case Sreg::LanemaskGe:
        return ~(bit - 1);
      case Sreg::LanemaskGt:
        return ~(bit | (bit - 1));
      case Sreg::Warpid:
        return index_;
      case Sreg::Nwarpid:
        return (block.count() + kLanes - 1) / kLanes;
      case Sreg::Smid:
        return context_->view != nullptr ? context_->view->smid() : 0;
      case Sreg::Nsmid:
        return context_->view != nullptr ? context_->view->nsmid() : 1;
      case Sreg::DynamicSmemSize:
        return context_->dynamic_shared;
      case Sreg::TotalSmemSize:
        return context_->shared_bytes;
      case Sreg::Envreg1:
        return context_->grid_workspace >> 32;
      case Sreg::Envreg2:
        return context_->grid_workspace & 0xffffffffu;
      case Sreg::ClusterNctaidX:
      case Sreg::ClusterNctaidY:
      case Sreg::ClusterNctaidZ:
      case Sreg::ClusterNctarank:
        return 1;
      case Sreg::ReservedSmemEnd:
      case Sreg::ReservedSmemCap:
        return kReservedShared;
      case Sreg::ReservedSmem1:
        return kReservedShared / 4;
      default:
        return 0;
    }
  };
  for (const SpecialUse& use : image_->specials) {
    std::byte* to = specials_.get() + use.offset;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t v = value(use.reg, lane);
      if (use.wide)
        reinterpret_cast<std::uint64_t*>(to)[lane] = v;
      else
        reinterpret_cast<std::uint32_t*>(to)[lane] = static_cast<std::uint32_t>(v);
    }
  }
}

void Warp::fill_cta_specials() {
  using ptx::Sreg;
  const workload::Dim3 before = std::exchange(specials_cta_, cta_->id), now = cta_->id;
  if (now == before) return;
  const auto fill = [&](Sreg reg, std::uint32_t v) {
    for (const SpecialUse& use : image_->specials) {
      if (use.reg != reg) continue;
      std::byte* const to = specials_.get() + use.offset;
      if (use.wide)
        std::fill_n(reinterpret_cast<std::uint64_t*>(to), kLanes, std::uint64_t{v});
      else
        std::fill_n(reinterpret_cast<std::uint32_t*>(to), kLanes, v);
    }
  };
  if (now.x != before.x) fill(Sreg::CtaidX, now.x);
  if (now.y != before.y) fill(Sreg::CtaidY, now.y);
  if (now.z != before.z) fill(Sreg::CtaidZ, now.z);
}

}  // namespace heddle::exec
