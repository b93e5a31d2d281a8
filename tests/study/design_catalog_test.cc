#include "study/design/design_catalog.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gpu/presets.h"
#include "study/plan/plan.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Design> choose(const std::string& text) {
  const std::vector<std::string> texts{text};
  return choose_designs(texts, design_catalog());
}

std::vector<std::string> names(const std::vector<Design>& designs) {
  std::vector<std::string> all;
  for (const Design& d : designs) all.push_back(d.name);
  return all;
}

std::vector<std::string> sets(const Design& d) {
  std::vector<std::string> all;
  for (const Assignment& a : d.sets) all.push_back(a.text);
  return all;
}

// The whole text of the error.
std::string refusal(const std::string& text) {
  try {
    choose(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

DesignCatalog parsed(const std::string& text) {
  return parse_catalog(config::TomlSource("designs.toml", text));
}

constexpr const char* kHead =
    "[default]\nclusters = [\"a\"]\nsingle = [\"a\"]\n[design.a]\ndescription = \"as it is\"\n";

// Some have numbers of nodes that suit the 80 cores of their paper.
bool builds(const Design& design) {
  for (const char* machine : {"clustered60", "cu80"}) {
    try {
      machine_of(design, gpu::load_config(machine));
      return true;
    } catch (const Error&) {
    }
  }
  return false;
}

TEST(DesignCatalog, EveryDesignCanBeBuiltOnAMachine) {
  ASSERT_GT(design_catalog().designs.size(), 9u);
  for (const NamedDesign& d : design_catalog().designs) {
    EXPECT_FALSE(d.design.description.empty()) << d.design.name;
    EXPECT_TRUE(builds(d.design)) << d.design.name;
  }
  EXPECT_TRUE(design_catalog().find("baseline")->sets.empty());
}

// What a technique's folder holds comes after the others, may build on them and may be compared by default.
TEST(DesignCatalog, TechniquesBringTheirDesigns) {
  const std::vector<config::TomlSource> techniques = {
      {"src/techniques/x/designs.toml",
       "[design.x]\nbase = \"a\"\ndescription = \"x\"\nset = { l1.ways = 8 }\n"},
      {"src/techniques/y/designs.toml", "[design.y]\nbase = \"x\"\ndescription = \"y\"\n"}};
  const std::string head =
      "[default]\nclusters = [\"a\", \"x\"]\nsingle = [\"a\"]\n[design.a]\ndescription = \"a\"\n";
  const DesignCatalog catalog = parse_catalog(config::TomlSource("designs.toml", head), techniques);
  EXPECT_THAT(catalog.names(), ElementsAre("a", "x", "y"));
  EXPECT_THAT(sets(*catalog.find("y")), ElementsAre("l1.ways=8"));
  EXPECT_THAT(catalog.default_clusters, ElementsAre("a", "x"));
}

TEST(DesignCatalog, FilesOfTechniquesAreCheckedAsTheOthers) {
  const auto said = [](const std::string& text) -> std::string {
    const std::vector<config::TomlSource> techniques = {{"src/techniques/x/designs.toml", text}};
    try {
      parse_catalog(config::TomlSource("designs.toml", kHead), techniques);
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(said("[design.A]\ndescription = \"again\"\n"),
              HasSubstr("src/techniques/x/designs.toml:1:1: 'A' names another design already"));
  EXPECT_THAT(said("[design.x]\n"), HasSubstr("expected a description"));
  EXPECT_THAT(said("[design.\"x, y\"]\ndescription = \"two\"\n"), HasSubstr("a comma divides designs"));
  EXPECT_NE(said("[default]\nclusters = [\"a\"]\n"), "accepted");
}

// The designs of intra-cluster coalescing lie in its folder. Those of other folders stand between or follow.
TEST(DesignCatalog, TheOrderIsThatOfTheFiles) {
  std::vector<std::string> names = design_catalog().names();
  const auto icc = std::find(names.begin(), names.end(), "ICC");
  names.erase(std::find(names.begin(), names.end(), "banked") + 1, icc);
  names.resize(std::min<std::size_t>(names.size(), 22));
  EXPECT_THAT(names,
              ElementsAre("baseline", "2L-RR", "two_level_rr", "G-RR", "global_rr", "Greedy", "greedy", "D",
                          "distributed", "DB", "distributed_block", "plain", "LRC", "banked", "ICC", "ICC+CC",
                          "icc_cc", "D+ICC", "D+ICC+CC", "DB+ICC", "DB+ICC+CC", "DB+LRC"));
}

TEST(DesignCatalog, NamesOfImplementationsAndAnyCaseFindADesign) {
  EXPECT_THAT(names(choose("baseline, db+icc,distributed_block")), ElementsAre("baseline", "DB+ICC", "DB"));
  EXPECT_EQ(design_catalog().find("nothing"), nullptr);
}

TEST(DesignCatalog, ADesignTakesOverWhatItBuildsOn) {
  const std::vector<Design> d =
      choose("big:DB:icc:cluster.icc.entries=160,bigger:big:cluster.icc.entries=200");
  ASSERT_EQ(d.size(), 2u);
  EXPECT_THAT(sets(d[0]), ElementsAre("cta.scheduler=\"distributed_block\"", "cluster.merger=\"icc\"",
                                      "cluster.icc.entries=160"));
  EXPECT_EQ(sets(d[1]).back(), "cluster.icc.entries=200");
  EXPECT_EQ(sets(d[1]).size(), 4u);
}

TEST(DesignCatalog, CommasAndColonsInListsAndQuotesBelongToTheValue) {
  const std::vector<Design> d = choose("x:a.b=[1,2]:c.d=\"p:q,r\",DB");
  ASSERT_EQ(d.size(), 2u);
  EXPECT_THAT(sets(d[0]), ElementsAre("a.b=[1,2]", "c.d=\"p:q,r\""));
}

TEST(DesignCatalog, WrongNamesAreShownAtTheirPlace) {
  EXPECT_THAT(refusal("baseline,DB+IC"), HasSubstr("--designs:1:10: no design is called 'DB+IC'"));
  EXPECT_THAT(refusal("baseline,DB+IC"), HasSubstr("did you mean 'DB+ICC'?"));
  EXPECT_THAT(refusal("x:DBX:l1.ways=2"), HasSubstr("--designs:1:3: no design is called 'DBX'"));
  EXPECT_THAT(refusal("DB,,D"), HasSubstr("--designs:1:4: expected the name of a design"));
  EXPECT_THAT(refusal("DB,db"), HasSubstr("the design 'DB' is there already"));
  EXPECT_THAT(refusal("l1.ways=2"), HasSubstr("a design of your own needs a name first"));
  EXPECT_THAT(refusal("icc:l1.ways=2"), HasSubstr("'icc' is the name of a design that exists"));
}

TEST(DesignCatalog, AFileOfDesignsMayBuildOnTheCatalog) {
  const auto file =
      std::filesystem::temp_directory_path() / ("designs_" + std::to_string(getpid()) + ".toml");
  std::ofstream(file)
      << "[design.first]\n[design.wide]\nbase = \"DB\"\nmachine = \"v100\"\nset = { l1.ways = 8 }\n";
  const std::vector<Design> d = choose("baseline," + file.string());
  EXPECT_THAT(names(d), ElementsAre("baseline", "first", "wide"));
  EXPECT_THAT(sets(d[2]), ElementsAre("cta.scheduler=\"distributed_block\"", "l1.ways=8"));
  EXPECT_EQ(d[2].machine, "v100");
  EXPECT_EQ(d[2].place.line, 2u);
  std::ofstream(file) << "[design.x]\nbase = \"DBB\"\n";
  EXPECT_THAT(refusal(file.string()), HasSubstr(":2:8: no design above this one is called 'DBB'"));
  std::ofstream(file) << "[design.x]\nsett = { l1.ways = 8 }\n";
  EXPECT_THAT(refusal(file.string()), HasSubstr("sett"));
  std::ofstream(file) << "# nothing\n";
  EXPECT_THAT(refusal(file.string()), HasSubstr("the file has no [design.NAME]"));
  std::filesystem::remove(file);
}

TEST(DesignCatalog, ItemsKnowTheDesignTheyName) {
  const auto items = design_items("icc_cc, big:ICC:cluster.icc.entries=[1,2], my.toml", design_catalog());
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].name, "ICC+CC");
  EXPECT_EQ(items[1].name, "big");
  EXPECT_EQ(items[1].text, "big:ICC:cluster.icc.entries=[1,2]");
  EXPECT_EQ(items[2].name, "");
}

TEST(DesignCatalog, ABadCatalogIsRefusedWithItsLine) {
  EXPECT_EQ(parsed(kHead).designs.size(), 1u);
  EXPECT_THROW(parsed("[design.a]\ndescription = \"x\"\n"), Error);  // no [default]
  EXPECT_THROW(parsed(std::string(kHead) + "[design.b]\n"), Error);  // no description
  EXPECT_THROW(parsed(std::string(kHead) + "[design.b]\ndescription = \"x\"\nalso = [\"A\"]\n"), Error);
  EXPECT_THROW(parsed(std::string(kHead) + "[design.b]\ndescription = \"x\"\nspeed = 2\n"), Error);
  EXPECT_THROW(parsed("[default]\nclusters = [\"b\"]\nsingle = [\"a\"]\n[design.a]\ndescription = \"x\"\n"),
               Error);
}

// Names joined by '+' are several designs in one machine, the longest names first.
TEST(DesignCatalog, DesignsGoTogether) {
  const std::vector<Design> chosen = choose("baseline,Sh40+WarpPool,sh40+c10+boost+d");
  EXPECT_THAT(names(chosen), ElementsAre("baseline", "Sh40+WarpPool", "Sh40+C10+Boost+D"));
  const std::vector<std::string> both = sets(chosen[1]);
  EXPECT_THAT(both, testing::Contains("sm.load_front=\"warppool\""));
  EXPECT_THAT(both, testing::Contains("l1.decoupled.clusters=1"));
  EXPECT_THAT(sets(chosen[2]), testing::Contains("l1.decoupled.boost=2"));
  EXPECT_THAT(chosen[1].description, HasSubstr("; "));
  // A name of the catalog is that design, also where its parts have names.
  EXPECT_EQ(choose("DB+ICC").front().description, design_catalog().find("DB+ICC")->description);
  EXPECT_THAT(names(choose("mine:Sh40+D:l1.ways=2")), ElementsAre("mine"));
}

TEST(DesignCatalog, AnImplementationPerSlot) {
  EXPECT_THAT(refusal("baseline,MRPB+WarpPool"), HasSubstr("--designs:1:10: 'MRPB' and 'WarpPool' do not go "
                                                           "together: both set sm.load_front"));
  EXPECT_THAT(refusal("Sh40+Sh41"), HasSubstr("no design is called 'Sh40+Sh41'"));
  EXPECT_THAT(refusal("Sh40+"), HasSubstr("no design is called"));
  EXPECT_THAT(refusal("+D"), HasSubstr("no design is called"));
}

}  // namespace
}  // namespace heddle::study
