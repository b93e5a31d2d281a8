// Where a kernel's locality between CTAs comes from, and how its CTAs should be cut into clusters, as far as
// its text tells (rules 1, 4, 9 and the last of rule 18; the others of rule 18 measure).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "techniques/cta_clustering/framework/footprint.h"
#include "techniques/cta_clustering/rewrite/partition.h"

namespace heddle::cta_clustering {

enum class Category : std::uint8_t { Algorithm, CacheLine, Data, Write, Streaming, Unknown };
std::string_view name(Category c);
// Clustering can make use of it: what is shared is known before the kernel runs.
constexpr bool exploitable(Category c) {
  return c == Category::Algorithm || c == Category::CacheLine;
}

// The larger part decides: of what a CTA asks for, or of what it reads. Halos of one or two cells stay below
// it, tiles that CTAs share are far above.
inline constexpr double kLargePart = 1.0 / 2;
// Lines that neighbours share, below which a kernel is as good as without: a line at the rim of a CTA's data
// that does not start with a line.
inline constexpr double kSmallPart = 1.0 / 8;

struct Partitioning {
  Order order = Order::Row;
  std::vector<std::string> reasons;
  double row_bytes = 0, column_bytes = 0;  // that a CTA reads and a neighbour in that direction, too
  Order as_printed = Order::Row;           // rule 9 by the letter: which coordinate is a last index
};

struct StaticClass {
  Category category = Category::Unknown;
  std::vector<std::string> reasons;
  std::vector<Category> also;  // further sources with evidence of their own, strongest first
  Partitioning partition;
  std::string measure;               // what a measurement has to decide; empty: nothing
  std::vector<std::string> assumed;  // numbers that were not known
  Evidence evidence;
  double requests = 0;  // lines that all CTAs of a launch ask for: which of several kernels counts most
};

StaticClass classify(const ptx::KernelAddresses& addresses, const Circumstances& c);

}  // namespace heddle::cta_clustering
