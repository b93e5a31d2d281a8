#include "bench.h"

namespace heddle::exec {
namespace {

using testing::Each;

TEST(WideRegisters, ConversionsReadTheLowBits) {
  Bench bench(R"(
    mov.u64 %rd1, 0x12345678fffffff0;
    cvt.s64.s32 %rd2, %rd1;
    cvt.u64.u8 %rd3, %rd1;
    cvt.s32.s16 %r1, %rd1;
    sub.s64 %rd4, %rd3, %rd2;
    cvt.u32.u64 %r2, %rd4;
    add.s32 %r3, %r2, %r1;
    st.global.u32 [%mine], %r3;
  )");
  EXPECT_THAT(bench.run(), Each(240u));  // 0xf0 + 16 - 16
}

TEST(WideRegisters, ConversionsExtendTheirResult) {
  Bench bench(R"(
    mov.u32 %r1, 0xfffe;
    cvt.s32.s16 %rd1, %r1;
    cvt.u32.u16 %rd2, %r1;
    add.s64 %rd3, %rd1, %rd2;
    shr.s64 %rd4, %rd1, 40;
    add.s64 %rd3, %rd3, %rd4;
    cvt.u32.u64 %r2, %rd3;
    st.global.u32 [%mine], %r2;
  )");
  EXPECT_THAT(bench.run(), Each(0xfffeu - 2u - 1u));
}

}  // namespace
}  // namespace heddle::exec
