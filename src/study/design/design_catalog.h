// Designs by name (studies/designs.toml and those of techniques, inside the program), and those a user makes
// up on the command line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "config/toml_tree.h"
#include "study/design/design.h"

namespace heddle::study {

std::span<const EmbeddedFile> embedded_designs();  // studies/designs.toml, src/techniques/*/designs.toml

// In the catalog a design's machine is empty: it is whatever machine was chosen.
struct NamedDesign {
  Design design;
  std::vector<std::string> also;  // further names: of the implementation in its slot
  std::string paper;              // where it comes from; empty: needs no paper
  bool in_pairs = false;  // stands for its kind in the table of pairs (study/evaluation/design_pairs.h)
};

struct DesignCatalog {
  std::vector<NamedDesign> designs;
  // What is compared when nobody says: on machines with clusters of several SMs, on others.
  std::vector<std::string> default_clusters, default_single;

  const Design* find(std::string_view name) const;  // upper and lower case are the same; null: none
  std::vector<std::string> names() const;
};

// `source` has designs and [default]; files of techniques have designs only, which may build on those before
// them. Throws Error with file and line.
DesignCatalog parse_catalog(const config::TomlSource& source,
                            std::span<const config::TomlSource> techniques = {});
const DesignCatalog& design_catalog();  // the embedded one

// Designs in the order in which they are named; the first is the baseline. Each text is a list with commas:
//   DB+ICC                                    of the catalog
//   Sh40+WarpPool                             several of the catalog (study/design/composition.h)
//   big:DB+ICC:cluster.icc.entries=160        one's own: NAME, then designs it builds on and assignments
//   mine.toml                                 every [design.NAME] of a file
// A design may build on those before it. Throws Error with its place ("--designs:1:12").
std::vector<Design> choose_designs(std::span<const std::string> texts, const DesignCatalog& catalog);
// The parts of one such list.
struct DesignItem {
  std::string text;  // as it was typed
  std::string name;  // of the design; of a file: empty
};
std::vector<DesignItem> design_items(std::string_view text, const DesignCatalog& catalog);

}  // namespace heddle::study
