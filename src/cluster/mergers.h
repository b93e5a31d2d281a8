// What a kind of merger tells about itself, and the kinds that come with a cluster. Techniques bring theirs
// in the same form; the catalog (gpu/catalog.h) has them all.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/units.h"
#include "cluster/miss_merger.h"
#include "config/reader.h"

namespace heddle::cluster {

struct MergerPlace {
  std::uint32_t cluster = 0;
  std::uint32_t sms = 1;  // of the cluster
  Bytes line{128};        // of the L1s
  bool sectored = false;  // the L1s ask for sectors, not for whole lines
};
using MergerFactory = std::function<std::unique_ptr<MissMerger>(const MergerPlace&)>;

struct MergerKind {
  std::string_view name;
  std::string_view description;
  // Reads (or only describes) the merger's parameters; what it returns makes one merger per cluster.
  MergerFactory (*read)(config::Reader& section);
  // What it is that merges requests, and what holds lines: "merge table". Empty: it has no such thing.
  std::string_view merged_by = {}, held_by = {};
};

std::span<const MergerKind> mergers();

}  // namespace heddle::cluster
