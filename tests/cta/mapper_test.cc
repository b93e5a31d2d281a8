// What holds for every order of CTAs, and what each one is.
#include "cta/cta_mapper.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::cta {
namespace {

TEST(Mappers, EveryCtaStandsAtOnePlace) {
  for (const MapperKind& kind : mappers())
    for (const GridShape& grid : {GridShape{1, 1, 1}, GridShape{7, 1, 1}, GridShape{1, 9, 1},
                                  GridShape{5, 3, 1}, GridShape{4, 6, 3}, GridShape{1, 1, 5}}) {
      SCOPED_TRACE(kind.name);
      const auto mapper = make_mapper(kind.name, grid);
      std::vector<int> seen(grid.ctas());
      for (std::uint64_t place = 0; place < grid.ctas(); ++place) {
        const std::uint64_t cta = mapper->cta(place);
        ASSERT_LT(cta, grid.ctas());
        EXPECT_EQ(++seen[cta], 1) << cta;
      }
    }
}

std::vector<std::uint64_t> order(const char* name, const GridShape& grid) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t p = 0; p < grid.ctas(); ++p) all.push_back(make_mapper(name, grid)->cta(p));
  return all;
}

TEST(Mappers, Orders) {
  EXPECT_EQ(order("linear", {3, 2, 2}), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(order("column_major", {3, 2, 2}),
            (std::vector<std::uint64_t>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

}  // namespace
}  // namespace heddle::cta
