// Running launch files on the functional device: arguments, comparison, dumps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "exec/functional/functional_device.h"
#include "launch/launch_file.h"
#include "launch/user_kernel.h"

namespace heddle::launch {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const std::string kHeader = ".version 7.0\n.target sm_75\n.address_size 64\n";
// out[0] = i, out[1] = bits of f, out[2] = byte, out[3..5] = the struct
const std::string kStore = kHeader + R"(
.visible .entry _Z5storePjifh3ABC(.param .u64 p, .param .u32 i, .param .f32 f, .param .u8 b, .param .align 4 .b8 s[12]) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<6>;
  .reg .b16 %h<2>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  ld.param.u32 %r1, [i];
  st.global.u32 [%rd2], %r1;
  ld.param.u32 %r2, [f];
  st.global.u32 [%rd2+4], %r2;
  ld.param.u8 %h1, [b];
  cvt.u32.u16 %r3, %h1;
  st.global.u32 [%rd2+8], %r3;
  ld.param.u32 %r4, [s];
  st.global.u32 [%rd2+12], %r4;
  ld.param.u32 %r4, [s+4];
  st.global.u32 [%rd2+16], %r4;
  ld.param.u32 %r4, [s+8];
  st.global.u32 [%rd2+20], %r4;
  ret;
}
)";
// y = x + 1 for one thread
const std::string kStep = kHeader + R"(
.visible .entry step(.param .u64 x, .param .u64 y) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd2], %r1;
  ret;
}
.visible .entry stamp() { ret; }
)";

class LaunchRun : public testing::Test {
 protected:
  LaunchRun() {
    std::string name = (fs::temp_directory_path() / "heddle-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LaunchRun() override { fs::remove_all(folder_); }

  LaunchResult run(const std::string& toml, const std::string& ptx) {
    exec::FunctionalDevice device;
    const LaunchFile file = parse_launch_file(toml, (folder_ / "l.toml").string());
    return run_launch_file(file, ptx, "k.ptx", device, extras_of(device));
  }
  Error error(const std::string& toml, const std::string& ptx) {
    try {
      run(toml, ptx);
    } catch (const Error& e) {
      return e;
    }
    ADD_FAILURE() << "no error";
    return Error("none");
  }
  // The arguments start at column 9 of line 8.
  static std::string store(const std::string& args,
                           const std::string& output = "[output.o]\ndump = \"-\"\n") {
    return "[buffer.o]\ntype = \"u32\"\ncount = 6\n[[launch]]\nkernel = \"store\"\ngrid = 1\nblock = 1\nargs "
           "= [" +
           args + "]\n" + output;
  }

  fs::path folder_;
};

TEST_F(LaunchRun, PlainNumbersTakeTheParametersType) {
  EXPECT_EQ(run(store("\"o\", -1, 1, 255, [1, 2.0, { u16 = 3 }]"), kStore).outputs.at(0).printed,
            "4294967295 1065353216 255 1 1073741824 3");
}

TEST_F(LaunchRun, TypedNumbersAndBytes) {
  EXPECT_EQ(
      run(store("\"o\", { u32 = 5 }, { f32 = 1.0 }, { s8 = -1 }, { bytes = [1,0,0,0, 2,0,0,0, 3,0,0,0] }"),
          kStore)
          .outputs.at(0)
          .printed,
      "5 1065353216 255 1 2 3");
}

TEST_F(LaunchRun, ArgumentMistakesShowTheSignature) {
  Error e = error(store("\"o\", 1"), kStore);
  EXPECT_EQ(e.place().line, 8u);
  EXPECT_EQ(e.place().column, 8u);
  EXPECT_THAT(e.message(), HasSubstr("2 arguments given, the kernel takes 5"));
  EXPECT_THAT(e.advice(), HasSubstr("store(unsigned int*, int, float, unsigned char, ABC)"));
  EXPECT_THAT(e.advice(), HasSubstr(".u64, .u32, .f32, .u8, .b8[12] (struct of 12 bytes)"));
  e = error(store("\"o\", 4294967296, 1, 1, [1, 2, 3]"), kStore);
  EXPECT_EQ(e.place().column, 14u);
  EXPECT_THAT(e.message(), HasSubstr("argument 2 of 'store': 4294967296 is outside u32"));
  EXPECT_THAT(error(store("\"o\", 0.5, 1, 1, [1, 2, 3]"), kStore).message(),
              HasSubstr("0.5 is no integer, the parameter is .u32"));
  EXPECT_THAT(error(store("\"o\", \"o\", 1, 1, [1, 2, 3]"), kStore).message(),
              HasSubstr("an address of 8 bytes"));
  EXPECT_THAT(error(store("\"o\", { f32 = 1 }, 1, 1, [1, 2, 3]"), kStore).message(),
              HasSubstr("f32 given, the parameter is .u32"));
  EXPECT_THAT(error(store("\"o\", { u64 = 1 }, 1, 1, [1, 2, 3]"), kStore).message(),
              HasSubstr("8 bytes given"));
  EXPECT_THAT(error(store("\"o\", 1, 1, 1, 7"), kStore).message(), HasSubstr("struct of 12 bytes"));
  EXPECT_THAT(error(store("\"o\", 1, 1, 1, [1, 2]"), kStore).message(), HasSubstr("8 bytes given"));
}

TEST_F(LaunchRun, UnknownAndAmbiguousKernels) {
  const std::string toml = "[[launch]]\nkernel = \"stp\"\ngrid = 1\nblock = 1\n";
  Error e = error(toml, kStep);
  EXPECT_EQ(e.place().line, 2u);
  EXPECT_EQ(e.place().column, 10u);
  EXPECT_THAT(e.advice(), HasSubstr("did you mean 'step'"));
  EXPECT_THAT(e.advice(), HasSubstr("stamp"));
  e = error("[[launch]]\nkernel = \"st\"\ngrid = 1\nblock = 1\n", kStep);
  EXPECT_THAT(e.message(), HasSubstr("any of 2 kernels"));
}

TEST_F(LaunchRun, RepeatWithSwapIsPingPong) {
  const std::string buffers =
      "[buffer.a]\ntype = \"u32\"\nvalues = [10]\n[buffer.b]\ntype = \"u32\"\ncount = 1\n";
  const std::string outputs = "[output.a]\ncompare = 15\n[output.b]\ncompare = 14\n";
  const LaunchResult r = run(buffers +
                                 "[[launch]]\nkernel = \"step\"\ngrid = 1\nblock = 1\nargs = [\"a\", "
                                 "\"b\"]\nrepeat = 5\nswap = [\"a\", \"b\"]\n" +
                                 outputs,
                             kStep);
  EXPECT_TRUE(r.ok()) << describe(r);
}

TEST_F(LaunchRun, AMismatchNamesTheFirstDifference) {
  const LaunchResult r = run(store("\"o\", 3, 1, 255, [3, 3, 3]", "[output.o]\ncompare = 3\n"), kStore);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.outputs.at(0).verification->detail,
            "2 of 6 differ; the first at [1]: got 1065353216, expected 3");
  EXPECT_THAT(describe(r), HasSubstr("o: DIFFERS FROM the constant 3"));
}

TEST_F(LaunchRun, FilesInAndOut) {
  write_file(folder_ / "in.bin", std::string("\x05\0\0\0", 4));
  const std::string toml =
      "[buffer.a]\ntype = \"u32\"\ncount = 1\nfile = \"in.bin\"\n[buffer.b]\ntype = \"u32\"\ncount = 1\n"
      "[[launch]]\nkernel = \"step\"\ngrid = 1\nblock = 1\nargs = [\"a\", \"b\"]\n"
      "[output.b]\ndump = \"b.csv\"\n[output.a]\ndump = \"a.bin\"\ncompare = \"in.bin\"\n";
  EXPECT_TRUE(run(toml, kStep).ok());
  EXPECT_EQ(read_file(folder_ / "b.csv"), "6\n");
  EXPECT_EQ(read_file(folder_ / "a.bin"), std::string("\x05\0\0\0", 4));
}

TEST_F(LaunchRun, AFileOfTheWrongSizeIsNamedAtItsLine) {
  write_file(folder_ / "in.bin", "12345");
  const std::string toml =
      "[buffer.a]\ntype = \"u32\"\ncount = 1\nfile = \"in.bin\"\n[[launch]]\nkernel = \"stamp\"\ngrid = "
      "1\nblock = 1\n";
  Error e = error(toml, kStep);
  EXPECT_EQ(e.place().line, 4u);
  EXPECT_EQ(e.place().column, 8u);
  EXPECT_THAT(e.message(), HasSubstr("has 5 bytes, but buffer 'a' (1 element of u32) needs 4"));
  fs::remove(folder_ / "in.bin");
  EXPECT_THAT(error(toml, kStep).message(), HasSubstr("No such file"));
}

TEST_F(LaunchRun, NothingIsWrittenWhenALaunchFails) {
  const std::string toml =
      "[buffer.a]\ntype = \"u32\"\ncount = 1\n[[launch]]\nkernel = \"step\"\ngrid = 1\nblock = 1\n"
      "args = [{ buffer = \"a\", offset = 1 }, \"a\"]\n[output.a]\ndump = \"a.bin\"\n";
  EXPECT_THAT(error(toml, kStep).message(), HasSubstr("out-of-bounds"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LaunchRun, RampThatLeavesItsTypeIsRefused) {
  const Error e = error(
      "[buffer.a]\ntype = \"u8\"\ncount = 300\npattern = \"iota\"\n[[launch]]\nkernel = \"stamp\"\ngrid = "
      "1\nblock = 1\n",
      kStep);
  EXPECT_EQ(e.place().line, 4u);
  EXPECT_THAT(e.message(), HasSubstr("element 256: 256 is outside u8"));
}

// Only what is written takes memory of the host.
TEST_F(LaunchRun, BuffersThatTheHostCannotHold) {
  const auto text = [](const std::string& contents) {
    return "[buffer.a]\ntype = \"u8\"\ncount = 8589934592\n" + contents +
           "[[launch]]\nkernel = \"stamp\"\ngrid = 1\nblock = 1\n";
  };
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a simulated card has 1 GiB where sanitizers have the address space";
#endif
  setenv("HEDDLE_HOST_MEMORY", "4GiB", 1);
  EXPECT_NO_THROW(run(text(""), kStep));
  const Error e = error(text("constant = 1\n"), kStep);
  EXPECT_EQ(e.place().line, 4u);
  EXPECT_THAT(e.message(),
              AllOf(HasSubstr("buffer 'a' (8589934592 elements of u8): 17179869184 bytes do not fit"),
                    HasSubstr("of 4294967296 bytes left")));
  const Error read = error(text("") + "[output.a]\ndump = \"-\"\n", kStep);
  EXPECT_THAT(read.message(), HasSubstr("8589934592 bytes do not fit"));
  unsetenv("HEDDLE_HOST_MEMORY");
}

TEST_F(LaunchRun, AMissingDumpFolderIsSeenBeforeTheRun) {
  const Error e = error(
      "[buffer.a]\ntype = \"u32\"\ncount = 1\n[[launch]]\nkernel = \"step\"\ngrid = 1\nblock = 1\n"
      "args = [\"a\", \"a\"]\n[output.a]\ndump = \"none/a.bin\"\n",
      kStep);
  EXPECT_EQ(e.place().line, 10u);
  EXPECT_EQ(e.place().column, 8u);
  EXPECT_THAT(e.message(), HasSubstr("does not exist"));
}

// A linear filter half way between texels 10 and 20, times a constant of the module.
TEST_F(LaunchRun, TexturesAndModuleVariables) {
  const std::string ptx = kHeader + R"(
.const .align 4 .f32 scale;
.visible .entry sample(.param .u64 t, .param .u64 o) {
  .reg .b64 %rd<3>;
  .reg .f32 %f<8>;
  ld.param.u64 %rd1, [t];
  ld.param.u64 %rd2, [o];
  mov.f32 %f1, 0f3F800000;
  tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}];
  ld.const.f32 %f6, [scale];
  mul.f32 %f7, %f2, %f6;
  st.global.f32 [%rd2], %f7;
  ret;
}
)";
  const std::string toml = R"(
[buffer.texels]
type = "f32"
values = [10, 20]
[buffer.s]
type = "f32"
values = [2]
symbol = "scale"
[buffer.o]
type = "f32"
count = 1
[texture.t]
buffer = "texels"
filter = "linear"
[[launch]]
kernel = "sample"
grid = 1
block = 1
registers = 40
args = ["t", "o"]
[output.o]
compare = 30
)";
  const LaunchResult r = run(toml, ptx);
  EXPECT_TRUE(r.ok()) << describe(r);
  EXPECT_THAT(describe(r), HasSubstr("note: "));
  EXPECT_THAT(describe(r), HasSubstr("'registers' changes only timing"));
}

TEST_F(LaunchRun, AUsersKernelIsAWorkloadToo) {
  write_file(folder_ / "k.ptx", kStep);
  write_file(folder_ / "in.bin", std::string("\x05\0\0\0", 4));
  write_file(folder_ / "l.toml",
             "[buffer.a]\ntype = \"u32\"\ncount = 1\nfile = \"in.bin\"\n[[launch]]\nkernel = \"step\"\ngrid "
             "= 1\nblock = 1\n"
             "args = [\"a\", \"a\"]\n[output.a]\ncompare = 6\n");
  UserKernelOptions options;
  options.kernel = folder_ / "k.ptx";
  options.launch = folder_ / "l.toml";
  const UserWorkload w(options);
  EXPECT_EQ(w.info().name, (folder_ / "k.ptx").string());
  EXPECT_EQ(w.parameters({}).back().first, "in.bin_sha256");
  for (int i = 0; i < 2; ++i) {  // no state is kept between runs
    exec::FunctionalDevice device;
    const workload::Verification v = w.run(device, {});
    EXPECT_TRUE(v.ok) << v.detail;
    EXPECT_EQ(v.compared, 1u);
  }
}

TEST(LaunchData, CompareKnowsNanToleranceAndShape) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> got = {1.0f, nan, 100.001f, 0.0f}, want = {1.0f, -nan, 100.0f, 0.1f};
  const auto v =
      compare(Element::F32, std::as_bytes(std::span(got)), std::as_bytes(std::span(want)), 1e-4, {2, 2});
  EXPECT_FALSE(v.ok);
  EXPECT_EQ(v.compared, 4u);
  EXPECT_EQ(v.detail, "1 of 4 differ; the first at [1, 1]: got 0, expected 0.1");
}

TEST(LaunchData, RandomIsTheSameEverywhere) {
  Fill f;
  f.kind = Fill::Kind::Random;
  f.lo = std::int64_t{-2}, f.hi = std::int64_t{2};
  std::vector<std::int32_t> v(1000);
  EXPECT_EQ(fill(Element::S32, f, std::as_writable_bytes(std::span(v))), "");
  EXPECT_EQ(*std::min_element(v.begin(), v.end()), -2);
  EXPECT_EQ(*std::max_element(v.begin(), v.end()), 2);
  EXPECT_EQ(std::vector<std::int32_t>(v.begin(), v.begin() + 4), (std::vector<std::int32_t>{0, 1, 2, 0}));
}

TEST(LaunchData, HalfRoundTrip) {
  std::byte bytes[2];
  EXPECT_EQ(store(Element::F16, 0.1, bytes), "");
  EXPECT_EQ(load(Element::F16, bytes), 0.0999755859375);
}

}  // namespace
}  // namespace heddle::launch
