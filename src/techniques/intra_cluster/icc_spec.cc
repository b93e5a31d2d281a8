// Parameters of intra-cluster coalescing, and its storage by the paper's arithmetic.
#include <bit>

#include <fmt/format.h>

#include "techniques/intra_cluster/icc_merger.h"

namespace heddle::intra_cluster {

using config::range;

void MergeTableSpec::fields(config::Reader& r) {
  r.field("entries", entries, range(1, 8192),
          "Entries of the merge table: lines under way that SMs may share");
  r.field("latency", latency, range(0, 64),
          "Core cycles of a merge-table lookup, for a request and for its reply, beside the port's own; 0: "
          "hidden in that");
  r.field("bypassing_loads", bypassing_loads,
          "Loads that pass the L1 by use the merge table too; they may then get data that are older than "
          "they are");
}

void CoalescedCacheSpec::fields(config::Reader& r) {
  r.field("lines", lines, range(1, 4096), "Lines of the coalesced cache");
  r.choice("replacement", replacement, cache::replacement_names(),
           "Which line of the coalesced cache makes room");
  r.field("cache_latency", latency, range(0, 64),
          "Core cycles of a coalesced-cache lookup, beside the port's own");
  r.choice("lookup", lookup,
           {{"parallel", Lookup::Parallel, "at the same time as the merge table"},
            {"serial", Lookup::Serial, "before the merge table: both latencies on the way to the network"}},
           "When a read looks into the coalesced cache");
  r.choice("insert", insert,
           {{"shared", Insert::Shared, "that more than one SM waited for"},
            {"always", Insert::Always, "of every recorded read"}},
           "Which lines the coalesced cache takes");
  r.field("invalidate_on_write", invalidate_on_write,
          "A write or atomic of the cluster drops its line from the coalesced cache");
  r.field("flush_at_kernel_end", flush_at_kernel_end, "The coalesced cache does not survive a kernel");
  if (replacement == "pseudo_lru" && !std::has_single_bit(lines))
    r.fail("replacement", fmt::format("pseudo_lru needs a power of two of lines, not {}", lines),
           "choose lru");
}

namespace {

constexpr std::uint32_t kAddressBits = 48;  // icc.md, section a

}  // namespace

IccMerger::Widths IccMerger::widths() const {
  const std::uint64_t line = place_.line.count();
  const std::uint64_t sectors = place_.sectored ? line / mem::kSectorBytes : 1;
  return {kAddressBits - static_cast<std::uint32_t>(std::countr_zero(line)), place_.sms * sectors, 8 * line,
          place_.sectored ? sectors : 0};
}

// As if every request were sought in the table, and every one that goes on entered: an upper bound, since
// what passes it by (rule 8) is among them. The cache's statistics are those of mergers that hold lines
// (cluster/miss_merger.h).
std::vector<mem::TablePart> IccMerger::tables() const {
  const Widths w = widths();
  mem::TablePart table;
  table.what = "merge table";
  table.entries = table_spec_.entries;
  table.key_bits = static_cast<std::uint32_t>(w.tag);
  table.other_bits = static_cast<std::uint32_t>(w.list);
  table.searches = {{"merger.offered"}, {"merger.replies"}};
  table.writes = {{"merger.forwarded"}, {"merger.merged"}};
  table.reads = {{"merger.replies"}};
  if (!cache_spec_) return {table};
  mem::TablePart cache;
  cache.what = "coalesced cache";
  cache.entries = cache_spec_->lines;
  cache.key_bits = static_cast<std::uint32_t>(w.tag);
  cache.other_bits = static_cast<std::uint32_t>(w.data + w.valid);
  cache.searches = {{"merger.store_lookups"}, {"merger.store_insertions"}};
  cache.writes = {{"merger.store_insertions"}};
  cache.reads = {{"merger.held"}};
  return {table, cache};
}

std::vector<mem::Storage> IccMerger::storage() const {
  const auto [tag, list, data, valid] = widths();
  std::vector<mem::Storage> all;
  all.push_back({"merge table", fmt::format("{} x ({} + {}) bits", table_spec_.entries, tag, list),
                 merge_table_bits(table_spec_.entries, tag, list)});
  if (!cache_spec_) return all;
  all.push_back({"coalesced cache",
                 fmt::format("{} x ({} + {}{}) bits", cache_spec_->lines, tag, data,
                             valid == 0 ? "" : fmt::format(" + {}", valid)),
                 coalesced_cache_bits(cache_spec_->lines, tag, data, valid)});
  return all;
}

cluster::MergerFactory read_icc(config::Reader& section) {
  MergeTableSpec table;
  table.fields(section);
  return [table](const cluster::MergerPlace& place) {
    return std::make_unique<IccMerger>(table, std::nullopt, place);
  };
}

cluster::MergerFactory read_icc_cc(config::Reader& section) {
  MergeTableSpec table;
  CoalescedCacheSpec cache;
  table.fields(section);
  cache.fields(section);
  return [table, cache](const cluster::MergerPlace& place) {
    return std::make_unique<IccMerger>(table, cache, place);
  };
}

}  // namespace heddle::intra_cluster
