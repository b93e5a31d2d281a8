#include "cta/cta_mapper.h"

#include <algorithm>
#include <array>

namespace heddle::cta {
namespace {

class Linear final : public CtaMapper {
 public:
  explicit Linear(const GridShape&) {}
  std::uint64_t cta(std::uint64_t place) const override { return place; }
};

// Down the columns of each layer: neighbours differ in y.
class ColumnMajor final : public CtaMapper {
 public:
  explicit ColumnMajor(const GridShape& grid) : grid_(grid) {}
  std::uint64_t cta(std::uint64_t place) const override {
    const std::uint64_t layer = std::uint64_t{grid_.x} * grid_.y, in_layer = place % layer;
    const std::uint64_t x = in_layer / grid_.y, y = in_layer % grid_.y;
    return place - in_layer + y * grid_.x + x;
  }

 private:
  GridShape grid_;
};

template <class M>
std::unique_ptr<CtaMapper> make(const GridShape& grid) {
  return std::make_unique<M>(grid);
}

constexpr std::array kMappers = {
    MapperKind{"linear", "x first, then y, then z: as CUDA numbers them", make<Linear>},
    MapperKind{"column_major", "y first, then x, then z: neighbours in the order stand below each other",
               make<ColumnMajor>},
};

}  // namespace

std::span<const MapperKind> mappers() {
  return kMappers;
}

std::unique_ptr<CtaMapper> make_mapper(std::string_view name, const GridShape& grid) {
  const auto kind =
      std::find_if(kMappers.begin(), kMappers.end(), [&](const auto& k) { return k.name == name; });
  return kind->make(grid);
}

}  // namespace heddle::cta
