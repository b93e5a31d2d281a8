// That the host part needs no more than C++14 (see CMakeLists.txt); compiling is the test.
#include "heddle/cta_clustering/claim.h"

static_assert(__cplusplus < 201703L, "this file is to be compiled as C++14");

namespace heddle {
namespace clustering {

struct NoMemory {
  static std::uint32_t add(std::uint32_t*, std::uint32_t) { return 0; }
  static std::uint32_t compare_and_swap(std::uint32_t*, std::uint32_t, std::uint32_t) { return 0; }
  static std::uint32_t load(const std::uint32_t*) { return 0; }
  static void store(std::uint32_t*, std::uint32_t) {}
  static void fence() {}
  static void pause() {}
};
template class Pool<NoMemory>;

}  // namespace clustering
}  // namespace heddle
