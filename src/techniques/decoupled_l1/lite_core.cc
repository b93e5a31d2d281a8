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

void LiteCore::receive(Cycle now) {
  // Room has been made known for what was refused: it may be tried again.
  if (wanted_ != 0 && out_.room_at(full_vc_, wanted_) <= now) {
    wanted_ = 0;
    sm_.unblock();
  }
  if (!in_.ready(now) || !sm_.takes_replies()) return;
  do {
    sm_.client().reply(now, in_.front().request);
    in_.pop(now);
  } while (in_.ready(now) && sm_.takes_replies());
  sm_.unblock();
}

Cycle LiteCore::next_answer(Cycle) const {
  const Cycle arrival = in_.next_arrival();
  return wanted_ == 0 ? arrival : std::min(arrival, out_.room_at(full_vc_, wanted_));
}

}  // namespace heddle::decoupled_l1
