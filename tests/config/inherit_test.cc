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
