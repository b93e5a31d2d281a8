#include "ptx/analysis/loop_meetings.h"

#include <algorithm>

#include "ptx/analysis/post_dominators.h"

namespace heddle::ptx {
namespace {

class MeetingFinder {
 public:
  MeetingFinder(const ControlFlow& flow, const LoopForest& forest) : flow_(flow), forest_(forest) {
    for (std::uint32_t l = 0; l < forest.loops.size(); ++l) turn_ends_.push_back(find_turn_ends(l));
  }

  LoopMeetings find() {
    LoopMeetings out;
    const auto blocks = static_cast<std::uint32_t>(flow_.blocks.size());
    out.branch_of.assign(blocks, kNoTarget);
    std::vector<std::vector<Meeting>> meetings(blocks);
    std::vector<std::uint8_t> waits_in(forest_.loops.size(), 0);  // lanes that may be left behind wait in it
    for (std::uint32_t b = 0; b < blocks; ++b) {
      if (flow_.blocks[b].successors.size() < 2) continue;
      meetings[b] = meetings_of(b);
      for (const Meeting& m : meetings[b])
        if (m.block != flow_.blocks[b].post_dominator)
          for (std::uint32_t l = m.loop; l != kNoTarget; l = forest_.loops[l].parent) waits_in[l] = 1;
    }
    for (std::uint32_t b = 0; b < blocks; ++b) {
      LoopBranch branch{meetings[b], left_by(b)};
      const bool plain = meetings[b].empty() ||
                         (meetings[b].size() == 1 && meetings[b][0].block == flow_.blocks[b].post_dominator);
      const bool forgotten = std::any_of(branch.leaves.begin(), branch.leaves.end(),
                                         [&](std::uint32_t l) { return l != kNoTarget && waits_in[l]; });
      if (plain && !forgotten) continue;
      out.branch_of[b] = static_cast<std::uint32_t>(out.branches.size());
      out.branches.push_back(std::move(branch));
    }
    return out;
  }

 private:
  // By block of the loop: where all ways to the next turn pass.
  std::vector<std::uint32_t> find_turn_ends(std::uint32_t loop) const {
    const NaturalLoop& l = forest_.loops[loop];
    const auto place = [&](std::uint32_t block) {
      return static_cast<std::uint32_t>(std::lower_bound(l.blocks.begin(), l.blocks.end(), block) -
                                        l.blocks.begin());
    };
    std::vector<std::vector<std::uint32_t>> successors(l.blocks.size());
    std::vector<std::uint8_t> turns(l.blocks.size(), 0);
    for (std::uint32_t i = 0; i < l.blocks.size(); ++i)
      for (std::uint32_t s : flow_.blocks[l.blocks[i]].successors)
        if (s == l.header)
          turns[i] = 1;
        else if (forest_.contains(loop, s))
          successors[i].push_back(place(s));
    std::vector<std::uint32_t> found = post_dominators(successors, turns);
    for (std::uint32_t& f : found) f = f == kNoTarget ? l.header : l.blocks[f];
    return found;
  }

  std::uint32_t turn_end(std::uint32_t loop, std::uint32_t block) const {
    const NaturalLoop& l = forest_.loops[loop];
    const auto i = std::lower_bound(l.blocks.begin(), l.blocks.end(), block) - l.blocks.begin();
    return turn_ends_[loop][static_cast<std::size_t>(i)];
  }

  std::vector<Meeting> meetings_of(std::uint32_t b) const {
    std::vector<Meeting> out;
    const std::uint32_t last = flow_.blocks[b].post_dominator;
    const auto add = [&](std::uint32_t block) {
      if (out.empty() || out.back().block != block) out.push_back({block, forest_.innermost[block]});
    };
    for (std::uint32_t l = forest_.innermost[b]; l != kNoTarget; l = forest_.loops[l].parent) {
      if (last != kNoTarget && forest_.contains(l, last)) break;
      const auto& ways = flow_.blocks[b].successors;
      if (std::count_if(ways.begin(), ways.end(), [&](std::uint32_t s) { return forest_.contains(l, s); }) >=
          2)
        add(turn_end(l, b));
    }
    if (last != kNoTarget) add(last);
    std::reverse(out.begin(), out.end());
    return out;
  }

  std::vector<std::uint32_t> left_by(std::uint32_t b) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t s : flow_.blocks[b].successors) {
      std::uint32_t left = kNoTarget;
      for (std::uint32_t l = forest_.innermost[b]; l != kNoTarget && !forest_.contains(l, s);
           l = forest_.loops[l].parent)
        left = l;
      out.push_back(left);
    }
    return out;
  }

  const ControlFlow& flow_;
  const LoopForest& forest_;
  std::vector<std::vector<std::uint32_t>> turn_ends_;  // by loop
};

}  // namespace

LoopMeetings find_loop_meetings(const ControlFlow& flow, const LoopForest& forest) {
  return MeetingFinder(flow, forest).find();
}

}  // namespace heddle::ptx
