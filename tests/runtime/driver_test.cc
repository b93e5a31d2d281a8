#include <cstring>

#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

class DriverTest : public RuntimeTest {};

constexpr const char* kModule = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 base = 100;
.visible .entry offset(.param .u64 p, .param .u32 v) {
  .reg .b64 %rd<4>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; ld.global.u32 %r2, [base]; add.u32 %r3, %r1, %r2;
  mov.u32 %r4, %tid.x; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3; ret;
}
)";

TEST_F(DriverTest, ModulesFromTextAndLaunches) {
  ASSERT_EQ(cuInit(0), cudaSuccess);
  void *context = nullptr, *module = nullptr, *function = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), cudaSuccess);
  ASSERT_EQ(cuModuleLoadData(&module, kModule), cudaSuccess);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "nothing"), cudaErrorSymbolNotFound);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "offset"), cudaSuccess);
  std::uint64_t p = 0, base = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal_v2(&base, &bytes, module, "base"), cudaSuccess);
  EXPECT_EQ(bytes, 4u);
  ASSERT_EQ(cuMemsetD32_v2(base, 200, 1), cudaSuccess);
  ASSERT_EQ(cuMemAlloc_v2(&p, 4 * 32), cudaSuccess);
  std::uint32_t value = 5, got[32] = {};
  void* arguments[] = {&p, &value};
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), cudaSuccess);
  ASSERT_EQ(cuCtxSynchronize(), cudaSuccess);
  ASSERT_EQ(cuMemcpyDtoH_v2(got, p, sizeof got), cudaSuccess);
  EXPECT_EQ(got[31], 205u);
  // The same state as the runtime's.
  EXPECT_EQ(words(reinterpret_cast<void*>(p), 32)[0], 205u);
  EXPECT_EQ(cuMemFree_v2(p), cudaSuccess);
}

TEST_F(DriverTest, PackedArguments) {
  void *module = nullptr, *function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, kModule), cudaSuccess);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "offset"), cudaSuccess);
  struct {
    std::uint32_t* p;
    std::uint32_t v;
  } packed{allocate(4), 1};
  std::size_t bytes = 12;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &bytes, nullptr};
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra), cudaSuccess);
  EXPECT_EQ(words(packed.p, 4)[3], 101u);
}

TEST_F(DriverTest, AddressesOfEntryPoints) {
  void* address = nullptr;
  int status = -1;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &address, 13000, 0, &status), cudaSuccess);
  EXPECT_EQ(address, reinterpret_cast<void*>(&cuMemAlloc_v2)) << "the newest form";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(cuGetProcAddress_v2("cuNothing", &address, 13000, 0, &status), cudaErrorSymbolNotFound);
  const char* name = nullptr;
  EXPECT_EQ(cuGetErrorName(1, &name), cudaSuccess);
  EXPECT_STREQ(name, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_EQ(cuGetErrorName(4711, &name), cudaErrorInvalidValue);
}

// Programs that load the driver themselves ask for these, too, and end when one is not there.
TEST_F(DriverTest, ThereIsAProfilerToSwitch) {
  EXPECT_EQ(cuProfilerStart(), cudaSuccess);
  EXPECT_EQ(cuProfilerStop(), cudaSuccess);
}

TEST_F(DriverTest, AModuleWithoutAnyGoodKernelIsRefused) {
  testing::internal::CaptureStderr();
  void* module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module,
                             ".version 7.0\n.target sm_75\n.address_size 64\n.entry bad() { nonsense; }\n"),
            cudaErrorInvalidPtx);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("nonsense"), std::string::npos);
}

TEST_F(DriverTest, TextsAreLinked) {
  constexpr const char* kCaller =
      ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func (.param .b32 r) seven ();\n"
      ".visible .entry give(.param .u64 p) { .reg .b64 %rd1; .reg .b32 %r1; ld.param.u64 %rd1, [p];\n"
      "{ .param .b32 b; call (b), seven, (); ld.param.b32 %r1, [b]; } st.global.u32 [%rd1], %r1; ret; }\n";
  constexpr const char* kCallee =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .func (.param .b32 r) seven () { st.param.b32 [r], 7; ret; }\n";
  char log[16] = "old";
  const int names[] = {3, 4};  // the log, and its size
  void *values[] = {log, reinterpret_cast<void*>(16)}, *state = nullptr, *image = nullptr, *module = nullptr,
       *function = nullptr;
  std::size_t bytes = 0;
  ASSERT_EQ(cuLinkCreate_v2(2, names, values, &state), cudaSuccess);
  for (const char* text : {kCaller, kCallee})
    ASSERT_EQ(cuLinkAddData_v2(state, 1, const_cast<char*>(text), std::strlen(text) + 1, nullptr, 0, nullptr,
                               nullptr),
              cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuLinkAddData_v2(state, 3, const_cast<char*>("object"), 7, nullptr, 0, nullptr, nullptr),
            cudaErrorNotSupported);
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(cuLinkComplete(state, &image, &bytes), cudaSuccess);
  EXPECT_STREQ(log, "");
  ASSERT_EQ(cuModuleLoadData(&module, image), cudaSuccess);
  EXPECT_EQ(cuLinkDestroy(state), cudaSuccess);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "give"), cudaSuccess);
  std::uint32_t* p = allocate(1);
  void* arguments[] = {&p};
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), cudaSuccess);
  EXPECT_EQ(words(p, 1)[0], 7u);
}

TEST_F(DriverTest, MappedMemoryKeepsItsContent) {
  constexpr std::size_t kPiece = 2 << 20;
  struct Properties {
    int type, handles;
    int location[2];
    void* none;
    unsigned char flags[8];
  };
  const Properties properties = {1, 0, {1, 0}, nullptr, {}};
  std::uint64_t a = 0, b = 0;
  void* memory = nullptr;
  std::uint32_t got = 0;
  ASSERT_EQ(cuMemAddressReserve(&a, kPiece, 0, 0, 0), cudaSuccess);
  ASSERT_EQ(cuMemAddressReserve(&b, kPiece, 0, 0, 0), cudaSuccess);
  EXPECT_EQ(cuMemCreate(&memory, kPiece + 1, &properties, 0), cudaErrorInvalidValue);
  ASSERT_EQ(cuMemCreate(&memory, kPiece, &properties, 0), cudaSuccess);
  ASSERT_EQ(cuMemMap(a, kPiece, 0, memory, 0), cudaSuccess);
  ASSERT_EQ(cuMemsetD32_v2(a, 42, kPiece / 4), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuMemMap(b, kPiece, 0, memory, 0), cudaErrorNotSupported) << "two addresses at once";
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(cuMemUnmap(a, kPiece), cudaSuccess);
  ASSERT_EQ(cuMemMap(b, kPiece, 0, memory, 0), cudaSuccess);
  ASSERT_EQ(cuMemcpyDtoH_v2(&got, b + kPiece - 4, 4), cudaSuccess);
  EXPECT_EQ(got, 42u);
  void* other = nullptr;
  ASSERT_EQ(cuMemCreate(&other, kPiece, &properties, 0), cudaSuccess);
  EXPECT_EQ(cuMemMap(b, kPiece, 0, other, 0), cudaErrorInvalidValue) << "the place is taken";
  EXPECT_EQ(cuMemRelease(other), cudaSuccess);
  EXPECT_EQ(cuMemRelease(memory), cudaSuccess);
  EXPECT_EQ(cuMemUnmap(b, kPiece), cudaSuccess);
  EXPECT_EQ(cuMemMap(a, kPiece, 0, memory, 0), cudaErrorInvalidValue) << "it is gone";
  // Cards since 8.0 have memory that may be compressed; programs ask for it back.
  constexpr int kMajor = 75, kCompression = 107;
  int major = 0, compression = 7;
  ASSERT_EQ(cudaDeviceGetAttribute(&major, kMajor, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&compression, kCompression, 0), cudaSuccess);
  EXPECT_EQ(compression, major >= 8 ? 1 : 0);
  Properties compressible = properties, given = properties;
  compressible.flags[0] = 1;
  ASSERT_EQ(cuMemCreate(&memory, kPiece, &compressible, 0), cudaSuccess);
  ASSERT_EQ(cuMemGetAllocationPropertiesFromHandle(&given, memory), cudaSuccess);
  EXPECT_EQ(given.flags[0], 1);
  EXPECT_EQ(cuMemRelease(memory), cudaSuccess);
  EXPECT_EQ(cuMemAddressFree(a, kPiece), cudaSuccess);
}

}  // namespace
}  // namespace heddle::runtime_test
