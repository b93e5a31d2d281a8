// Reading launch files: what they mean, and for every class of mistake the exact place and advice.
#include "launch/launch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::launch {
namespace {

using testing::HasSubstr;

// Line 1 to 3; what a test adds starts at line 4.
const std::string kBuffer = "[buffer.a]\ntype = \"f32\"\ncount = 8\n";
const std::string kLaunch = "[[launch]]\nkernel = \"k\"\ngrid = 1\nblock = 32\n";  // four lines

LaunchFile parse(const std::string& text) {
  return parse_launch_file(text, "l.toml");
}

struct Mistake {
  const char* name;
  std::string text;
  std::uint32_t line, column;
  const char* message;
  const char* advice = "";
};
void PrintTo(const Mistake& m, std::ostream* out) {
  *out << m.name;
}

class LaunchFileMistake : public testing::TestWithParam<Mistake> {};

TEST_P(LaunchFileMistake, IsReportedAtItsPlace) {
  const Mistake& m = GetParam();
  try {
    parse(m.text);
    FAIL() << "no error for:\n" << m.text;
  } catch (const Error& e) {
    EXPECT_EQ(e.place().file, "l.toml");
    EXPECT_EQ(e.place().line, m.line) << e.what();
    EXPECT_EQ(e.place().column, m.column) << e.what();
    EXPECT_THAT(e.message(), HasSubstr(m.message));
    EXPECT_THAT(e.advice(), HasSubstr(m.advice));
  }
}

std::vector<Mistake> mistakes() {
  std::string deep_key = "a";
  for (int i = 0; i < 100'000; ++i) deep_key += ".a";
  const std::string b = kBuffer, l = kLaunch;
  return {
      {"NoToml", "[buffer.a\n", 1, 10, "not valid TOML"},
      {"BracketsThatDoNotMatch", "grid = [ }\n", 1, 10, "not valid TOML: expected ']' before '}'"},
      {"TooManyDots", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s = 1\n", 1, 32, "dots"},
      {"BracketOfAnEarlierLine", b + "values = [1,\n2 }\n" + l, 5, 3, "to close the '[' of line 4"},
      {"BracketsInATable", b + l + "args = [{ bytes = [1 }]\n", 8, 22, "not valid TOML: expected ']'"},
      {"HeaderWithoutName", b + "[[.launch]]\n", 4, 3, "expected the name of a table"},
      {"DeepKey", deep_key + " = 1", 1, 32, "at most 16 parts"},
      {"DeepList", "a = " + std::string(100'000, '['), 1, 21, "at most 16 deep"},
      {"Letter", b + "constant = \xd2\x99\n" + l, 4, 12, "letters other than ASCII"},
      {"EscapedLetter", "a = \"\"\"\\\n \xd2\x99\"\"\"", 2, 2, "after a backslash"},
      {"QuoteInAWord", "a = 1\"\xd2\x99\"", 1, 6, "a quote in the middle of a word"},
      {"NoUtf8", b + "a = \"\xff\"\n", 4, 0, "valid UTF-8"},
      {"Time", b + "constant = 1979-05-27Tp7:32:00\n" + l, 4, 25, "not used in a launch file"},
      {"TooManyBytes", std::string((16u << 20) + 1, ' '), 0, 0, "the launch file is larger than 16MiB",
       "files of their own"},
      {"UnknownTable", b + l + "[buffers.b]\n", 8, 2, "unknown key 'buffers'", "did you mean 'buffer'"},
      {"UnknownKey", b + "patern = \"iota\"\n" + l, 4, 1, "unknown key 'patern' in [buffer.a]",
       "did you mean 'pattern'"},
      {"NoLaunch", b, 0, 0, "no [[launch]]"},
      {"LaunchNotAList", b + "[launch]\nkernel = \"k\"\n", 4, 1, "two brackets"},
      {"NoType", "[buffer.a]\ncount = 8\n" + l, 1, 1, "[buffer.a] needs 'type'"},
      {"WrongType", "[buffer.a]\ntype = \"f23\"\ncount = 1\n" + l, 2, 8, "expected one of u8",
       "did you mean 'f32'"},
      {"NoCount", "[buffer.a]\ntype = \"f32\"\n" + l, 1, 1, "needs 'count' or 'shape'"},
      {"CountAndShape", b + "shape = [2, 4]\n" + l, 4, 9, "either 'count' or 'shape'"},
      {"CountOfZero", "[buffer.a]\ntype = \"f32\"\ncount = 0\n" + l, 3, 9, "an integer from 1"},
      {"ShapeElement", "[buffer.a]\ntype = \"f32\"\nshape = [2, -4]\n" + l, 3, 13, "at least 1"},
      {"TooLarge", "[buffer.a]\ntype = \"f32\"\nshape = [4294967296, 4294967296, 4]\n" + l, 3, 9,
       "larger than 16GiB together"},
      {"TwoContents", b + "constant = 1\npattern = \"iota\"\n" + l, 5, 11, "either 'constant' or 'pattern'"},
      {"UnknownPattern", b + "pattern = \"itoa\"\n" + l, 4, 11, "expected one of iota",
       "did you mean 'iota'"},
      {"KeyOfOtherPattern", b + "pattern = \"iota\"\nseed = 3\n" + l, 5, 1, "unknown key 'seed'"},
      {"ConstantRange", "[buffer.a]\ntype = \"u8\"\ncount = 8\nconstant = 256\n" + l, 4, 12,
       "256 is outside u8 (0 to 255)"},
      {"ConstantKind", "[buffer.a]\ntype = \"s32\"\ncount = 8\nconstant = 0.5\n" + l, 4, 12,
       "0.5 is not an integer"},
      {"HalfRange", "[buffer.a]\ntype = \"f16\"\ncount = 8\nconstant = 70000\n" + l, 4, 12, "outside f16"},
      {"ValuesCount", b + "values = [1, 2]\n" + l, 4, 10, "2 values given for 8 elements"},
      {"ValuesElement", "[buffer.a]\ntype = \"s8\"\nvalues = [1, 200]\n" + l, 3, 14, "200 is outside s8"},
      {"RandomNeedsRange", "[buffer.a]\ntype = \"u32\"\ncount = 1\npattern = \"random\"\n" + l, 1, 1,
       "needs 'lo'"},
      {"RandomOrder", b + "pattern = \"random\"\nlo = 2\nhi = 1\n" + l, 6, 6,
       "'hi' (1) must be at least 'lo' (2)"},
      {"ModuloNeedsN", b + "pattern = \"modulo\"\n" + l, 1, 1, "needs 'n'"},
      {"NoKernel", b + "[[launch]]\ngrid = 1\nblock = 1\n", 4, 1, "needs 'kernel'"},
      {"NoGrid", b + "[[launch]]\nkernel = \"k\"\nblock = 1\n", 4, 1, "needs 'grid'"},
      {"GridOfFour", b + "[[launch]]\nkernel = \"k\"\ngrid = [1, 1, 1, 1]\nblock = 1\n", 6, 8,
       "one to three integers"},
      {"GridElement", b + "[[launch]]\nkernel = \"k\"\ngrid = [1, 65536]\nblock = 1\n", 6, 12,
       "1 to 65535 for y"},
      {"BlockTooLarge", b + "[[launch]]\nkernel = \"k\"\ngrid = 1\nblock = [64, 32]\n", 7, 9, "2048 threads"},
      {"Shared", b + l + "shared = \"4KB!\"\n", 8, 10, "'shared'"},
      {"Repeat", b + l + "repeat = 0\n", 8, 10, "'repeat'"},
      {"Registers", b + l + "registers = 300\n", 8, 13, "1 to 255"},
      {"ArgumentName", b + l + "args = [1, \"aa\"]\n", 8, 12, "no buffer 'aa'", "did you mean 'a'"},
      {"ArgumentTable", b + l + "args = [{ f23 = 1 }]\n", 8, 11, "unknown key 'f23'", "did you mean 'f32'"},
      {"ArgumentRange", b + l + "args = [{ u8 = 300 }]\n", 8, 16, "300 is outside u8"},
      {"ArgumentBytes", b + l + "args = [{ bytes = [1, 256] }]\n", 8, 23, "0 to 255"},
      {"ArgumentOffset", b + l + "args = [{ buffer = \"a\", offset = 9 }]\n", 8, 34, "0 to 8"},
      {"Swap", b + l + "swap = [\"a\"]\n", 8, 8, "two buffers"},
      {"SwapName", b + l + "swap = [\"a\", \"b\"]\n", 8, 14, "no buffer 'b'"},
      {"OutputName", b + l + "[output.b]\ndump = \"-\"\n", 8, 1, "no buffer 'b'"},
      {"OutputEmpty", b + l + "[output.a]\n", 8, 1, "needs 'compare' or 'dump'"},
      {"Tolerance", b + l + "[output.a]\ncompare = 0\ntolerance = \"about\"\n", 10, 13,
       "a number or \"exact\""},
      {"ToleranceAlone", b + l + "[output.a]\ndump = \"-\"\ntolerance = 1\n", 10, 13, "without 'compare'"},
      {"Dump", b + l + "[output.a]\ndump = \"a.png\"\n", 9, 8, "ends in .bin (raw) or .csv"},
      {"CompareBuffer", b + l + "[output.a]\ncompare = { buffer = \"c\" }\n", 9, 22, "no buffer 'c'"},
      {"TextureBuffer", b + "[texture.t]\nbuffer = \"b\"\n" + l, 5, 10, "no buffer 'b'"},
      {"TextureTooLarge", b + "[texture.t]\nbuffer = \"a\"\nwidth = 9\n" + l, 4, 1, "9 x 1 texels"},
      {"Date", b + "constant = 2020-01-01\n" + l, 4, 12, "dates"},
  };
}
INSTANTIATE_TEST_SUITE_P(Each, LaunchFileMistake, testing::ValuesIn(mistakes()),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

TEST(LaunchFile, ReadsEveryKindOfContents) {
  const LaunchFile f = parse(R"(
[buffer.zero]
type = "u8"
count = 3
[buffer.m]
type = "s16"
shape = [2, 3]
pattern = "modulo"
n = 4
[buffer.listed]
type = "f64"
values = [1, 2.5]
[[launch]]
kernel = "k"
grid = [2, 3, 4]
block = 8
shared = "4KiB"
repeat = 5
registers = 32
args = ["m", 7, { f32 = 0.5 }, [1, { u8 = 2 }], { bytes = [1, 2] }, { buffer = "m", offset = 2 }, true]
[output.m]
compare = 0
)");
  ASSERT_EQ(f.buffers.size(), 3u);
  EXPECT_EQ(f.buffers[0].name, "zero");  // the order of the file, not of the alphabet
  EXPECT_EQ(f.buffers[1].count, 6u);
  EXPECT_EQ(f.buffers[1].bytes(), 12u);
  EXPECT_EQ(f.buffers[2].count, 2u);
  const LaunchStep& s = f.launches.at(0);
  EXPECT_EQ(s.grid, (workload::Dim3{2, 3, 4}));
  EXPECT_EQ(s.block, (workload::Dim3{8, 1, 1}));
  EXPECT_EQ(s.dynamic_shared, 4096u);
  EXPECT_EQ(s.repeat, 5u);
  EXPECT_EQ(s.registers, 32u);
  ASSERT_EQ(s.args.size(), 7u);
  EXPECT_EQ(s.args[1].place.column, 14u);
  EXPECT_FALSE(f.outputs.at(0).tolerance);  // integers compare exactly unless told otherwise
}

TEST(LaunchFile, MayBeLargerThanAConfiguration) {
  std::string values = "0";
  for (int i = 1; i < 1 << 20; ++i) values += ",0";
  const LaunchFile f = parse("[buffer.a]\ntype = \"u8\"\nvalues = [" + values + "]\n" + kLaunch);
  EXPECT_EQ(f.buffers.at(0).count, 1u << 20);
}

TEST(LaunchFile, FloatsHaveAToleranceByDefault) {
  const LaunchFile f = parse(kBuffer + kLaunch + "[output.a]\ncompare = 1.5\n");
  EXPECT_EQ(f.outputs.at(0).tolerance, 1e-5);
}

}  // namespace
}  // namespace heddle::launch
