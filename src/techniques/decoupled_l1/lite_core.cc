#include "techniques/decoupled_l1/lite_core.h"

#include <algorithm>

namespace heddle::decoupled_l1 {

using sim::Cycle;

LiteCore::LiteCore(const sm::SmSpec& spec, std::uint32_t sm, const hierarchy::L1Setting& setting,
                   const Geometry& geometry, const mem::PacketFormat& format, Packets& to_node,
                   Packets& from_node, const sm::FrontL1& l1)
    : Core(spec, sm, setting.sms(), setting.core),
      geometry_(geometry),
      format_(format),
      out_(to_node),
      in_(from_node) {
  sm_.connect(*this, l1);
}

mem::L1Port::Answer LiteCore::access(Cycle now, const mem::Request& request) {
  mem::Packet p{request, static_cast<std::uint16_t>(id_),
                static_cast<std::uint16_t>(geometry_.node_of(id_, request.line)),
                mem::flits(format_, request), 0};
  p.vc = mem::virtual_channel(p.destination, out_.virtual_channels());
  const std::uint32_t places = format_.places(p.flits);
  if (const Cycle room = out_.room_at(p.vc, places); room > now) {
    retry_ = room;
    full_vc_ = p.vc;
    wanted_ = places;
    return {};
  }
  out_.send(now, p, p.vc, places);
  return {Outcome::Pending};
}

Cycle LiteCore::run(Cycle from, Cycle until) {
  Cycle now = from;
  prefetch(until - from);
  while (now < until) {
    if (const Cycle decided = decided_until(); now >= decided) return decided;
    sm_.begin(now);
    // Room has been made known for what was refused: it may be tried again.
    if (wanted_ != 0 && out_.room_at(full_vc_, wanted_) <= now) {
      wanted_ = 0;
      sm_.unblock();
    }
    if (in_.ready(now) && sm_.takes_replies()) {
      do {
        sm_.client().reply(now, in_.front().request);
        in_.pop(now);
      } while (in_.ready(now) && sm_.takes_replies());
      sm_.unblock();
    }
    sm_.step(now);
    Cycle next = std::min(sm_.next(now), in_.next_arrival());
    if (wanted_ != 0) next = std::min(next, out_.room_at(full_vc_, wanted_));
    now = std::max(now + 1, next);
  }
  return std::min(now, decided_until());
}

}  // namespace heddle::decoupled_l1
