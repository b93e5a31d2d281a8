// The page as a file: data inside of it, whatever the data say.
#include "report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

constexpr const char* kPage =
    R"(<html><script type="application/json" id="heddle-data"></script><body>x</body></html>)";

std::string data_of(const std::string& page) {
  const std::string place = R"(id="heddle-data">)";
  const std::size_t from = page.find(place) + place.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(Page, HasTheDataInItsPlace) {
  const std::string page = filled(kPage, {{"schema", "heddle.page/1"}, {"n", 3}});
  EXPECT_TRUE(page.starts_with(R"(<html><script type="application/json" id="heddle-data">{)"));
  EXPECT_TRUE(page.ends_with("}</script><body>x</body></html>"));
  EXPECT_EQ(Json::parse(data_of(page))["n"], 3);
}

TEST(Page, NoTextEndsItsScript) {
  const std::string evil = "</script><script>alert('1 & 2')</script><!--";
  const std::string page = filled(kPage, {{"title", evil}, {evil, 1}});
  EXPECT_THAT(data_of(page), Not(HasSubstr("<")));
  EXPECT_THAT(data_of(page), Not(HasSubstr(">")));
  EXPECT_THAT(data_of(page), Not(HasSubstr("&")));
  EXPECT_EQ(Json::parse(data_of(page))["title"], evil);
  EXPECT_EQ(Json::parse(data_of(page))[evil], 1);
}

TEST(Page, TextsThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(Json::parse(script_json({{"a", "x\xff y"}}))["a"], "x\xEF\xBF\xBD y");
}

TEST(Page, WithoutAPlaceIsRefused) {
  EXPECT_THROW(filled("<html></html>", Json::object()), Error);
  // One that has data already.
  EXPECT_THROW(filled(filled(kPage, {{"a", 1}}), Json::object()), Error);
}

}  // namespace
}  // namespace heddle::report
