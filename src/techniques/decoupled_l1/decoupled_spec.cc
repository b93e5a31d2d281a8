#include "techniques/decoupled_l1/decoupled_spec.h"

namespace heddle::decoupled_l1 {

using config::range;

void DecoupledSpec::fields(config::Reader& r) {
  r.field("nodes", nodes, range(0, 1024), "DC-L1 nodes (Y); 0: as many as SMs");
  r.field("clusters", clusters, range(0, 1024),
          "Clusters of cores and nodes (Z): a line has one home in each; 1: one in the whole GPU (ShY); 0: a "
          "cluster per node (PrY)");
  r.field("queue", queue, range(1, 1024),
          "Entries of each queue of a node (Q1 to Q4), beside what its wire keeps busy");
  r.field("q1", q1, range(0, 1024), "Entries of Q1, requests of cores before the cache; 0: `queue`");
  r.field("q2", q2, range(0, 1024), "Entries of Q2, replies on their way to NoC#1; 0: `queue`");
  r.field("q3", q3, range(0, 1024), "Entries of Q3, requests on their way to L2; 0: `queue`");
  r.field("q4", q4, range(0, 1024), "Entries of Q4, replies of L2 before the cache; 0: `queue`");
  r.field("boost", boost, range(1, 16),
          "Clock of the network between cores and nodes (NoC#1), in clocks of "
          "the memory networks");
  r.field("wire", wire, range(1, 1000), "Core cycles between a core or a node and NoC#1");
  r.field("sets", sets, range(0u, 1u << 20), "Sets of a node's cache; 0: those of its cores' L1s together");
  r.field("ways", ways, range(0, 1024), "Ways of a node's cache; 0: those of an L1");
  r.field("latency", latency, range(0, 1000), "Cycles of a hit in a node; 0: those of an L1");
  r.field("mshr_entries", mshr_entries, range(0, 4096),
          "Lines that a node waits for at the same time; 0: those of its cores' L1s together");
  r.field("mshr_merges", mshr_merges, range(0, 1024),
          "Requests that wait for one line in a node; 0: those of its cores' L1s together");
}

}  // namespace heddle::decoupled_l1
