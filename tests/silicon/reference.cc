#include "reference.h"
namespace silicon {
std::vector<std::uint32_t> reference(const LaunchSpec&) { return {}; }
}
