#include "base/version.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Version, SaysWhichSourceItIs) {
  const BuildInfo& b = build_info();
  EXPECT_EQ(b.source_hash.size(), 64u);
  EXPECT_FALSE(b.release.empty());
  EXPECT_FALSE(b.compiler.empty());
  EXPECT_NE(version_line().find(b.source_hash.substr(0, 12)), std::string::npos);
}

}  // namespace
}  // namespace heddle
