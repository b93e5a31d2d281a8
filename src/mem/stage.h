// A stage of the machine: all parts of one kind that a request meets on its way from an SM to DRAM (the L1s,
// the clusters' ports, the networks, ...), and what they tell about themselves.
//
// A machine is a list of stages, from the SMs down (gpu/stages.h). What looks at a whole machine walks that
// list and knows none of them by name: the statistics of a run, the check at every kernel's end that nothing
// got lost, the funnel, the curves over time, the picture of `heddle describe`. So a part that merges,
// splits, holds or makes requests brings its counters, its identities and its levels of the funnel with it.
//
// A stage is made from the machine's description alone, and then says what there will be: names, places,
// pictures. With its parts attached (each kind of stage has its own way) it also reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mem/funnel.h"
#include "mem/structure.h"
#include "sim/time.h"
#include "stats/groups.h"

namespace heddle::mem {

// What went over the edges of a stage during a kernel, as the stage itself counted it. What one stage sends
// the next one that counts must have received. None: the stage does not count it, or has no such edge.
struct Edges {
  using Count = std::optional<std::uint64_t>;
  Count requests_in = {}, requests_out = {};  // from above, and to below
  Count answers_in = {}, answers_out = {};    // from below, and to above
  Count loads_in = {}, loads_out = {};        // of the requests: loads from global memory
};

// Two counts that must be equal when a kernel has ended.
struct Identity {
  std::string what;  // "L1 reads and their outcomes"
  std::uint64_t one = 0, other = 0;
};

// A counter that is kept over time.
struct Series {
  std::string statistic;      // its name: samples add up to it (but for "l1.mshr_cycles", which is none)
  double most_per_cycle = 0;  // of a core cycle, by the description; 0: nothing limits it
};

// What a page draws of series: their sum per cycle, or as a share of something.
struct Curve {
  enum class Of : std::uint8_t {
    Cycles,  // per cycle
    Most,    // of the most that the first one can have
    Rest,    // what is left of that most
    Others   // of the sum of `under`
  };
  std::string name;  // "l1.hits"
  std::string title, unit, group;
  std::vector<std::string> over;
  Of of = Of::Cycles;
  std::vector<std::string> under = {};
  double times = 1;      // of Cycles: in another unit
  bool stacked = false;  // on top of the others of its group
};

// A stage in the picture of a machine: lines of text in a box.
struct Picture {
  std::vector<std::string> lines;
  // Core cycles of the wires to the stage above and back. None: it stands in the same box.
  struct Wires {
    std::uint32_t requests = 0, answers = 0;
  };
  std::optional<Wires> wires = {};
};

class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::string_view name() const = 0;  // in sentences: "the L1s"

  // ---- from the description alone

  // Its groups of counters, all zero.
  virtual void declare(stats::Groups& all) const = 0;
  // Those of meters, which only count when the description asks for it (section `measure`).
  virtual void declare_meters(stats::Groups&) const {}
  virtual Edges edges(const stats::Groups&) const { return {}; }
  // What must be equal inside of the stage.
  virtual std::vector<Identity> identities(const stats::Groups&) const { return {}; }
  // Appends its levels and its place.
  virtual void funnel(const stats::Groups&, Funnel&) const {}
  virtual std::vector<Series> series() const { return {}; }
  virtual std::vector<Curve> curves() const { return {}; }
  virtual Picture picture() const { return {}; }
  // Its hardware, as far as there are models of what it costs.
  virtual std::vector<Structure> structures() const { return {}; }

  // ---- from its parts

  // Adds what they have counted to the groups that declare() makes.
  virtual void collect(stats::Groups& all) const = 0;
  virtual void collect_meters(stats::Groups&) const {}
  // A launch, or several at a time, took `cycles`: adds to `all`, collected before, what follows from it.
  virtual void lasted(sim::Cycle, stats::Groups&) const {}
  virtual void clear_statistics() = 0;
  // Puts the present values of series() at `into`, in their order; `now`: with what parts that sleep have not
  // written down yet. Cheap: it happens every few hundred cycles.
  virtual void read_series(sim::Cycle, std::uint64_t*) const {}
  // Nothing inside that has not been answered; what lies in channels between parts does not count.
  virtual bool idle() const = 0;
  // A kernel has ended, and everything is idle.
  virtual void kernel_end() {}
};

using StageList = std::vector<Stage*>;

// All that must be equal at a kernel's end: what neighbours have sent each other, and what each stage says of
// itself.
std::vector<Identity> identities(const StageList& stages, const stats::Groups& s);
Funnel funnel(const StageList& stages, const stats::Groups& s, bool measured);

}  // namespace heddle::mem
