// What a kind of prefetcher tells about itself, and the kinds that come with a cache. Techniques bring theirs
// in the same form; the catalog (gpu/catalog.h) has them all.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cache/prefetcher.h"
#include "config/reader.h"

namespace heddle::cache {

// Makes one prefetcher per L1. Empty: there is none.
using PrefetcherFactory = std::function<std::unique_ptr<Prefetcher>(const PrefetcherPlace&)>;

struct PrefetcherKind {
  std::string_view name;
  std::string_view description;
  // Reads (or only describes) the parameters of its own section.
  PrefetcherFactory (*read)(config::Reader& section);
};

std::span<const PrefetcherKind> prefetchers();

// The groups that L1s with such a prefetcher count in, at zero.
void declare(const PrefetcherFactory& make, stats::Groups& all);

}  // namespace heddle::cache
