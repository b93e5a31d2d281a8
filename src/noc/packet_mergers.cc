#include <array>

#include "noc/packet_merger.h"

namespace heddle::noc {
namespace {

constexpr std::array kMergers = {
    PacketMergerKind{"none", "every request travels in a packet of its own",
                     [](config::Reader&) { return std::shared_ptr<const PacketMerging>(); }},
};

}  // namespace

std::span<const PacketMergerKind> packet_mergers() {
  return kMergers;
}

}  // namespace heddle::noc
