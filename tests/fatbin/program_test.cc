// Programs, libraries and objects: where their containers are, which runtime they ask for, what is in the
// way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "tests/fatbin/bytes.h"

namespace heddle::fatbin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Cudart = Program::Cudart;

const std::string kPtx = container({{.payload = ".version 7.0"}});
const std::string kMachineCode = container({{.kind = 2, .architecture = 86, .payload = "code"}});

std::uint16_t this_number() {
  return this_machine() == "arm64" ? kArm64 : kX86;
}

std::vector<std::string> texts(const std::vector<Obstacle>& all) {
  std::vector<std::string> out;
  for (const Obstacle& o : all) out.push_back(o.what + " | " + o.advice);
  return out;
}

Program parsed(const std::string& file) {
  return parse_program(bytes_of(file));
}

TEST(Program, OfNvcc) {
  const Program p = read_program(std::string(HEDDLE_FATBIN_DATA) + "/shared");
  EXPECT_EQ(p.cudart, Cudart::Shared);
  EXPECT_EQ(p.cudart_name, "libcudart.so.13");
  EXPECT_EQ(p.machine, "arm64");
  EXPECT_EQ(p.this_machine, this_machine() == "arm64");
  EXPECT_FALSE(p.relocatable);
  ASSERT_EQ(p.modules.size(), 1u);
  const std::vector<Entry> all = entries(p.modules[0]);
  ASSERT_NE(choose_ptx(all), nullptr);
  EXPECT_THAT(unpack(*choose_ptx(all)), HasSubstr(".entry scale("));
}

TEST(Program, ObjectsOfNvcc) {
  const Program plain = parsed(data_file("object.elf")), relocatable = parsed(data_file("relocatable.elf"));
  EXPECT_EQ(plain.cudart, Cudart::None);
  EXPECT_FALSE(plain.relocatable);
  EXPECT_EQ(plain.modules.size(), 1u);
  EXPECT_TRUE(relocatable.relocatable);
  EXPECT_EQ(relocatable.modules.size(), 1u);
}

TEST(Program, AFatbinIsOneModule) {
  const Program p = parsed(data_file("several.fatbin"));
  EXPECT_EQ(p.modules.size(), 1u);
  EXPECT_EQ(p.machine, "");
  EXPECT_THAT(obstacles(p), IsEmpty());
}

TEST(Program, ContainersLieOneAfterAnother) {
  const std::string gap(256 - kPtx.size() % 256, '\0');
  const std::string section =
      kPtx + std::string(8 - kPtx.size() % 8, '\0') + container({}) + kMachineCode + gap + kPtx;
  const Program p = parsed(elf_file(this_number(), {{".text", "code"}, {".nv_fatbin", section}}));
  ASSERT_EQ(p.modules.size(), 3u);  // the empty one is dropped
  EXPECT_EQ(entries(p.modules[1])[0].kind, Kind::Cubin);
  EXPECT_EQ(p.modules[2].size(), kPtx.size());
  EXPECT_THROW(parsed(elf_file(this_number(), {{".nv_fatbin", kPtx + "garbage here, not zeros"}})), Error);
  EXPECT_THROW(parsed(elf_file(this_number(), {{".nv_fatbin", kPtx.substr(0, kPtx.size() - 1)}})), Error);
}

// nvcc links device code for a real architecture into every program, also where there is none.
TEST(Program, MachineCodeWithNothingToLoadIsNoDeviceCode) {
  constexpr std::uint64_t kAllocated = 2;
  const auto with = [](const std::string& cubin) {
    const std::string section = container({{.kind = 2, .architecture = 75, .payload = cubin}});
    return parsed(elf_file(this_number(), {{".nv_fatbin", section}}));
  };
  EXPECT_THAT(with(elf_file(kGpu, {{".note", "made by"}})).modules, IsEmpty());
  const Program code = with(elf_file(kGpu, {{".text.f", "code", 1, 0, kAllocated}}));
  EXPECT_EQ(code.modules.size(), 1u);
  EXPECT_THAT(texts(obstacles(code)), ElementsAre(HasSubstr("machine code (sm_75) but no PTX")));
}

TEST(Program, SectionsThatOverlapAreDamage) {
  // Both sections are the first one: more containers than the file has bytes for.
  const std::string large = kPtx + std::string(4096, '\0');
  std::string file = elf_file(this_number(), {{".nv_fatbin", large}, {".nv_fatbin", kPtx}});
  const std::size_t second = file.size() - 2 * 64;
  put(file, second + 0x18, 64, 8);
  put(file, second + 0x20, large.size(), 8);
  try {
    parsed(file);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.message(), HasSubstr("overlap"));
  }
}

TEST(Program, MoreSectionsThanItsHeaderCanCount) {
  EXPECT_EQ(parsed(elf_file(this_number(), {{".nv_fatbin", kPtx}}, true)).modules.size(), 1u);
}

std::string dynamic(std::vector<std::pair<std::uint64_t, std::uint64_t>> entries) {
  std::string out;
  for (const auto& [tag, value] : entries) {
    put(out, out.size(), tag, 8);
    put(out, out.size(), value, 8);
  }
  return out;
}

TEST(Program, TheRuntimeItAsksFor) {
  const std::string names("\0libm.so.6\0libcudart.so.12\0", 27);
  const auto with = [&](const std::string& table, const std::string& constants) {
    return parsed(elf_file(
        this_number(),
        {{".dynstr", names, 3, 0}, {".dynamic", table, 6, 1}, {".rodata", constants}, {".nv_fatbin", kPtx}}));
  };
  const std::string static_text = "...cudaErrorCudartUnloading...";
  EXPECT_EQ(with(dynamic({{1, 1}, {0, 0}}), "").cudart, Cudart::None);
  const Program shared = with(dynamic({{1, 1}, {1, 11}, {0, 0}}), static_text);
  EXPECT_EQ(shared.cudart, Cudart::Shared);
  EXPECT_EQ(shared.cudart_name, "libcudart.so.12");
  EXPECT_EQ(with(dynamic({{1, 1}, {0, 0}, {1, 11}}), static_text).cudart,
            Cudart::Static);  // behind the table's end
  EXPECT_THROW(with(dynamic({{1, 1000}}), ""), Error);
}

TEST(Program, StaticLibraries) {
  const auto member = [](const std::string& name, const std::string& contents) {
    std::string header = name + std::string(48 - name.size(), ' ') + std::to_string(contents.size());
    header.resize(58, ' ');
    return header + "`\n" + contents + (contents.size() % 2 != 0 ? "\n" : "");
  };
  const std::string object = elf_file(this_number(), {{".nv_fatbin", kPtx}});
  const Program p =
      parsed("!<arch>\n" + member("/", "odd") + member("a.o/", object) + member("b.o/", object));
  EXPECT_EQ(p.modules.size(), 2u);
  EXPECT_TRUE(p.this_machine);
  EXPECT_THROW(parsed("!<arch>\n" + member("a.o/", object).substr(0, 200)), Error);
  EXPECT_THROW(parsed("!<arch>\n" + std::string(60, 'x')), Error);
}

TEST(Program, ObstaclesSayWhatToDo) {
  const auto of = [](std::uint16_t machine, const std::string& section, const std::string& constants = "") {
    return texts(obstacles(parsed(elf_file(machine, {{".nv_fatbin", section}, {".rodata", constants}}))));
  };
  EXPECT_THAT(of(this_number(), kPtx), IsEmpty());
  EXPECT_THAT(
      of(this_number(), kMachineCode),
      ElementsAre(testing::AllOf(HasSubstr("sm_86"), HasSubstr("-gencode arch=compute_86,code=compute_86"))));
  EXPECT_THAT(of(this_number(), container({{.kind = 8, .payload = "xxxx"}})),
              ElementsAre(HasSubstr("link-time")));
  EXPECT_THAT(of(this_number(), ""), ElementsAre(HasSubstr("no CUDA program")));
  EXPECT_THAT(of(this_number(), kPtx, "cudaErrorCudartUnloading"),
              ElementsAre(testing::AllOf(HasSubstr("-cudart shared"),
                                         HasSubstr("CMAKE_CUDA_RUNTIME_LIBRARY=Shared"))));
  const std::uint16_t other = this_number() == kArm64 ? kX86 : kArm64;
  EXPECT_THAT(of(other, kPtx), ElementsAre(HasSubstr("it was compiled for")));
  EXPECT_THAT(of(kGpu, ""), ElementsAre(HasSubstr("cubin")));
}

TEST(Program, OtherFilesAreRefused) {
  EXPECT_THROW(parsed(""), Error);
  EXPECT_THROW(parsed("#!/bin/sh\n"), Error);
  std::string narrow = elf_file(kX86, {});
  narrow[4] = 1;
  EXPECT_THROW(parsed(narrow), Error);
  try {
    read_program("/nowhere/program");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("/nowhere/program"));
  }
}

}  // namespace
}  // namespace heddle::fatbin
