#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "config/config.h"

namespace heddle::config {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Inherit : public testing::Test {
 protected:
  Inherit() : folder_(testing::TempDir() + "heddle_inherit_" + std::to_string(::getpid())) {
    fs::create_directories(folder_ / "presets");
  }
  ~Inherit() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, std::string_view text) {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }
  std::string error_of(const std::string& what) {
    try {
      Config::load(what, presets());
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  Presets presets() const { return Presets({folder_ / "presets"}); }

  fs::path folder_;
};

TEST_F(Inherit, LaterFilesReplaceValuesOfEarlierOnes) {
  file("presets/base.toml", "sms = 16\n[l1]\nsize = \"16KiB\"\nways = 4\n[[k]]\nx = 1\n[[k]]\nx = 2\n");
  file("presets/v100.toml", "inherits = \"base\"\nsms = 80\n[l1]\nsize = \"32KiB\"\n[[k]]\nx = 9\n");
  const std::string mine = file("mine.toml", "inherits = \"v100\"\n[l1]\nways = 8\n");
  const Config config = Config::load(mine, presets());
  EXPECT_EQ(config.find("sms")->value, Value{std::int64_t{80}});
  EXPECT_EQ(config.find("l1.size")->value, Value{std::string("32KiB")});
  EXPECT_EQ(config.find("l1.ways")->value, Value{std::int64_t{8}});
  EXPECT_EQ(config.list_size("k"), 1u);  // a list is replaced as a whole
  EXPECT_EQ(config.find("inherits"), nullptr);
  EXPECT_THAT(config.find("l1.size")->origin.brief(), HasSubstr("v100.toml:4"));
  EXPECT_EQ(presets().names(), (std::vector<std::string>{"base", "v100"}));
}

TEST_F(Inherit, AnEmptyListReplacesAList) {
  file("presets/base.toml", "[[k]]\nx = 1\n");
  file("presets/none.toml", "inherits = \"base\"\nk = []\n");
  EXPECT_EQ(Config::load("none", presets()).list_size("k"), 0u);
  file("presets/back.toml", "inherits = \"none\"\n[[k]]\nx = 3\n");
  EXPECT_EQ(Config::load("back", presets()).list_size("k"), 1u);
}

TEST_F(Inherit, FilesAreFoundBesideTheFile) {
  file("other.toml", "a = 1\n");
  const std::string mine = file("mine.toml", "inherits = \"other.toml\"\n");
  EXPECT_NE(Config::load(mine, presets()).find("a"), nullptr);
}

TEST_F(Inherit, BuiltInPresets) {
  const BuiltIn built_in[] = {{"fermi", "configs/fermi.toml", "sms = 15\n[l1]\nways = 4\n"},
                              {"mine", "configs/mine.toml", "inherits = \"fermi\"\nsms = 16\n"},
                              {"ring", "configs/ring.toml", "a = 1\ninherits = \"ring\"\n"}};
  const Presets library({folder_ / "presets"}, built_in);
  EXPECT_EQ(library.names(), (std::vector<std::string>{"fermi", "mine", "ring"}));
  const Config config = Config::load("mine", library);
  EXPECT_EQ(config.find("sms")->value, Value{std::int64_t{16}});
  EXPECT_EQ(config.find("l1.ways")->origin.brief(), "built-in:configs/fermi.toml:3");
  try {
    Config::load("ring", library);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("built-in:configs/ring.toml:2:12: a configuration may not inherit"));
  }
  // A user's preset of the same name comes first, and may not mean the built-in one by that name.
  file("presets/fermi.toml", "sms = 7\n");
  EXPECT_EQ(Config::load("fermi", library).find("sms")->value, Value{std::int64_t{7}});
  EXPECT_EQ(Config::load("mine", library).find("l1.ways"), nullptr);
  // A user's file, wherever it lies, may: its own name is no preset's.
  file("configs.toml", "inherits = \"mine\"\n");
  EXPECT_EQ(Config::load((folder_ / "configs.toml").string(), library).find("sms")->value,
            Value{std::int64_t{16}});
}

TEST_F(Inherit, Errors) {
  file("presets/v100.toml", "inherits = \"loop\"\n");
  file("presets/loop.toml", "inherits = \"v100\"\n");
  EXPECT_THAT(error_of("v100"), HasSubstr("may not inherit from itself"));
  EXPECT_THAT(error_of("v10"), HasSubstr("there is no preset 'v10'\n  did you mean 'v100'?"));
  EXPECT_THAT(error_of("xyz"), HasSubstr("known presets: loop, v100"));
  const std::string mine = file("mine.toml", "a = 1\ninherits = \"nothere.toml\"\n");
  EXPECT_THAT(error_of(mine), HasSubstr("mine.toml:2:12: cannot inherit from 'nothere.toml'"));
  EXPECT_THAT(error_of(file("self.toml", "inherits = \"self.toml\"")),
              HasSubstr("may not inherit from itself"));
  EXPECT_THAT(error_of(file("tty.toml", "inherits = '/dev/zero'")), HasSubstr("not a regular file"));
  EXPECT_THAT(error_of(file("type.toml", "inherits = 3")), HasSubstr("'inherits' must be a string"));
  file("flat.toml", "a = 1");
  EXPECT_THAT(error_of(file("clash.toml", "inherits = \"flat.toml\"\n[a]\nb = 1\n")),
              HasSubstr("'a.b' and 'a' cannot both have a value"));
}

TEST_F(Inherit, LongChainsEnd) {
  for (int i = 0; i < 40; ++i)
    file("presets/c" + std::to_string(i) + ".toml", "inherits = \"c" + std::to_string(i + 1) + "\"");
  EXPECT_THAT(error_of("c0"), HasSubstr("more than 16 files"));
}

}  // namespace
}  // namespace heddle::config
