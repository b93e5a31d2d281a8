#include "techniques/cta_clustering/framework/static_class.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "techniques/cta_clustering/framework/choose_partition.h"

namespace heddle::cta_clustering {
namespace {

double part(double of, double all) {
  return all > 0 ? of / all : 0;
}

std::string percent(double p) {
  return fmt::format("{:.0f}%", 100 * p);
}

// The rules in their order: the first that holds names the category, later ones are further sources.
class Rules {
 public:
  explicit Rules(const Numbers& numbers, const Evidence& e) : numbers_(numbers), e_(e) {}

  StaticClass apply() {
    unknown();
    data();
    write();
    scattered();
    algorithm();
    lines();
    if (result_.reasons.empty()) streaming();
    everywhere();
    return std::move(result_);
  }

 private:
  void found(Category c, std::string reason) {
    if (result_.reasons.empty()) {
      result_.category = c;
      result_.reasons.push_back(std::move(reason));
    } else if (c == result_.category) {
      result_.reasons.push_back(std::move(reason));
    } else if (std::find(result_.also.begin(), result_.also.end(), c) == result_.also.end()) {
      result_.also.push_back(c);
      result_.reasons.push_back("also: " + reason);
    }
  }

  void unknown();
  void data();
  void write();
  void scattered();
  void algorithm();
  void lines();
  void streaming();
  void everywhere();
  std::string sharing(const ArrayReads& a) const;

  const Numbers& numbers_;
  const Evidence& e_;
  StaticClass result_;
};

void Rules::unknown() {
  const double p = part(e_.not_understood, e_.requests);
  if (p < kLargePart) return;
  found(Category::Unknown,
        fmt::format("{} of the requests go to addresses that could not be followed", percent(p)));
  result_.measure =
      "whether the L1 hit rate changes when CTAs are redirected in rows and in columns on a small problem "
      "(then algorithm or cache-line), else whether requests are coalesced (streaming) or not (data)";
}

void Rules::data() {
  const double p = part(e_.by_data, e_.requests);
  if (p < kLargePart) return;
  found(Category::Data,
        fmt::format("{} of the requests go to addresses that depend on loaded data", percent(p)));
}

void Rules::write() {
  if (e_.written_by_neighbours.empty()) return;
  found(Category::Write,
        fmt::format("{} is read and written at different places: CTAs write lines that their "
                    "neighbours read",
                    fmt::join(e_.written_by_neighbours, ", ")));
}

void Rules::scattered() {
  const double p = part(e_.scattered, e_.requests);
  if (p < kLargePart) return;
  found(Category::CacheLine,
        fmt::format("{} of the requests come from instructions whose lanes have a line of their own each, "
                    "and use a few bytes of it",
                    percent(p)));
}

std::string Rules::sharing(const ArrayReads& a) const {
  const double row = part(a.bytes.with_row, a.bytes.all), column = part(a.bytes.with_column, a.bytes.all);
  const bool x = numbers_.grid().x > 1, y = numbers_.grid().y > 1;
  if (x && row > 0.99)
    return fmt::format("{} does not depend on blockIdx.x: CTAs of a row read the same data", a.array);
  if (y && column > 0.99)
    return fmt::format("{} does not depend on blockIdx.y: CTAs of a column read the same data", a.array);
  return fmt::format("{}: neighbours in a row share {}, in a column {}", a.array, percent(row),
                     percent(column));
}

void Rules::algorithm() {
  const double p = part(e_.bytes.with_any, e_.bytes.all);
  if (p < kLargePart) return;
  found(Category::Algorithm,
        fmt::format("{} of the bytes that a CTA reads are read by a neighbour, too", percent(p)));
  if (result_.category != Category::Algorithm) return;
  for (const ArrayReads& a : e_.arrays)
    if (part(a.bytes.with_any, e_.bytes.all) >= kSmallPart) result_.reasons.push_back(sharing(a));
}

void Rules::lines() {
  const double p = part(e_.lines.with_any, e_.lines.all);
  // What is shared byte by byte has been found.
  if (p < kSmallPart || part(e_.bytes.with_any, e_.bytes.all) >= kLargePart) return;
  found(Category::CacheLine,
        fmt::format("{} of the lines that a CTA reads are touched by a neighbour, too (of the bytes {})",
                    percent(p), percent(part(e_.bytes.with_any, e_.bytes.all))));
}

void Rules::streaming() {
  result_.category = Category::Streaming;
  if (numbers_.grid().count() == 1)
    result_.reasons.push_back("there is a single CTA");
  else if (e_.requests == 0)
    result_.reasons.push_back("nothing is read from global memory");
  else if (part(e_.bytes.everywhere, e_.bytes.all) >= kLargePart)
    result_.reasons.push_back("what CTAs share is the same for all of them, in whatever order they run");
  else
    result_.reasons.push_back(
        fmt::format("a CTA reads data of its own, in whole lines (neighbours touch {} of them)",
                    percent(part(e_.lines.with_any, e_.lines.all))));
}

void Rules::everywhere() {
  for (const ArrayReads& a : e_.arrays)
    if (part(a.bytes.everywhere, a.bytes.all) >= kLargePart)
      result_.reasons.push_back(
          fmt::format("{} is the same for all CTAs: clustering changes nothing about it", a.array));
}

}  // namespace

std::string_view name(Category c) {
  switch (c) {
    case Category::Algorithm:
      return "algorithm";
    case Category::CacheLine:
      return "cache-line";
    case Category::Data:
      return "data";
    case Category::Write:
      return "write";
    case Category::Streaming:
      return "streaming";
    case Category::Unknown:
      return "unknown";
  }
  return "?";
}

StaticClass classify(const ptx::KernelAddresses& addresses, const Circumstances& c) {
  const Numbers numbers(addresses, c);
  Evidence evidence = find_evidence(addresses, numbers, c.line_bytes);
  StaticClass result = Rules(numbers, evidence).apply();
  result.partition = choose_partition(addresses, numbers, evidence, result.category);
  result.assumed = numbers.assumed();
  if (result.measure.empty() && !result.assumed.empty())
    result.measure = "nothing but the sizes that are assumed here: a launch tells them";
  if (!addresses.notes.empty())
    result.reasons.insert(result.reasons.end(), addresses.notes.begin(), addresses.notes.end());
  result.requests = evidence.requests * static_cast<double>(numbers.grid().count());
  result.evidence = std::move(evidence);
  return result;
}

}  // namespace heddle::cta_clustering
