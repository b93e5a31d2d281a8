// heddle cluster in the simulator: what it tells, what it writes, and what it does not take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Cluster : public Commands {
 protected:
  std::string store() const { return " --store " + (folder_ / "cluster.sqlite").string(); }
};

TEST_F(Cluster, TellsWhatToDoWithAKernelAndWritesIt) {
  const std::filesystem::path out = folder_ / "out";
  const Outcome o = heddle("cluster matrixmul --scale tiny --gpu gtx570 --write " + out.string() +
                           " --csv " + file("c.csv") + store());
  ASSERT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(contents("c.csv"), AllOf(HasSubstr("gtx570,matrixmul,tiny,1,matrixmul,as it is,1,0,"),
                                       HasSubstr("agents by reuse graph,1,1,")));
  EXPECT_THAT(o.out,
              AllOf(HasSubstr("text      algorithm: "), HasSubstr("partition by "), HasSubstr("measured  "),
                    HasSubstr("agents by columns"), HasSubstr("redirection by rows")));
  const bool taken = o.out.find("  Take ") != std::string::npos;
  EXPECT_NE(taken, o.out.find("  Leave it as it is") != std::string::npos);
  EXPECT_EQ(std::filesystem::exists(out / "matrixmul.launch.cu"), taken);
  if (taken) {
    EXPECT_THAT(contents("out/matrixmul.launch.cu"), HasSubstr("hc::"));
  }
}

TEST_F(Cluster, OfATextAlone) {
  const std::string text = file("k.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {
.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<2>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3;
mul.wide.s32 %rd5, %r4, 4; add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;
ld.global.f32 %f1, [%rd6]; st.global.f32 [%rd7], %f1;
ret; }
)");
  const Outcome o = heddle("cluster " + text);
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, AllOf(HasSubstr("k: streaming"), HasSubstr("4*ntid.x")));
}

TEST_F(Cluster, SaysWhatIsMissing) {
  EXPECT_THAT(heddle("cluster").out, HasSubstr("what is to be looked at is missing"));
  EXPECT_EQ(heddle("cluster").status, 2);
  EXPECT_THAT(heddle("cluster hotspto").out, HasSubstr("hotspot"));
  EXPECT_THAT(heddle("cluster none.ptx").out, HasSubstr("none.ptx"));
  EXPECT_THAT(heddle("cluster hotspot --text --scale tiny").out,
              AllOf(HasSubstr("blockIdx.x"), Not(HasSubstr("cycles"))));
}

}  // namespace
}  // namespace heddle
