// Every load front of the catalog keeps what sm/load_front.h asks, with its parameters as they are, at their
// least, and each changed alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/catalog.h"
#include "tests/contract/check_front.h"
#include "tests/contract/variants.h"

namespace heddle::contract {
namespace {

class FrontContract : public testing::TestWithParam<FrontVariant> {};

std::vector<FrontVariant> every_front() {
  std::vector<FrontVariant> all;
  for (const sm::LoadFrontKind& kind : gpu::load_fronts())
    for (FrontVariant& v : variants(kind)) all.push_back(std::move(v));
  return all;
}

TEST_P(FrontContract, IsKept) {
  const FrontReport report = check_front(GetParam().make);
  EXPECT_THAT(report.findings, testing::IsEmpty());
  EXPECT_GT(report.loads, 1000u);
  EXPECT_GT(report.requests, 1000u);
}

std::string test_name(const testing::TestParamInfo<FrontVariant>& variant) {
  std::string name = variant.param.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(EveryVariant, FrontContract, testing::ValuesIn(every_front()), test_name);

}  // namespace
}  // namespace heddle::contract
