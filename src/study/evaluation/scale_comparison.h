// One study at two scales: how far the smaller one, quick to run, can stand for the larger.
#pragma once

#include <string>
#include <vector>

#include "study/evaluation/report.h"

namespace heddle::study {

struct AtScale {
  std::string scale;
  std::vector<FigureNumbers> figures;  // StudyReport::numbers()
};

// A table per figure with both values and their difference, then one that sums up: how many effects have the
// same sign, how far apart they are. Both must be of one study; figures and cells that one side lacks are
// left out.
std::vector<Table> compare_scales(const Study& study, const AtScale& here, const AtScale& there);

}  // namespace heddle::study
