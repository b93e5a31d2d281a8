#include "apps/cli/reports/machine_picture.h"

#include <fmt/format.h>

#include "base/text.h"
#include "gpu/stages.h"

namespace heddle::cli {
namespace {

constexpr int kWidth = 86;

std::string edge() {
  return "  +" + std::string(kWidth, '-') + "+\n";
}
std::string row(const std::string& text) {
  return fmt::format("  | {:<{}}|\n", text, kWidth - 1);
}
// Down go requests, up come replies.
std::string channels(std::uint32_t down, std::uint32_t up) {
  return fmt::format("       | requests, {:<24} ^ replies, {}\n       v {:<34} |\n", counted(down, "cycle"),
                     counted(up, "cycle"), "");
}

}  // namespace

std::string machine_picture(const gpu::GpuSpec& s) {
  std::string out;
  const gpu::Stages stages(s);
  for (const mem::Stage* stage : stages.all()) {
    const mem::Picture p = stage->picture();
    if (out.empty()) out = edge();
    if (p.wires) out += edge() + channels(p.wires->requests, p.wires->answers) + edge();
    for (const std::string& line : p.lines) out += row(line);
  }
  return out + edge();
}

}  // namespace heddle::cli
