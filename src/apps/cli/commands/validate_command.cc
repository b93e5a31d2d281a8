#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/page/page_output.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "validation/measure.h"
#include "validation/report.h"
#include "validation/state_report.h"

namespace heddle::cli {

int validate_command(const ValidateOptions& o) {
  const bool all = o.against == "all", peer = all || o.against == "peer";
  const bool silicon = all || o.against == "silicon", mergers = o.against == "mergers";
  if (!peer && !silicon && !mergers)
    throw Error(fmt::format("'{}' is nothing to validate against", o.against),
                "Choose peer, silicon, all or mergers.");
  if (o.page.wanted() && !silicon)
    throw Error(fmt::format("'{}' has no page", o.against),
                "Pages show silicon: heddle validate silicon --html FILE.");
  check_page(o.page);
  if (!o.program.empty()) validation::find_program(o.program);
  // Points of mergers run side by side; a table of speeds wants one thread and nothing beside it.
  const validation::Selection selection{o.program, o.threads == 0 && !mergers ? 1 : o.threads, o.sets};
  const validation::Tolerances tolerances = validation::Tolerances::recorded();
  validation::Results results;
  if (peer) results.peer = validation::compare_with_peer(selection, tolerances);
  if (silicon) results.silicon = validation::compare_with_silicon(selection, tolerances);
  if (mergers) results.mergers = validation::compare_mergers(selection);
  if (o.page.wanted()) {
    report::PageHead head;
    head.title = "Heddle beside an H200";
    write_page(o.page, std::move(head), validation::silicon_page(*results.silicon),
               counted(results.silicon->states.size(), "launch"));
  }
  if (o.json != "-") validation::write_tables(results, o.markdown, std::cout);
  if (o.json == "-")
    std::cout << validation::to_json(results);
  else if (!o.json.empty())
    write_file(o.json, validation::to_json(results));
  return results.within_tolerances() ? 0 : 1;
}

}  // namespace heddle::cli
