// Numbers on the command line.
#include <charconv>

#include <fmt/format.h>

#include "apps/cli/command_line/options.h"
#include "base/text.h"

namespace heddle::cli {
namespace {

constexpr const char* kName = "whole number";

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const std::string range = fmt::format("a whole number from {} to {}", least, most);
  const auto check = [least, most, range](std::string& input) -> std::string {
    std::uint64_t n = 0;
    const char* const end = input.data() + input.size();
    const auto [rest, error] = std::from_chars(input.data(), end, n);
    if (input.empty() || error != std::errc{} || rest != end || n < least || n > most)
      return fmt::format("expected {}, not '{}'", range, printable(input, 40));
    input = fmt::format("{}", n);  // CLI11 would take 010 for eight
    return {};
  };
  // What --help shows.
  const bool bounded = most < std::numeric_limits<std::uint32_t>::max();
  return {check,
          bounded      ? fmt::format("{} to {}", least, most)
          : least == 0 ? ""
                       : fmt::format("at least {}", least),
          std::string(kName) + ": " + range};
}

std::string range_of(const CLI::Option& option) {
  try {
    const std::string name = const_cast<CLI::Option&>(option).get_validator(0)->get_name();
    return name.starts_with(kName) ? name.substr(std::string(kName).size() + 2) : "";
  } catch (const CLI::OptionNotFound&) {  // it has none
    return {};
  }
}

}  // namespace heddle::cli
