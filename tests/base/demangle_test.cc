#include "base/demangle.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Demangle, NamesOfFunctionsAsWritten) {
  EXPECT_EQ(demangle("_Z7stencilPKfS0_Pfi"), "stencil(float const*, float const*, float*, int)");
  EXPECT_EQ(demangle("_ZN2ns6reduceILi32EEEvPi"), "void ns::reduce<32>(int*)");
}

TEST(Demangle, OtherNamesStay) {
  for (const char* name : {"", "stencil", "_Z", "_Znonsense", "i"}) EXPECT_EQ(demangle(name), name);
}

}  // namespace
}  // namespace heddle
