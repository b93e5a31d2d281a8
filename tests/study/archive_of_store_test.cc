// An archive of what an earlier build left in a store.
#include <optional>

#include "base/error.h"
#include "base/version.h"
#include "study/plan/archive.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::HasSubstr;

class ArchiveOfStore : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    store_.emplace(folder_ / "s.sqlite");
    selected_.study.name = "fake";
    selected_.scale = fake_point("adds", 1).scale;
  }
  void keep(std::uint64_t seed, const Label& label) {
    const Point p = fake_point("adds", seed);
    store_->keep(p, simulate(p, FakeWorkloads().find()("adds")));
    store_->label(p.key(), label);
  }
  std::string failure(std::string_view source) const {
    try {
      archive_of(*store_, selected_, source);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  std::optional<Store> store_;
  Selected selected_;
};

TEST_F(ArchiveOfStore, HoldsThePointsOfTheStudyWithTheirWords) {
  keep(1, {"fake", "base", ""});
  keep(1, {"fake", "alias", ""});
  keep(2, {"fake", "base", "offset"});
  keep(3, {"compare", "base", ""});
  const Archive a = archive_of(*store_, selected_, build_info().source_hash.substr(0, 8));
  ASSERT_EQ(a.points.size(), 2u);
  EXPECT_EQ(a.source_hash(), build_info().source_hash);
  EXPECT_EQ(a.points[0].point.machine, fake_point("adds", 1).machine);
  const Evidence e = evidence_of(unpack(pack(a), "x"));
  EXPECT_NE(e.find({"base", "adds", ""}), nullptr);
  EXPECT_NE(e.find({"alias", "adds", ""}), nullptr);
  EXPECT_NE(e.find({"base", "adds", "offset"}), nullptr);
  EXPECT_EQ(e.results().size(), 3u);
}

TEST_F(ArchiveOfStore, KeepsTheMachinesOfAStudyApart) {
  keep(1, {"fake", "base", ""});
  keep(2, {"fake@first", "base", ""});
  keep(3, {"fake", "elsewhere", ""});
  keep(3, {"fake@first", "elsewhere", ""});
  EXPECT_EQ(archive_of(*store_, selected_, "").points.size(), 2u);
  selected_.study.machine = "first";
  const Archive first = archive_of(*store_, selected_, "");
  ASSERT_EQ(first.points.size(), 2u) << "a point of both is in both";
  EXPECT_EQ(first.points[0].point.seed, 2u);
  EXPECT_EQ(first.study, "fake@first");
  selected_.study.machine = "second";
  EXPECT_THAT(failure(""), HasSubstr("no point of the study 'fake@second'"));
}

TEST_F(ArchiveOfStore, SaysWhenABuildKeptNothing) {
  EXPECT_THAT(failure("abc"), HasSubstr("no point of the study 'fake'"));
  keep(1, {"fake", "base", ""});
  EXPECT_THAT(failure("no such source"), HasSubstr("heddle results"));
  selected_.scale = workload::Scale::Paper;
  EXPECT_THAT(failure(""), HasSubstr("at scale paper"));
}

TEST_F(ArchiveOfStore, TakesAWorkloadAtItsOwnScale) {
  keep(1, {"fake", "base", ""});
  selected_.study.workloads = {{"adds", "A", selected_.scale}};
  selected_.study.scale = selected_.scale = workload::Scale::Paper;
  EXPECT_EQ(archive_of(*store_, selected_, "").points.size(), 1u);
}

}  // namespace
}  // namespace heddle::study
