// What networks tell of their hardware.
#include <gtest/gtest.h>

#include <numeric>

#include "noc/structure.h"
#include "tests/noc/rig.h"

namespace heddle::noc {
namespace {

class NetworkStructure : public testing::Test {
 protected:
  mem::Structure of(std::string_view topology, std::uint32_t inputs, std::uint32_t outputs) {
    config::Config none;
    config::Reader defaults(&none, nullptr);
    const auto design = find_topology(topology, topologies()).read(defaults);
    return design->structure(spec, place_of(inputs, outputs, map, core, {}), traffic);
  }
  const mem::AddressMap map{mem::AddressMapSpec{}};
  Frequency core = 1400_MHz;
  NetworkSpec spec;
  Traffic traffic;
};

}  // namespace
}  // namespace heddle::noc
