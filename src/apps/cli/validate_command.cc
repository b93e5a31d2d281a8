#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands.h"
#include "base/error.h"
#include "base/file.h"
#include "validation/measure.h"
#include "validation/report.h"

namespace heddle::cli {

int validate_command(const ValidateOptions& o) {
  if (o.against != "peer" && o.against != "silicon" && o.against != "all")
    throw Error(fmt::format("'{}' is nothing to validate against", o.against),
                "Choose peer, silicon or all.");
  if (!o.program.empty()) validation::find_program(o.program);
  const validation::Selection selection{o.program, o.threads, o.sets};
  const validation::Tolerances tolerances = validation::Tolerances::recorded();
  validation::Results results;
  if (o.against != "silicon") results.peer = validation::compare_with_peer(selection, tolerances);
  if (o.against != "peer") results.silicon = validation::compare_with_silicon(selection, tolerances);
  if (o.json != "-") validation::write_tables(results, o.markdown, std::cout);
  if (o.json == "-")
    std::cout << validation::to_json(results);
  else if (!o.json.empty())
    write_file(o.json, validation::to_json(results));
  return results.within_tolerances() ? 0 : 1;
}

}  // namespace heddle::cli
