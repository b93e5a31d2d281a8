// Where lanes that part inside a loop meet when others may leave the loop before they do. By post-dominators
// alone one `break` keeps those that stay apart until all have left; the vendor's assembler lets who leaves
// be forgotten (BREAK) where the others wait (BSSY, BSYNC).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/natural_loops.h"

namespace heddle::ptx {

struct Meeting {
  std::uint32_t block = 0;
  std::uint32_t loop = kNoTarget;  // the innermost one around it
};

struct LoopBranch {
  std::vector<Meeting> meetings;      // outermost first
  std::vector<std::uint32_t> leaves;  // by successor: the largest loop that this way leaves; kNoTarget: none
};

struct LoopMeetings {
  std::vector<LoopBranch> branches;
  // By block: into `branches`; kNoTarget: its lanes meet at the post-dominator and leave no meeting on the
  // way.
  std::vector<std::uint32_t> branch_of;
};

LoopMeetings find_loop_meetings(const ControlFlow& flow, const LoopForest& forest);

}  // namespace heddle::ptx
