#include "cluster/mergers.h"

#include <array>

#include "cluster/plain_merger.h"
#include "cluster/request_coalescer.h"

namespace heddle::cluster {
namespace {

MergerFactory read_plain(config::Reader&) {
  return [](const MergerPlace&) { return std::make_unique<PlainMerger>(); };
}

MergerFactory read_coalescer(config::Reader& section) {
  CoalescerSpec spec;
  spec.fields(section);
  return [spec](const MergerPlace&) { return std::make_unique<RequestCoalescer>(spec); };
}

constexpr std::array kMergers = {
    MergerKind{"plain", "every request goes to the network", read_plain},
    MergerKind{"lrc", "L2 request coalescer: SMs share a read while it is under way", read_coalescer,
               "request coalescer"},
};

}  // namespace

std::span<const MergerKind> mergers() {
  return kMergers;
}

}  // namespace heddle::cluster
