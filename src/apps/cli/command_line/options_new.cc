// The options of `heddle new`.
#include <memory>

#include "apps/cli/command_line/options.h"
#include "base/text.h"

namespace heddle::cli {

void add_new(CLI::App& app, int* status) {
  auto o = std::make_shared<NewTechniqueOptions>();
  CLI::App* sub =
      app.add_subcommand("new", "Write what a technique of your own starts from (docs/add-a-technique.md)");
  sub->require_subcommand(1);
  CLI::App* technique = sub->add_subcommand(
      "technique", "A folder that builds, is tested and does nothing yet, in a source tree of Heddle");
  technique->add_option("name", o->name, "Its name, in lower case: victim_buffer")->required();
  technique->add_option("--slot", o->slot, "What it takes the place of: " + join(technique_slots(), ", "))
      ->type_name("SLOT")
      ->required();
  technique->add_option("--root", o->root, "The source tree; default: the current folder")->type_name("DIR");
  technique->callback([o, status] { *status = new_technique_command(*o); });
}

}  // namespace heddle::cli
