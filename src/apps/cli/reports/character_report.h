// What `heddle characterise` found, as tables for people, as CSV and as JSON (docs/characterise.md).
#pragma once

#include <ostream>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/characterise.h"
#include "techniques/cta_clustering/framework/static_class.h"

namespace heddle::cli {

// A kernel as its run and as its text tell it.
struct CharacterisedKernel : analysis::KernelCharacter {
  cta_clustering::StaticClass locality;  // between CTAs

  double reuse_share() const;      // of line requests: not the first of their line
  double inter_cta_share() const;  // of these: the line's last request was another CTA's
};

// Four tables, at most 120 characters wide.
void print_character(std::span<const CharacterisedKernel> kernels, std::ostream& out);
// One line per kernel, one column per number.
std::string character_csv(std::span<const CharacterisedKernel> kernels);
// One object per kernel, with the members of the CSV and all windows.
nlohmann::ordered_json character_json(std::span<const CharacterisedKernel> kernels);

}  // namespace heddle::cli
