// The merge table of intra-cluster coalescing (icc.md rules 7-14): the reads of a cluster that are under way,
// and which SMs wait for each.
//
// A waiter is a request as its SM sent it; the paper's SM list is what hardware keeps of it. The list has one
// bit per SM, or per SM and sector where L1s ask for sectors, so a request whose bit is set already cannot be
// listed. L1 MSHRs see to it that this does not happen (rule 12); where requests pass them by, it does.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/merge_table.h"

namespace heddle::intra_cluster {

class IccMergeTable {
 public:
  using Entry = std::uint32_t;

  // `sectors` of a line: the most requests of one SM in an entry.
  IccMergeTable(std::uint32_t entries, std::uint32_t sms, std::uint32_t sectors);

  enum class Result : std::uint8_t {
    Merged,     // rule 9a: listed; what it wants is under way
    Residual,   // rule 9a with sectors: listed; `ask` is not under way yet
    Allocated,  // rule 9b: `ask` must be sent
    Full,       // rule 9c: not recorded
    Repeated,   // its SM is listed for some of these sectors already: not recorded
  };
  struct Lookup {
    Result result;
    Entry entry;          // unless Full or Repeated: the token of the request that is sent
    mem::SectorMask ask;  // to be sent to the network
    bool stale;           // joined a read that is older than a write of the cluster
  };
  Lookup read(const mem::Request& request);

  // What an entry was when its last requester got its answer.
  struct Closed {
    bool closed = false;
    bool shared = false;   // more than one SM was listed
    bool written = false;  // the cluster wrote to the line meanwhile
    std::uint64_t line = 0;
    mem::SectorMask arrived = 0;
  };
  // Rule 10a: sectors of the entry's line have come; served(request) for everyone who has all of his now.
  template <class F>
  Closed reply(Entry e, mem::SectorMask sectors, F&& served) {
    Listed& l = listed_[e];
    l.arrived = static_cast<mem::SectorMask>(l.arrived | sectors);
    const std::uint64_t line = table_.key(e);
    const bool closed = table_.arrive(e, sectors, [&](const Requester& r) { served(r.request); });
    return {closed, l.shared, l.written, line, l.arrived};
  }
  // The cluster writes to a line. Requesters still join (rule 14 i), but the data must not be kept.
  void wrote(std::uint64_t line) {
    if (table_.used() == 0) return;
    if (const Entry e = table_.find(line); e != Table::kNone) listed_[e].written = true;
  }
  // The same for every line.
  void wrote_all();

  std::uint32_t used() const { return table_.used(); }

 private:
  struct Requester {
    mem::Request request;
    mem::SectorMask missing = 0;
  };
  using Table = mem::MergeTable<std::uint64_t, Requester>;
  // What is known of an entry beside its requesters.
  struct Listed {
    std::uint64_t sms = 0;  // number modulo 64 of those who ever joined: a quick no
    std::uint16_t first = 0;
    mem::SectorMask arrived = 0;
    bool shared = false, written = false;
  };
  static std::uint64_t bit(const mem::Request& r) { return std::uint64_t{1} << (r.sm % 64); }
  bool listed(Entry e, const mem::Request& r) const;

  Table table_;
  std::vector<Listed> listed_;  // by entry
};

// Bits of the table: per entry the line's address and the SM list, without valid bits, as the paper counts.
constexpr std::uint64_t merge_table_bits(std::uint64_t entries, std::uint64_t address_bits,
                                         std::uint64_t list_bits) {
  return entries * (address_bits + list_bits);
}

}  // namespace heddle::intra_cluster
