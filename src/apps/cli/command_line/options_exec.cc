// Where the options of heddle exec and heddle cluster end and the program's own words begin.
#include <algorithm>
#include <string>
#include <string_view>

#include "apps/cli/command_line/options.h"

namespace heddle::cli {
namespace {

// Whether the word behind it belongs to this option. Nobody knows `word`: no.
bool takes_next(const CLI::App& command, std::string_view word) {
  if (word.find('=') != std::string_view::npos) return false;
  const CLI::Option* const option = command.get_option_no_throw(std::string(word));
  return option != nullptr && option->get_items_expected_max() > 0;
}

}  // namespace

bool starts_program(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return false;
  if (argv[1] == std::string_view("exec")) return true;
  if (argv[1] != std::string_view("cluster") || std::none_of(argv + 2, argv + argc, [](const char* word) {
        return word == std::string_view("--on-device");
      }))
    return false;
  const int first = program_begin(*app.get_subcommand("cluster"), argc, argv);
  return first == argc || argv[first] == std::string_view("--") || !names_workload(argv[first]);
}

int program_begin(const CLI::App& command, int argc, char** argv) {
  int i = 2;
  while (i < argc) {
    const std::string_view word = argv[i];
    if (word == "--" || !word.starts_with('-')) break;
    i += takes_next(command, word) ? 2 : 1;
  }
  return i < argc ? i : argc;
}

}  // namespace heddle::cli
