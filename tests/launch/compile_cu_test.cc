// Compiling .cu files: results, the cache, and errors that help.
#include "launch/compile_cu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/file.h"

namespace heddle::launch {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CompileCu : public testing::Test {
 protected:
  CompileCu() {
    std::string name = (fs::temp_directory_path() / "heddle test-XXXXXX").string();  // a space, on purpose
    folder_ = ::mkdtemp(name.data());
    options_.cache = folder_ / "cache";
  }
  ~CompileCu() override { fs::remove_all(folder_); }
  void need_clang() {
    if (std::system("command -v clang++-19 > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "clang++-19 is not installed (apt install clang-19)";
  }
  fs::path write(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    return folder_ / name;
  }
  std::string failure(const fs::path& source) {
    try {
      compile_cu(source, options_);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path folder_;
  CompileOptions options_;
};

TEST_F(CompileCu, CachesByContents) {
  need_clang();
  if (IsSkipped()) return;
  write("n.h", "#define N 3\n");
  const fs::path source = write("$(touch oops) 'k'.cu",
                                "#include \"n.h\"\n__global__ void k(int* p) { p[threadIdx.x] = N * M; }\n");
  options_.defines = {"M=7"};
  const CompiledCu first = compile_cu(source, options_);
  EXPECT_FALSE(first.from_cache);
  EXPECT_THAT(first.ptx, HasSubstr(".entry _Z1kPi"));
  EXPECT_THAT(first.ptx, HasSubstr("21;"));
  EXPECT_THAT(first.ptx, HasSubstr(".target sm_75"));
  const CompiledCu again = compile_cu(source, options_);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.ptx, first.ptx);
  write("n.h", "#define N 4\n");  // a header counts as well
  EXPECT_THAT(compile_cu(source, options_).ptx, HasSubstr("28;"));
  options_.arch = "sm_90";
  EXPECT_THAT(compile_cu(source, options_).ptx, HasSubstr(".target sm_90"));
  EXPECT_FALSE(fs::exists("oops"));
}

TEST_F(CompileCu, ShowsTheCompilersErrorsAndTheCommand) {
  need_clang();
  if (IsSkipped()) return;
  const std::string text = failure(write("k.cu", "__global__ void k() { undeclared(); }\n"));
  EXPECT_THAT(text, HasSubstr("k.cu:1:23: error: use of undeclared identifier 'undeclared'"));
  EXPECT_THAT(text, HasSubstr("the command was: clang++-19 -x cuda"));
}

TEST_F(CompileCu, AnUnusableCacheIsNoError) {
  need_clang();
  if (IsSkipped()) return;
  options_.cache = write("file", "");
  EXPECT_THAT(compile_cu(write("k.cu", "__global__ void k() {}\n"), options_).ptx, HasSubstr(".entry"));
}

TEST_F(CompileCu, NamesThePackageWhenTheCompilerIsMissing) {
  options_.compiler = "clang++-not-there";
  EXPECT_THAT(failure(write("k.cu", "")), HasSubstr("apt install clang-19"));
}

TEST_F(CompileCu, RefusesBadOptionsAndFiles) {
  EXPECT_THAT(failure(folder_ / "none.cu"), HasSubstr("No such file"));
  options_.arch = "75";
  EXPECT_THAT(failure(write("k.cu", "")), HasSubstr("expected an architecture such as sm_75"));
  options_.arch = "sm_75";
  options_.defines = {"-o/tmp/x"};
  EXPECT_THAT(failure(write("k.cu", "")), HasSubstr("NAME=VALUE"));
}

}  // namespace
}  // namespace heddle::launch
