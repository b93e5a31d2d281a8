#include <numeric>

#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

class CopyTest : public RuntimeTest {
 protected:
  CopyTest() : host_(64) { std::iota(host_.begin(), host_.end(), 0u); }
  std::vector<std::uint32_t> host_;
};

TEST_F(CopyTest, BadPointersAreRefusedWithCudasCodes) {
  std::uint32_t* p = allocate(64);
  void* nowhere = reinterpret_cast<void*>(0x1234);
  EXPECT_EQ(cudaMemcpy(nowhere, host_.data(), 4, kToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(p, host_.data(), 4 * 65, kToDevice), cudaErrorInvalidValue) << "past the end";
  EXPECT_EQ(cudaMemcpy(nullptr, host_.data(), 4, kToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host_.data(), p, 4, kToDevice), cudaErrorInvalidValue) << "the wrong way round";
  EXPECT_EQ(cudaMemcpy(p, host_.data(), 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemset(nowhere, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, kToDevice), cudaSuccess) << "nothing to copy";
}

TEST_F(CopyTest, TheDefaultDirectionIsFoundFromThePointers) {
  std::uint32_t *a = allocate(64), *b = allocate(64);
  std::vector<std::uint32_t> back(64);
  ASSERT_EQ(cudaMemcpy(a, host_.data(), 256, cudaMemcpyDefault), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(b, a, 256, cudaMemcpyDefault), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(back.data(), b, 256, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back, host_);
}

TEST_F(CopyTest, RowsOfTwoDimensionsKeepTheirPitch) {
  void* p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 32, 8), cudaSuccess);
  EXPECT_GE(pitch, 32u);
  ASSERT_EQ(cudaMemset2D(p, pitch, 0xff, 32, 8), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(p, pitch, host_.data(), 32, 16, 8, kToDevice), cudaSuccess);
  std::vector<std::uint32_t> back(64);
  ASSERT_EQ(cudaMemcpy2D(back.data(), 32, p, pitch, 32, 8, kToHost), cudaSuccess);
  for (std::uint32_t y = 0; y < 8; ++y) {
    EXPECT_EQ(back[y * 8 + 3], y * 8 + 3);
    EXPECT_EQ(back[y * 8 + 4], ~0u);
  }
  EXPECT_EQ(cudaMemcpy2D(p, 8, host_.data(), 32, 16, 8, kToDevice), cudaErrorInvalidPitchValue);
}

TEST_F(CopyTest, AnArrayHoldsWhatWasCopiedIn) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc words_of{32, 0, 0, 0, cudaChannelFormatKindUnsigned};
  ASSERT_EQ(cudaMallocArray(&array, &words_of, 8, 8, 0), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DToArray(array, 0, 0, host_.data(), 32, 32, 8, kToDevice), cudaSuccess);
  std::vector<std::uint32_t> corner(4);
  ASSERT_EQ(cudaMemcpy2DFromArray(corner.data(), 8, array, 4 * 4, 2, 8, 2, kToHost), cudaSuccess);
  EXPECT_EQ(corner, (std::vector<std::uint32_t>{20, 21, 28, 29}));
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST_F(CopyTest, BoxesOfThreeDimensions) {
  std::uint32_t* p = allocate(64);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {host_.data(), 16, 16, 4};
  copy.dstPtr = {p, 16, 16, 4};
  copy.srcPos = {4, 1, 2};  // bytes, rows, layers
  copy.extent = {8, 2, 2};
  copy.kind = kToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  const std::vector<std::uint32_t> got = words(p, 64);
  EXPECT_EQ(got[0], 2u * 16 + 1 * 4 + 1);
  EXPECT_EQ(got[16 + 4 + 1], 3u * 16 + 2 * 4 + 2);
  EXPECT_EQ(got[2], 0u);
}

TEST_F(CopyTest, VariablesOfModules) {
  Program program(R"(
.version 7.0
.target sm_75
.address_size 64
.visible .const .align 4 .b8 table[16];
.visible .global .align 4 .u32 counter = 3;
.visible .entry count() {
  .reg .b32 %r<4>;
  ld.const.u32 %r1, [table+4]; atom.global.add.u32 %r2, [counter], %r1; ret;
}
)");
  static char table, counter;
  __cudaRegisterVar(program.handle(), &table, &table, "table", 0, 16, 1, 0);
  __cudaRegisterVar(program.handle(), &counter, &counter, "counter", 0, 4, 0, 0);
  const std::uint32_t five = 5;
  ASSERT_EQ(cudaMemcpyToSymbol(&table, &five, 4, 4, kToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(&table, &five, 4, 13, kToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&five, &five, 4, 0, kToDevice), cudaErrorInvalidSymbol);
  std::size_t size = 0;
  EXPECT_EQ(cudaGetSymbolSize(&size, &table), cudaSuccess);
  EXPECT_EQ(size, 16u);
  ASSERT_EQ(launch(program.kernel("count"), {}, {}, {}), cudaSuccess);
  std::uint32_t got = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&got, &counter, 4, 0, kToHost), cudaSuccess);
  EXPECT_EQ(got, 8u);
}

}  // namespace
}  // namespace heddle::runtime_test
