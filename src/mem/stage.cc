#include "mem/stage.h"

#include <fmt/format.h>

namespace heddle::mem {
namespace {

// The last stage that counted something going one way, and how much.
class Sent {
 public:
  explicit Sent(std::string_view what) : what_(what) {}
  void received(std::string_view by, const Edges::Count& n, std::vector<Identity>& all) {
    if (!n) return;
    if (!from_.empty()) all.push_back({fmt::format("{} from {} and at {}", what_, from_, by), count_, *n});
    from_ = {};
  }
  void send(std::string_view by, const Edges::Count& n) {
    if (!n) return;
    from_ = by;
    count_ = *n;
  }

 private:
  std::string_view what_, from_;  // from_ is empty: nobody has counted yet
  std::uint64_t count_ = 0;
};

}  // namespace

std::vector<Identity> identities(const StageList& stages, const stats::Groups& s) {
  std::vector<Identity> all;
  Sent requests("requests"), loads("global reads"), answers("answers");
  for (const Stage* stage : stages) {
    const Edges e = stage->edges(s);
    requests.received(stage->name(), e.requests_in, all);
    loads.received(stage->name(), e.loads_in, all);
    requests.send(stage->name(), e.requests_out);
    loads.send(stage->name(), e.loads_out);
    for (Identity& i : stage->identities(s)) all.push_back(std::move(i));
  }
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    const Edges e = (*stage)->edges(s);
    answers.received((*stage)->name(), e.answers_in, all);
    answers.send((*stage)->name(), e.answers_out);
  }
  return all;
}

Funnel funnel(const StageList& stages, const stats::Groups& s, bool measured) {
  Funnel f;
  f.measured = measured;
  for (const Stage* stage : stages) stage->funnel(s, f);
  return f;
}

}  // namespace heddle::mem
