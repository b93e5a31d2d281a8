#include "techniques/cta_clustering/framework/footprint.h"

#include <algorithm>
#include <map>
#include <set>

#include "techniques/cta_clustering/framework/access_sampler.h"

namespace heddle::cta_clustering {
namespace {

using ptx::AccessBase;
using ptx::AccessKind;
using ptx::GlobalAccess;
using workload::Dim3;
using Places = std::vector<std::int64_t>;  // ascending, each once

constexpr std::int64_t kWord = 4;  // bytes that count as one thing
constexpr std::uint64_t kWarp = 32;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// Pieces of `unit` bytes that accesses of `width` bytes touch.
Places pieces(const Places& addresses, std::uint32_t width, std::int64_t unit) {
  Places p;
  p.reserve(addresses.size());
  for (std::int64_t a : addresses)
    for (std::int64_t i = floor_div(a, unit); i <= floor_div(a + width - 1, unit); ++i) p.push_back(i);
  std::sort(p.begin(), p.end());
  p.erase(std::unique(p.begin(), p.end()), p.end());
  return p;
}

void add(Places& to, const Places& more) {
  Places all;
  all.reserve(to.size() + more.size());
  std::set_union(to.begin(), to.end(), more.begin(), more.end(), std::back_inserter(all));
  to = std::move(all);
}

Places both(const Places& a, const Places& b) {
  Places p;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(p));
  return p;
}

double common(const Places& a, const Places& b) {
  return static_cast<double>(both(a, b).size());
}

// Both granularities of what somebody reads or writes.
struct Touched {
  Places words, lines;
  void merge(const Touched& o) {
    add(words, o.words);
    add(lines, o.lines);
  }
};

struct Neighbours {
  std::vector<Dim3> row, column, other;
};

Neighbours around(const Dim3& c, const Dim3& grid) {
  Neighbours n;
  if (c.x > 0) n.row.push_back({c.x - 1, c.y, c.z});
  if (c.x + 1 < grid.x) n.row.push_back({c.x + 1, c.y, c.z});
  if (c.y > 0) n.column.push_back({c.x, c.y - 1, c.z});
  if (c.y + 1 < grid.y) n.column.push_back({c.x, c.y + 1, c.z});
  if (c.z > 0) n.other.push_back({c.x, c.y, c.z - 1});
  if (c.z + 1 < grid.z) n.other.push_back({c.x, c.y, c.z + 1});
  return n;
}

class Surveyor {
 public:
  Surveyor(const ptx::KernelAddresses& a, const Numbers& n, std::uint32_t line)
      : addresses_(a), numbers_(n), line_(line) {
    middle_ = {n.grid().x / 2, n.grid().y / 2, n.grid().z / 2};
    neighbours_ = around(middle_, n.grid());
    for (const GlobalAccess& x : a.accesses) samplers_.emplace_back(a, n, x);
  }

  Evidence survey() {
    for (std::size_t i = 0; i < samplers_.size(); ++i) count_requests(i);
    find_sharing();
    find_writes();
    return std::move(evidence_);
  }

 private:
  const GlobalAccess& access(std::size_t i) const { return addresses_.accesses[i]; }
  // What counts for footprints: read, computable, and reached at all.
  bool placed(std::size_t i) const {
    return samplers_[i].computable() && !access(i).by_data && samplers_[i].executions() > 0;
  }
  Touched touched(std::size_t i, const Dim3& cta) const {
    const Places at = samplers_[i].addresses(cta);
    return {pieces(at, access(i).width, kWord), pieces(at, access(i).width, line_)};
  }
  std::map<AccessBase, Touched> touched_by(const std::vector<Dim3>& ctas, AccessKind kind) const;
  void count_requests(std::size_t i);
  double lines_per_execution(std::size_t i, bool& scattered) const;
  void find_sharing();
  void find_writes();
  bool shifted(std::size_t read, bool& by_data_write) const;

  const ptx::KernelAddresses& addresses_;
  const Numbers& numbers_;
  std::int64_t line_;
  Dim3 middle_;
  Neighbours neighbours_;
  std::vector<AccessSampler> samplers_;
  Evidence evidence_;
};

// Lines that all warps of the CTA ask for when they come to the instruction once.
double Surveyor::lines_per_execution(std::size_t i, bool& scattered) const {
  const std::uint64_t threads = numbers_.block().count();
  const auto warps = static_cast<double>((threads + kWarp - 1) / kWarp);
  const auto lanes = static_cast<double>(std::min(threads, kWarp));
  if (samplers_[i].lanes_by_data()) return static_cast<double>(threads);
  const Places at = samplers_[i].addresses(middle_);
  double lines = 0;
  for (std::uint64_t first = 0; first < at.size(); first += threads)
    for (std::uint64_t w = 0; w < threads; w += kWarp) {
      const Places lane(at.begin() + static_cast<std::ptrdiff_t>(first + w),
                        at.begin() + static_cast<std::ptrdiff_t>(first + std::min(threads, w + kWarp)));
      lines += static_cast<double>(pieces(lane, access(i).width, line_).size());
    }
  lines /= static_cast<double>(samplers_[i].sampled());
  scattered = lanes >= 4 && lines / warps >= lanes / 2;
  return lines;
}

void Surveyor::count_requests(std::size_t i) {
  const AccessSampler& s = samplers_[i];
  if (access(i).kind == AccessKind::Write || s.executions() <= 0) return;
  bool scattered = false;
  const double requests = lines_per_execution(i, scattered) * s.executions();
  evidence_.requests += requests;
  if (access(i).by_data)
    evidence_.by_data += requests;
  else if (!access(i).understood || !s.computable())
    evidence_.not_understood += requests;
  else if (scattered)
    evidence_.scattered += requests;
}

std::map<AccessBase, Touched> Surveyor::touched_by(const std::vector<Dim3>& ctas, AccessKind kind) const {
  std::map<AccessBase, Touched> all;
  for (const Dim3& cta : ctas)
    for (std::size_t i = 0; i < samplers_.size(); ++i)
      if (placed(i) && access(i).kind == kind) all[access(i).base].merge(touched(i, cta));
  return all;
}

void count(Shared& to, double weight, const Places& all, const Places& everywhere, const Places& row,
           const Places& column, const Places& other) {
  Places any = row, own;
  add(any, column);
  add(any, other);
  std::set_difference(all.begin(), all.end(), everywhere.begin(), everywhere.end(), std::back_inserter(own));
  to.all += weight * static_cast<double>(all.size());
  to.everywhere += weight * static_cast<double>(all.size() - own.size());
  to.with_row += weight * common(own, row);
  to.with_column += weight * common(own, column);
  to.with_any += weight * common(own, any);
}

void Surveyor::find_sharing() {
  auto row = touched_by(neighbours_.row, AccessKind::Read);
  auto column = touched_by(neighbours_.column, AccessKind::Read);
  auto other = touched_by(neighbours_.other, AccessKind::Read);
  const Dim3 grid = numbers_.grid();
  auto first = touched_by({{0, 0, 0}}, AccessKind::Read);
  auto last = touched_by({{grid.x - 1, grid.y - 1, grid.z - 1}}, AccessKind::Read);
  std::map<AccessBase, std::map<double, Touched>> own;  // by weight: what loops multiply alike
  std::map<AccessBase, std::string> names;
  for (std::size_t i = 0; i < samplers_.size(); ++i) {
    if (!placed(i) || access(i).kind != AccessKind::Read) continue;
    own[access(i).base][samplers_[i].weight()].merge(touched(i, middle_));
    names[access(i).base] = access(i).array;
  }
  for (const auto& [base, groups] : own) {
    ArrayReads reads{names[base], base, {}, {}};
    for (const auto& [weight, t] : groups) {
      count(reads.bytes, weight * kWord, t.words, both(first[base].words, last[base].words), row[base].words,
            column[base].words, other[base].words);
      count(reads.lines, weight, t.lines, both(first[base].lines, last[base].lines), row[base].lines,
            column[base].lines, other[base].lines);
    }
    for (const auto member :
         {&Shared::all, &Shared::everywhere, &Shared::with_row, &Shared::with_column, &Shared::with_any}) {
      evidence_.bytes.*member += reads.bytes.*member;
      evidence_.lines.*member += reads.lines.*member;
    }
    evidence_.arrays.push_back(std::move(reads));
  }
}

// Not what the same thread writes back.
bool Surveyor::shifted(std::size_t read, bool& by_data_write) const {
  bool written = false;
  for (const GlobalAccess& w : addresses_.accesses) {
    if (w.kind != AccessKind::Write || w.base != access(read).base) continue;
    if (w.offset == access(read).offset) return false;
    written = true;
    by_data_write |= w.by_data;
  }
  return written;
}

void Surveyor::find_writes() {
  std::vector<Dim3> all = neighbours_.row;
  all.insert(all.end(), neighbours_.column.begin(), neighbours_.column.end());
  all.insert(all.end(), neighbours_.other.begin(), neighbours_.other.end());
  auto written = touched_by(all, AccessKind::Write);
  std::set<std::string> arrays;
  for (std::size_t i = 0; i < samplers_.size(); ++i) {
    if (access(i).kind != AccessKind::Read || access(i).base.kind == AccessBase::Kind::Unknown ||
        samplers_[i].executions() <= 0)
      continue;
    bool by_data = false;
    if (!shifted(i, by_data)) continue;
    if (by_data || (placed(i) && common(touched(i, middle_).lines, written[access(i).base].lines) > 0))
      arrays.insert(access(i).array);
  }
  evidence_.written_by_neighbours.assign(arrays.begin(), arrays.end());
}

}  // namespace

Evidence find_evidence(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                       std::uint32_t line_bytes) {
  return Surveyor(addresses, numbers, line_bytes).survey();
}

}  // namespace heddle::cta_clustering
