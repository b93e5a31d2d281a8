// What other mergers would do in an H200 in place of its request coalescer: the eight programs on the preset
// h200 with every design of data/mergers.csv, beside the card's own counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/peer.h"

namespace heddle::validation {

// A line of data/mergers.csv.
struct MergerDesign {
  std::string name;
  std::string beside;  // the design that it adds something to; empty: none
  std::string description;
  std::vector<std::string> settings;  // on top of the preset; empty: the card itself
};
std::vector<MergerDesign> merger_designs();  // throws Error

// A program with a design. Sectors are those that global reads ask for after missing in an L1:
// offered = asked + merged + held.
struct MergerPoint {
  std::uint64_t offered = 0;                   // reached the merger
  std::uint64_t asked = 0;                     // went on to L2
  std::uint64_t merged = 0;                    // asked for already by another request
  std::uint64_t held = 0;                      // stored in the merger
  std::uint64_t l2_reads = 0;                  // sectors, as L2 counts them
  std::uint64_t requests = 0, unrecorded = 0;  // reads; of these, found the merger's table full
  std::uint64_t cycles = 0;                    // without launch overheads
  double kept() const;                         // share of `offered` that never reached L2
};

// The card's counters, over the launches of a program.
struct CardMerging {
  double received = 0;  // sectors that L1s received: l1tex__m_xbar2l1tex_read_sectors
  double l2_reads = 0;  // sectors that L2 was asked for: lts__t_sectors_srcunit_tex_op_read
  double kept() const;
};

struct MergerRow {
  std::string program;
  CardMerging card;
  std::vector<MergerPoint> points;  // by design
};

struct MergersResult {
  std::vector<MergerDesign> designs;
  std::size_t reference = 0;  // the design that is the card
  std::vector<MergerRow> rows;

  // Over the programs: the arithmetic mean of kept(), the geometric means beside the reference.
  double mean_kept(std::size_t design) const;
  double mean_card_kept() const;
  double mean_l2_reads(std::size_t design) const;
  double mean_card_l2_reads() const;
  double mean_cycles(std::size_t design) const;
  double cycles(const MergerRow& row, std::size_t design) const;  // beside the reference
};

// `selection.threads`: points at once, each on one thread; 0: one per core.
MergersResult compare_mergers(const Selection& selection);

// What the numbers say: the reference beside the card, then each design beside the one it adds something to.
std::vector<std::string> findings(const MergersResult& result);

}  // namespace heddle::validation
