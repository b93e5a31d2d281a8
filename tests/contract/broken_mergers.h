// A victim buffer, sound or broken in one of the ways in which such a thing is broken; and other mergers that
// are. For tests of the checks.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "cluster/mergers.h"
#include "cluster/plain_merger.h"

namespace heddle::contract {

enum class BufferFault {
  None,
  IgnoresWrites,        // a write of the cluster leaves the line where it is
  KeepsOverwritten,     // data that were under way when the cluster wrote are stored when they come
  ServesVolatileLoads,  // loads that pass the L1 by are answered from it
  SurvivesKernels       // nothing happens at a kernel's end
};

// The last few lines that came back, whoever asked for them.
class VictimBuffer final : public cluster::MissMerger {
 public:
  explicit VictimBuffer(BufferFault fault) : fault_(fault) {}

  Verdict offer(sim::Cycle, mem::Request& r, std::vector<mem::Request>& answers) override {
    ++stats_.offered;
    if (!cluster::mergeable(r)) {
      if (r.op != mem::Op::Read && r.space == mem::Space::Global) wrote(r.line);
      ++stats_.bypassed;
      return forward();
    }
    const std::uint32_t sectors = mem::sector_count(r.sectors);
    stats_.offered_sectors += sectors;
    if ((!r.no_l1 || fault_ == BufferFault::ServesVolatileLoads) && holds(r)) {
      ++stats_.held;
      ++stats_.answers;
      stats_.held_sectors += sectors;
      answers.emplace_back(r).reply = true;
      return Verdict::Answered;
    }
    stats_.forwarded_sectors += sectors;
    under_way_[{r.sm, r.token}] = {r.line, false};
    return forward();
  }
  void reply(sim::Cycle, const mem::Request& r, std::vector<mem::Request>& answers) override {
    ++stats_.replies;
    ++stats_.answers;
    --waiting_;
    answers.push_back(r);
    const auto it = under_way_.find({r.sm, r.token});
    if (!cluster::mergeable(r) || it == under_way_.end()) return;
    if (!it->second.overwritten) keep(r);
    under_way_.erase(it);
  }
  void kernel_end() override {
    if (fault_ == BufferFault::SurvivesKernels) return;
    lines_.clear();
    for (auto& [who, read] : under_way_) read.overwritten = true;
  }
  std::uint32_t waiting() const override { return waiting_; }
  const cluster::MergerStats& statistics() const override { return stats_; }
  void clear_statistics() override { stats_ = {}; }

 private:
  struct Line {
    std::uint64_t line;
    mem::SectorMask sectors;
  };
  struct Read {
    std::uint64_t line = 0;
    bool overwritten = false;
  };
  static constexpr std::size_t kLines = 8;

  Verdict forward() {
    ++stats_.forwarded;
    ++waiting_;
    return Verdict::Forward;
  }
  bool holds(const mem::Request& r) const {
    for (const Line& l : lines_)
      if (l.line == r.line) return (r.sectors & ~l.sectors) == 0;
    return false;
  }
  void wrote(std::uint64_t line) {
    if (fault_ != BufferFault::IgnoresWrites)
      std::erase_if(lines_, [&](const Line& l) { return l.line == line; });
    if (fault_ == BufferFault::KeepsOverwritten) return;
    for (auto& [who, read] : under_way_) read.overwritten |= read.line == line;
  }
  void keep(const mem::Request& r) {
    for (Line& l : lines_)
      if (l.line == r.line) {
        l.sectors = static_cast<mem::SectorMask>(l.sectors | r.sectors);
        return;
      }
    if (lines_.size() == kLines) lines_.pop_front();
    lines_.push_back({r.line, r.sectors});
  }

  BufferFault fault_;
  std::deque<Line> lines_;
  std::map<std::pair<std::uint16_t, std::uint32_t>, Read> under_way_;
  std::uint32_t waiting_ = 0;
  cluster::MergerStats stats_;
};

// The third reply goes to the SM beside the one that asked.
class AnswersWrongSm final : public cluster::MissMerger {
 public:
  Verdict offer(sim::Cycle now, mem::Request& r, std::vector<mem::Request>& answers) override {
    return plain_.offer(now, r, answers);
  }
  void reply(sim::Cycle now, const mem::Request& r, std::vector<mem::Request>& answers) override {
    plain_.reply(now, r, answers);
    if (++replies_ == 3) answers.back().sm ^= 1;
  }
  std::uint32_t waiting() const override { return plain_.waiting(); }
  const cluster::MergerStats& statistics() const override { return plain_.statistics(); }
  void clear_statistics() override { plain_.clear_statistics(); }

 private:
  cluster::PlainMerger plain_;
  int replies_ = 0;
};

template <class Merger, class... Args>
cluster::MergerFactory factory_of(Args... args) {
  return [args...](const cluster::MergerPlace&) { return std::make_unique<Merger>(args...); };
}

}  // namespace heddle::contract
