// Drivers that are not there, and what is told of calls that fail.
#include "card/driver.h"

#include "tests/card/simulated_card.h"

namespace heddle::card {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string said_of(const char* file) {
  const Environment other(Driver::kVariable, file);
  try {
    const Driver driver;
  } catch (const NoCard& e) {
    return e.what();
  }
  return "no error";
}

TEST(CardDriver, SaysThatThereIsNone) {
  EXPECT_THAT(said_of("libno_driver_at_all.so.1"),
              AllOf(HasSubstr("no CUDA driver"), HasSubstr("libno_driver_at_all.so.1")));
  // A library, but no driver.
  EXPECT_THAT(said_of("libc.so.6"), AllOf(HasSubstr("libc.so.6"), HasSubstr("has no cuInit")));
}

TEST(CardDriver, KnowsTheCard) {
  const CardInfo& card = simulated_driver().info();
  EXPECT_EQ(card.sms, 80u);
  EXPECT_GT(card.l2_bytes, 1u << 20);
  EXPECT_FALSE(card.name.empty());
}

TEST(CardDriver, NamesTheCallAndTheErrorOfCuda) {
  try {
    CUdevice device = 0;
    simulated_driver().cuDeviceGet(&device, 77);
    FAIL() << "there is no device 77";
  } catch (const Error& e) {
    EXPECT_THAT(e.message(), AllOf(HasSubstr("cuDeviceGet"), HasSubstr("CUDA_ERROR_INVALID_DEVICE")));
    EXPECT_FALSE(e.advice().empty());
  }
}

}  // namespace
}  // namespace heddle::card
