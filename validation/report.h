// The results as tables for people, for docs/validation.md, and as a record.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "validation/mergers.h"
#include "validation/peer.h"
#include "validation/silicon.h"

namespace heddle::validation {

struct Results {
  std::optional<PeerResult> peer;
  std::optional<SiliconResult> silicon;
  std::optional<MergersResult> mergers;  // a comparison of designs: nothing to be judged
  bool within_tolerances() const;
};

void write_tables(const Results& results, bool markdown, std::ostream& out);
// JSON, "schema": "heddle.validate/1".
std::string to_json(const Results& results);

}  // namespace heddle::validation
