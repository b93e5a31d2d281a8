#include "tests/runtime/program.h"

#include <cstring>
#include <map>

namespace heddle::runtime_test {
namespace {

// A container with one stored PTX entry (docs/exec.md).
std::vector<std::byte> container(const std::string& ptx) {
  constexpr std::size_t kHeader = 16, kEntry = 64;
  const std::size_t payload = (ptx.size() + 1 + 7) / 8 * 8;
  std::vector<std::byte> bytes(kHeader + kEntry + payload);
  auto put = [&](std::size_t at, auto value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
  put(0, std::uint32_t{0xba55ed50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{kHeader});
  put(8, std::uint64_t{kEntry + payload});
  put(kHeader + 0x00, std::uint16_t{1});
  put(kHeader + 0x02, std::uint16_t{0x101});
  put(kHeader + 0x04, std::uint32_t{kEntry});
  put(kHeader + 0x08, std::uint64_t{payload});
  put(kHeader + 0x18, std::uint16_t{0});
  put(kHeader + 0x1a, std::uint16_t{7});
  put(kHeader + 0x1c, std::uint32_t{75});
  put(kHeader + 0x38, std::uint64_t{ptx.size() + 1});
  std::memcpy(bytes.data() + kHeader + kEntry, ptx.c_str(), ptx.size());
  return bytes;
}

constexpr const char* kCommon = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 v) {
  .reg .b64 %rd<4>; .reg .b32 %r<6>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r5, [v];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5; ret;
}
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r5, [v];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r6, [%rd3]; add.u32 %r7, %r6, %r5;
  st.global.u32 [%rd3], %r7; ret;
}
.extern .shared .align 4 .b8 dynamic[];
.visible .entry shared(.param .u64 p) {
  .reg .b64 %rd<4>; .reg .b32 %r<6>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, dynamic; add.u32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r5, [%r4];
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5; ret;
}
.visible .entry fault(.param .u64 p) {
  .reg .b64 %rd<4>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;
}
)";

}  // namespace

Program::Program(const std::string& ptx)
    : container_(new std::vector<std::byte>(container(ptx))),
      wrapper_(new FatBinaryWrapper{0x466243b1, 1, container_->data(), nullptr}),
      handle_(__cudaRegisterFatBinary(wrapper_)) {}

const void* Program::kernel(const std::string& name) {
  // Any address that nothing else has.
  auto* host = new std::string(name);
  __cudaRegisterFunction(handle_, host->data(), host->data(), host->c_str(), -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  return host->data();
}

Program& common() {
  static Program program(kCommon);
  return program;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, std::vector<void*> arguments,
                   std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(function, grid, block, arguments.data(), shared, stream);
}

std::vector<std::uint32_t> words(const void* device, std::size_t count) {
  std::vector<std::uint32_t> host(count);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 4 * count, kToHost), cudaSuccess);
  return host;
}

std::uint32_t* RuntimeTest::allocate(std::size_t count) {
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 4 * count), cudaSuccess);
  return static_cast<std::uint32_t*>(p);
}

}  // namespace heddle::runtime_test
