#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

class ErrorTest : public RuntimeTest {};

TEST_F(ErrorTest, CodesHaveNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(0), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorString(0), "no error");
  EXPECT_STREQ(cudaGetErrorName(700), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(700), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorName(123456), "unrecognized error code");
}

TEST_F(ErrorTest, TheLastErrorIsKeptUntilAskedFor) {
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(ErrorTest, AnEntryPointThatIsNotThereSaysSo) {
  testing::internal::CaptureStderr();
  char handle[64];
  EXPECT_EQ(cudaImportExternalMemory(handle, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaImportExternalMemory(handle, nullptr), cudaErrorNotSupported);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cudaImportExternalMemory is not supported"), std::string::npos) << text;
  EXPECT_EQ(text.find("cudaImport"), text.rfind("cudaImport")) << "told once: " << text;
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST_F(ErrorTest, AFaultIsToldByTheNextSynchronisationAndStays) {
  const void* fault = common().kernel("fault");
  void* nowhere = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(fault, {}, {}, {&nowhere}), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "a launch does not wait for its kernel";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("out-of-bounds store"), std::string::npos);
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress) << "asking for it does not heal the device";
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
}

TEST_F(ErrorTest, AMisalignedAccessHasItsOwnCode) {
  std::uint32_t* p = allocate(16);
  void* odd = reinterpret_cast<char*>(p) + 2;
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(common().kernel("fault"), {}, {}, {&odd}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace heddle::runtime_test
