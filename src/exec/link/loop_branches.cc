#include "exec/link/loop_branches.h"

#include "exec/handlers/bind.h"
#include "ptx/analysis/loop_meetings.h"

namespace heddle::exec {

void bind_loop_branches(const ptx::Function& f, const ptx::ControlFlow& flow, std::uint32_t entry_pc,
                        KernelImage& image) {
  if (!f.meets_in_loops) return;
  const ptx::LoopForest forest = ptx::find_loops(f, flow);
  const ptx::LoopMeetings found = ptx::find_loop_meetings(flow, forest);
  const auto first_loop = static_cast<std::uint32_t>(image.loop_parents.size());
  const auto numbered = [&](std::uint32_t loop) {
    return loop == ptx::kNoTarget ? kNone : first_loop + loop;
  };
  for (const ptx::NaturalLoop& l : forest.loops) image.loop_parents.push_back(numbered(l.parent));
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    if (found.branch_of[b] == ptx::kNoTarget) continue;
    const ptx::LoopBranch& branch = found.branches[found.branch_of[b]];
    Code& c = image.code[entry_pc + flow.blocks[b].end - 1];
    LoopBranch bound;
    for (const ptx::Meeting& m : branch.meetings)
      bound.meetings.push_back({entry_pc + flow.blocks[m.block].first, numbered(m.loop)});
    for (std::size_t i = 0; i < branch.leaves.size(); ++i)
      bound.ways.push_back(
          {entry_pc + flow.blocks[flow.blocks[b].successors[i]].first, numbered(branch.leaves[i])});
    bind_loop_branch(static_cast<std::uint32_t>(image.loop_branches.size()), c);
    image.loop_branches.push_back(std::move(bound));
  }
}

}  // namespace heddle::exec
