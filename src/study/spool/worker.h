// Works on one task of a plan: simulates its points one after another, each in a process of its own, and
// writes down each result as it comes.
#pragma once

#include <atomic>
#include <filesystem>

#include "study/spool/plan_folder.h"

namespace heddle::study {

struct WorkReport {
  std::size_t done = 0, failed = 0, lost = 0;  // points
  std::size_t found = 0;                       // that an earlier run had done
  bool interrupted = false;
};

// Points that have an entry in the folder already are left out; those during which an earlier run ended come
// last. `attempt.task` names the task. Throws Error: a plan of another source, no such task, results that
// cannot be written; the first two are written down as well, for who waits.
WorkReport work(PlanFolder& folder, const Attempt& attempt, const FindWorkload& find,
                const std::atomic<bool>* interrupt);

}  // namespace heddle::study
