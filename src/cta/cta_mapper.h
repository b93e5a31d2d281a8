// Slot: the order of a grid's CTAs.
//
// CTA schedulers (cta/cta_scheduler.h) give out places 0, 1, 2, ... of an order; a mapper says which CTA of
// the grid stands at a place. That is what software does that computes its block's coordinates anew: the
// hardware's scheduling stays, other CTAs become neighbours. Every CTA stands at exactly one place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace heddle::cta {

struct GridShape {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t ctas() const { return std::uint64_t{x} * y * z; }
};

class CtaMapper {
 public:
  virtual ~CtaMapper() = default;
  // The CTA (its linear number: x first, then y, then z) at `place` < ctas().
  virtual std::uint64_t cta(std::uint64_t place) const = 0;
};

struct MapperKind {
  std::string_view name, description;
  std::unique_ptr<CtaMapper> (*make)(const GridShape& grid);
};
std::span<const MapperKind> mappers();
std::unique_ptr<CtaMapper> make_mapper(std::string_view name, const GridShape& grid);  // a known name

}  // namespace heddle::cta
