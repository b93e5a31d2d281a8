// Whole modules as nvcc 13 and clang 19 write them.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ptx_text.h"

namespace heddle::ptx {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::vector<std::filesystem::path> modules() {
  std::vector<std::filesystem::path> found;
  for (const auto& e : std::filesystem::recursive_directory_iterator(HEDDLE_TESTS_DIR "/../validation/ptx"))
    if (e.path().extension() == ".ptx") found.push_back(e.path());
  return found;
}

TEST(Files, EveryModuleParses) {
  ASSERT_GE(modules().size(), 18u);
  for (const auto& path : modules()) {
    try {
      const Module m = parse_module(read(path), path.filename());
      std::size_t instructions = 0;
      for (const Function& f : m.functions) instructions += f.instrs.size();
      EXPECT_GT(instructions, 10u) << path;
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

// Text inside fat binaries has neither comments nor line breaks.
TEST(Files, ModulesParseOnOneLine) {
  for (const auto& path : modules()) {
    std::stringstream in(read(path));
    std::string squeezed;
    for (std::string line; std::getline(in, line);) squeezed += line.substr(0, line.find("//")) + " ";
    const Module a = parse_module(read(path), path.filename());
    const Module b = parse_module(squeezed, path.filename());
    ASSERT_EQ(a.functions.size(), b.functions.size());
    for (std::size_t i = 0; i < a.functions.size(); ++i)
      EXPECT_EQ(a.functions[i].instrs.size(), b.functions[i].instrs.size()) << a.functions[i].name;
  }
}

TEST(Files, StencilIsDecodedAsWritten) {
  const Module m = parse_module(read(HEDDLE_TESTS_DIR "/../validation/ptx/stencil.ptx"), "stencil.ptx");
  EXPECT_EQ(m.version_major, 9u);
  EXPECT_EQ(m.version_minor, 0u);
  EXPECT_EQ(m.target, "sm_75");
  const Function* f = m.find_function("_Z7stencilPKfS0_Pfi");
  ASSERT_NE(f, nullptr);
  EXPECT_TRUE(f->entry);
  EXPECT_EQ(f->params.size(), 4u);
  EXPECT_EQ(f->params[3].offset, 24u);
  EXPECT_EQ(f->param_bytes, 28u);
  EXPECT_EQ(f->instrs.size(), 61u);
  EXPECT_EQ(f->instrs.front().op, Op::Ld);
  EXPECT_EQ(f->instrs.front().line, 28u);
  EXPECT_EQ(f->instrs.front().column, 2u);
  EXPECT_EQ(f->instrs.back().op, Op::Ret);
}

}  // namespace
}  // namespace heddle::ptx
