#include "base/demangle.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Demangle, BaseNames) {
  EXPECT_EQ(base_name("_Z7stencilPKfS0_Pfi"), "stencil");
  EXPECT_EQ(base_name("_ZN2ns3addIfEEvPT_"), "ns::add");  // void ns::add<float>(float*)
  EXPECT_EQ(base_name("plain"), "plain");
  EXPECT_EQ(base_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(instance_name("_ZN2ns3addIfEEvPT_"), "ns::add<float>");
  EXPECT_EQ(instance_name("_Z3mapI4pairIifELi3EEvPT_"), "map<pair<int, float>, 3>");
  EXPECT_EQ(instance_name("_Z7stencilPKfS0_Pfi"), "stencil");
}

}  // namespace
}  // namespace heddle
