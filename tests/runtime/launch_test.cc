#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

class LaunchTest : public RuntimeTest {};

TEST_F(LaunchTest, TheCompilersWayThroughTheCallConfiguration) {
  const void* fill = common().kernel("fill");
  std::uint32_t *p = allocate(128), value = 11;
  EXPECT_EQ(__cudaPushCallConfiguration({4}, {32}, 0, nullptr), 0u);
  dim3 grid, block;
  std::size_t shared = 1;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&kernel, fill), cudaSuccess);
  void* arguments[] = {&p, &value};
  ASSERT_EQ(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream), cudaSuccess);
  EXPECT_EQ(words(p, 128), std::vector<std::uint32_t>(128, 11));
}

TEST_F(LaunchTest, ShapesThatNoCardTakes) {
  const void* fill = common().kernel("fill");
  std::uint32_t *p = allocate(32), value = 1;
  EXPECT_EQ(launch(fill, {1}, {1025}, {&p, &value}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(fill, {0}, {32}, {&p, &value}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(fill, {1, 65536}, {32}, {&p, &value}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  cudaKernel_t kernel = nullptr;
  void* arguments[] = {&p, &value};
  ASSERT_EQ(__cudaGetKernel(&kernel, fill), cudaSuccess);
  EXPECT_EQ(__cudaLaunchKernel(kernel, {1}, {1025}, arguments, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&value, {1}, {32}, {&p, &value}), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "what was not launched cannot fail";
}

// Programs that do not look at the code would go on with wrong results and no word.
TEST_F(LaunchTest, PeopleAreToldOnceWhyAKernelWasNotLaunched) {
  Program program(R"(
.version 7.0
.target sm_75
.address_size 64
.entry wide() { ret; }
.entry greedy() { ret; }
.entry bounded() .maxntid 128, 1, 1 { ret; }
)");
  const void* wide = program.kernel("wide");
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(wide, {1, 65536}, {32}, {}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(wide, {1, 65536}, {32}, {}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: kernel 'wide' was not launched: a grid of 1 x 65536 x 1 CTAs, where at most "
            "2147483647 x 65535 x 65535 are possible\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(program.kernel("greedy"), {1}, {64}, {}, 49153), cudaErrorInvalidValue);
  EXPECT_EQ(launch(program.kernel("bounded"), {1}, {129}, {}), cudaErrorInvalidValue);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "heddle: kernel 'greedy' was not launched: 49153 bytes of dynamic shared memory, where 49152 are "
      "allowed; for more call cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) before\n"
      "heddle: kernel 'bounded' was not launched: a CTA of 129 threads, where its launch bounds allow 128\n");
}

TEST_F(LaunchTest, MuchSharedMemoryMustBeAskedFor) {
  constexpr int kMaxDynamicShared = 8;
  const void* shared = common().kernel("shared");
  std::uint32_t* p = allocate(64);
  EXPECT_EQ(launch(shared, {1}, {64}, {&p}, 49152), cudaSuccess);
  EXPECT_EQ(launch(shared, {1}, {64}, {&p}, 49153), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(shared, kMaxDynamicShared, 1 << 30), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(shared, kMaxDynamicShared, 65536), cudaSuccess);
  EXPECT_EQ(launch(shared, {1}, {64}, {&p}, 65536), cudaSuccess);
  EXPECT_EQ(words(p, 64)[63], 63u);
}

TEST_F(LaunchTest, KernelsOfOneNameBelongToTheirModules) {
  const std::string text = R"(
.version 7.0
.target sm_75
.address_size 64
.entry same(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, NUMBER; st.global.u32 [%rd1], %r1; ret;
}
)";
  auto with = [&](const char* number) {
    std::string t = text;
    return t.replace(t.find("NUMBER"), 6, number);
  };
  Program one(with("1")), two(with("2"));
  const void *first = one.kernel("same"), *second = two.kernel("same");
  std::uint32_t* p = allocate(1);
  ASSERT_EQ(launch(second, {}, {}, {&p}), cudaSuccess);
  EXPECT_EQ(words(p, 1)[0], 2u);
  ASSERT_EQ(launch(first, {}, {}, {&p}), cudaSuccess);
  EXPECT_EQ(words(p, 1)[0], 1u);
}

TEST_F(LaunchTest, WhatCannotBeExecutedRefusesOnlyItsOwnKernel) {
  Program program(R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry tensor() { .reg .b32 %r<9>;
  wgmma.fence.sync.aligned; ret; }
.visible .entry plain(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, 4; st.global.u32 [%rd1], %r1; ret;
}
)");
  std::uint32_t* p = allocate(1);
  ASSERT_EQ(launch(program.kernel("plain"), {}, {}, {&p}), cudaSuccess);
  EXPECT_EQ(words(p, 1)[0], 4u);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(program.kernel("tensor"), {}, {}, {}), cudaErrorNotSupported);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("wgmma"), std::string::npos) << text;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(LaunchTest, TextThatIsNotPtx) {
  Program program(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry broken( {\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(program.kernel("broken"), {}, {}, {}), cudaErrorInvalidPtx);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(":4:"), std::string::npos);
}

TEST_F(LaunchTest, ManagedVariablesAreFilledInBeforeTheHostUsesThem) {
  Program program(R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 shared_word = 6;
.visible .entry twice() {
  .reg .b32 %r<3>; ld.global.u32 %r1, [shared_word]; add.u32 %r2, %r1, %r1; st.global.u32 [shared_word], %r2; ret;
}
)");
  static std::uint32_t* word = nullptr;
  __cudaRegisterManagedVar(program.handle(), reinterpret_cast<void**>(&word), nullptr, "shared_word", 0, 4, 0,
                           0);
  ASSERT_EQ(__cudaInitModule(program.handle()), 1);
  ASSERT_NE(word, nullptr);
  EXPECT_EQ(*word, 6u);
  *word = 10;
  ASSERT_EQ(launch(program.kernel("twice"), {}, {}, {}), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*word, 20u);
}

TEST_F(LaunchTest, OccupancyIsTheSimulatorsOwn) {
  const void* fill = common().kernel("fill");
  int ctas = 0, threads = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, fill, 256, 0), cudaSuccess);
  constexpr int kThreadsPerSm = 39;
  ASSERT_EQ(cudaDeviceGetAttribute(&threads, kThreadsPerSm, 0), cudaSuccess);
  EXPECT_EQ(ctas, threads / 256) << "a kernel of a few registers is limited by threads";
  cudaFuncAttributes a{};
  ASSERT_EQ(cudaFuncGetAttributes(&a, fill), cudaSuccess);
  EXPECT_EQ(a.maxThreadsPerBlock, 1024);
  EXPECT_GT(a.numRegs, 0);
  std::uint32_t *p = allocate(1), value = 0;
  void* arguments[] = {&p, &value};
  EXPECT_EQ(cudaLaunchCooperativeKernel(fill, {1u << 20}, {256}, arguments, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(LaunchTest, WhatKernelsPrintAppearsWhenTheHostWaits) {
  Program program(R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry say() {
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  mov.u64 %rd1, text; cvta.global.u64 %rd2, %rd1; mov.u64 %rd1, 0;
  { .param .b64 p0; .param .b64 p1; .param .b32 ret0;
    st.param.b64 [p0], %rd2; st.param.b64 [p1], %rd1;
    call.uni (ret0), vprintf, (p0, p1); ld.param.b32 %r1, [ret0]; }
  ret;
}
)");
  testing::internal::CaptureStdout();
  EXPECT_EQ(launch(program.kernel("say"), {}, {2}, {}), cudaSuccess);
  std::printf("host\n");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "host\nhi\nhi\n");
}

// More than a card keeps: what is over 1 MiB appears before the host waits, and none of it is lost.
TEST_F(LaunchTest, MuchThatKernelsPrintIsNotKept) {
  const std::string line = std::string(1000, 'x') + "\n";
  std::string codes;
  for (const char c : line) codes += std::to_string(static_cast<int>(c)) + ", ";
  Program program(R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[1002] = {)" +
                  codes +
                  R"(0};
.visible .entry say() {
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  mov.u64 %rd1, text; cvta.global.u64 %rd2, %rd1; mov.u64 %rd1, 0;
  { .param .b64 p0; .param .b64 p1; .param .b32 ret0;
    st.param.b64 [p0], %rd2; st.param.b64 [p1], %rd1;
    call.uni (ret0), vprintf, (p0, p1); ld.param.b32 %r1, [ret0]; }
  ret;
}
)");
  constexpr std::size_t kLines = 5120, kKept = std::size_t{1} << 20;
  testing::internal::CaptureStdout();  // into a file
  EXPECT_EQ(launch(program.kernel("say"), {kLines / 64}, {64}, {}), cudaSuccess);
  struct stat file {};
  EXPECT_EQ(fstat(STDOUT_FILENO, &file), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::string all;
  for (std::size_t i = 0; i < kLines; ++i) all += line;
  EXPECT_TRUE(testing::internal::GetCapturedStdout() == all);
  EXPECT_GE(static_cast<std::size_t>(file.st_size) + kKept, all.size());
}

// Thread t of `parent` launches child(p + t, t) with one thread; children write behind their parent.
constexpr const char* kNested = R"(
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12],
  .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 p, .param .b64 s);
.visible .entry child(.param .u64 p, .param .u32 v) {
  .reg .b64 %rd1; .reg .b32 %r<4>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];
  ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;
}
.visible .entry parent(.param .u64 p) {
  .reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .pred %p1;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
  mov.u64 %rd4, child;
  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
    st.param.b64 [f], %rd4; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd5, [r]; }
  st.u64 [%rd5], %rd3; st.u32 [%rd5+8], %r1;
  { .param .b64 a; .param .b64 s; .param .b32 r; st.param.b64 [a], %rd5; st.param.b64 [s], 0;
    call (r), __cudaCDP2LaunchDeviceV2, (a, s); ld.param.b32 %r2, [r]; }
  st.global.u32 [%rd3], 1000; ret;
}
)";

TEST_F(LaunchTest, KernelsThatLaunchKernels) {
  static Program& nested = *new Program(kNested);
  std::uint32_t* p = allocate(40);
  ASSERT_EQ(launch(nested.kernel("parent"), {1}, {40}, {&p}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 40; ++i) expected.push_back(1000 + i);
  EXPECT_EQ(words(p, 40), expected);
}

// Copies and fills by a kernel: p[8..16) = p[0..8) once the child has added 7 to p[0]; then the first two
// bytes of the rows p[16] and p[20] become 0x55 (pitch 16). What cudaGetErrorString says is printed.
constexpr const char* kTransfers = R"(
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12],
  .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 p, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2MemcpyAsync (.param .b64 t, .param .b64 f, .param .b64 n, .param .b32 k,
  .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2Memset2DAsync (.param .b64 t, .param .b64 p, .param .b32 v, .param .b64 w,
  .param .b64 h, .param .b64 s);
.extern .func (.param .b64 r) __cudaCDP2GetErrorString (.param .b32 e);
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.visible .entry child(.param .u64 p) {
  .reg .b64 %rd1; .reg .b32 %r<3>; ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 7; st.global.u32 [%rd1], %r2; ret;
}
.visible .entry parent(.param .u64 p, .param .u64 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [n]; mov.u64 %rd4, child;
  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
    st.param.b64 [f], %rd4; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd5, [r]; }
  st.u64 [%rd5], %rd1;
  { .param .b64 a; .param .b64 s; .param .b32 r; st.param.b64 [a], %rd5; st.param.b64 [s], 0;
    call (r), __cudaCDP2LaunchDeviceV2, (a, s); ld.param.b32 %r1, [r]; }
  add.u64 %rd6, %rd1, 32;
  { .param .b64 t; .param .b64 f; .param .b64 n; .param .b32 k; .param .b64 s; .param .b32 r;
    st.param.b64 [t], %rd6; st.param.b64 [f], %rd1; st.param.b64 [n], %rd2; st.param.b32 [k], 3; st.param.b64 [s], 0;
    call (r), __cudaCDP2MemcpyAsync, (t, f, n, k, s); ld.param.b32 %r1, [r]; }
  add.u64 %rd7, %rd1, 64;
  { .param .b64 t; .param .b64 p; .param .b32 v; .param .b64 w; .param .b64 h; .param .b64 s; .param .b32 r;
    st.param.b64 [t], %rd7; st.param.b64 [p], 16; st.param.b32 [v], 85; st.param.b64 [w], 2; st.param.b64 [h], 2;
    st.param.b64 [s], 0; call (r), __cudaCDP2Memset2DAsync, (t, p, v, w, h, s); ld.param.b32 %r1, [r]; }
  { .param .b32 e; .param .b64 r; st.param.b32 [e], %r1; call (r), __cudaCDP2GetErrorString, (e);
    ld.param.b64 %rd8, [r]; }
  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd8; st.param.b64 [a], 0;
    call (r), vprintf, (f, a); ld.param.b32 %r2, [r]; }
  ret;
}
)";

TEST_F(LaunchTest, KernelsThatCopyAndFill) {
  static Program& program = *new Program(kTransfers);
  std::uint32_t *p = allocate(24), fill = 5;
  std::uint64_t bytes = 32;
  ASSERT_EQ(launch(common().kernel("fill"), {1}, {24}, {&p, &fill}), cudaSuccess);
  testing::internal::CaptureStdout();
  ASSERT_EQ(launch(program.kernel("parent"), {1}, {1}, {&p, &bytes}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "no error");
  const std::vector<std::uint32_t> w = words(p, 24);
  EXPECT_EQ(w[0], 12u);
  EXPECT_EQ(w[8], 12u) << "behind the launch that was asked for before";
  EXPECT_EQ(w[15], 5u);
  EXPECT_EQ(w[16], 0x5555u);
  EXPECT_EQ(w[17], 5u);
  EXPECT_EQ(w[20], 0x5555u);
  bytes = 1u << 30;
  testing::internal::CaptureStdout();
  launch(program.kernel("parent"), {1}, {1}, {&p, &bytes});
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess) << "not all of it is there";
  testing::internal::GetCapturedStdout();
}

}  // namespace
}  // namespace heddle::runtime_test
