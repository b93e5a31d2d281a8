// Against GPGPU-Sim 4.2.0: its figures for the eight programs (data/peer_gpgpusim.csv), preset
// qv100-gpgpusim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/comparison.h"

namespace heddle::validation {

struct SpeedRow {
  std::string program, detail;
  double ours = 0, theirs = 0;  // CPU seconds
  double ratio() const { return theirs / ours; }
};

struct PeerResult {
  Comparison comparison;
  std::vector<SpeedRow> speed;  // of the same runs; a property of the host, so not judged by tolerances
  std::vector<Verdict> speed_verdicts;
};

struct Selection {
  std::string program;  // empty: all
  std::uint32_t threads = 1;
  std::vector<std::string> settings;  // on top of the preset: what would another value do?
};

PeerResult compare_with_peer(const Selection& selection, const Tolerances& tolerances);

}  // namespace heddle::validation
