// Memory, modules, variables, textures and launches of a card.
#include "card/card_device.h"

#include <numeric>

#include "base/error.h"
#include "tests/card/simulated_card.h"

namespace heddle::card {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using workload::DevicePtr;

std::string failure(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(CardMemory, IsZeroAndKeepsWhatIsCopied) {
  CardDevice device(simulated_driver(), {});
  std::vector<std::uint32_t> values(1000);
  std::iota(values.begin(), values.end(), 7u);
  const DevicePtr used = device.upload(values, "values");
  EXPECT_EQ(device.download<std::uint32_t>(used, 1000), values);
  device.fill(used + 4, 0xff, 8);
  EXPECT_EQ(device.download<std::uint32_t>(used, 4), (std::vector<std::uint32_t>{7, ~0u, ~0u, 10}));
  device.release(used);
  EXPECT_THAT(device.download<std::uint32_t>(device.allocate(4000, "again"), 1000), Each(0u));
  device.copy_in(device.allocate(0, "nothing"), nullptr, 0);
}

TEST(CardModules, HaveVariablesAndKernels) {
  CardDevice device(simulated_driver(), {});
  device.load_module(increment_ptx(), "increment.ptx");
  std::uint64_t bytes = 0;
  const DevicePtr step = device.symbol("step", &bytes);
  EXPECT_EQ(bytes, 4u);
  const std::uint32_t three = 3;
  device.copy_in(step, &three, sizeof three);
  const DevicePtr a = device.upload(std::vector<std::uint32_t>(100, 5), "a");
  device.launch(increment(a, 100));
  EXPECT_THAT(device.download<std::uint32_t>(a, 100), Each(8u));
  EXPECT_THAT(failure([&] { device.symbol("stpe"); }), HasSubstr("'stpe'"));
  workload::Launch other = increment(a, 100);
  other.kernel = "decrement";
  EXPECT_THAT(failure([&] { device.launch(other); }), HasSubstr("'decrement'"));
}

TEST(CardModules, TellWhatTheCompilerSays) {
  CardDevice device(simulated_driver(), {});
  const std::string bad =
      std::string(kHead) + ".visible .entry k() {\n  no_such_instruction %r1;\n  ret;\n}\n";
  EXPECT_THAT(failure([&] { device.load_module(bad, "bad.ptx"); }),
              AllOf(HasSubstr("bad.ptx"), HasSubstr("cuModuleLoadDataEx"),
                    HasSubstr("CUDA_ERROR_INVALID_PTX"), HasSubstr("no_such_instruction")));
}

TEST(CardLaunches, ThatFailNameTheKernel) {
  CardDevice device(simulated_driver(), {});
  device.load_module(increment_ptx(), "increment.ptx");
  EXPECT_THAT(failure([&] { device.launch(increment(DevicePtr{64}, 100)); }),
              AllOf(HasSubstr("kernel 'increment'"), HasSubstr("CUDA_ERROR")));
}

// fetch(u64 texture, u32* out): out[tid] = the texel of its number, or of column tid of row 1.
std::string fetch_ptx(const std::string& geometry) {
  const std::string fetch = geometry == "2d" ? "tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1, %r6}];"
                                             : "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1}];";
  return std::string(kHead) + R"(
.visible .entry fetch(.param .u64 t, .param .u64 out) {
.reg .b32 %r<8>; .reg .b64 %rd<6>;
ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out];
cvta.to.global.u64 %rd3, %rd2;
mov.u32 %r1, %tid.x; mov.u32 %r6, 1;
)" + fetch +
         R"(
mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
st.global.u32 [%rd5], %r2;
ret; }
)";
}

workload::Launch fetch(std::uint64_t texture, DevicePtr out, std::uint32_t threads) {
  workload::Launch l;
  l.kernel = "fetch";
  l.block = {threads, 1, 1};
  l.args = workload::args(texture, out);
  return l;
}

TEST(CardTextures, LinearAndOfRows) {
  std::vector<std::uint16_t> texels(64);
  std::iota(texels.begin(), texels.end(), std::uint16_t{100});
  for (const bool rows : {false, true}) {
    CardDevice device(simulated_driver(), {});
    device.load_module(fetch_ptx(rows ? "2d" : "1d"), "fetch.ptx");
    const DevicePtr from = device.upload(texels, "texels"), out = device.allocate(16 * 4, "out");
    workload::TextureView view{from, workload::TexelKind::Unsigned, 16, 1, rows ? 32u : 64u, rows ? 2u : 0u};
    device.launch(fetch(device.texture(view), out, 16));
    const std::vector<std::uint32_t> got = device.download<std::uint32_t>(out, 16);
    for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(got[i], (rows ? 132 : 100) + i) << rows;
  }
}

TEST(CardTextures, AreDescribedAsTheDriverWants) {
  const TextureDescription floats = describe({.texels = DevicePtr{512}, .width = 8});
  EXPECT_EQ(floats.resource.resType, CU_RESOURCE_TYPE_LINEAR);
  EXPECT_EQ(floats.resource.res.linear.format, CU_AD_FORMAT_FLOAT);
  EXPECT_EQ(floats.resource.res.linear.sizeInBytes, 32u);
  EXPECT_EQ(floats.texture.flags, 0u);
  EXPECT_THAT(floats.texture.addressMode, Each(kAddressClamp));
  workload::TextureView bytes{DevicePtr{512}, workload::TexelKind::Signed, 8, 4, 16, 3};
  EXPECT_EQ(describe(bytes).resource.res.pitch2D.pitchInBytes, 64u);
  EXPECT_EQ(describe(bytes).resource.res.pitch2D.format, CU_AD_FORMAT_SIGNED_INT8);
  EXPECT_EQ(describe(bytes).texture.flags, CU_TRSF_READ_AS_INTEGER);
  bytes.normalized = true;
  EXPECT_EQ(describe(bytes).texture.flags, 0u);
}

}  // namespace
}  // namespace heddle::card
