#include "cluster/plain_merger.h"

namespace heddle::cluster {

MissMerger::Verdict PlainMerger::offer(sim::Cycle, mem::Request& request, std::vector<mem::Request>&) {
  ++stats_.offered;
  ++stats_.forwarded;
  ++waiting_;
  if (mergeable(request)) {
    stats_.offered_sectors += mem::sector_count(request.sectors);
    stats_.forwarded_sectors += mem::sector_count(request.sectors);
  } else {
    ++stats_.bypassed;
  }
  return Verdict::Forward;
}

void PlainMerger::reply(sim::Cycle, const mem::Request& reply, std::vector<mem::Request>& answers) {
  ++stats_.replies;
  ++stats_.answers;
  --waiting_;
  answers.push_back(reply);
}

}  // namespace heddle::cluster
