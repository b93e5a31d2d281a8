#include "interpose/record/options.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::interpose {

using Json = nlohmann::json;

std::string Options::to_json() const {
  return Json{{"mode", static_cast<int>(mode)},
              {"agents", agents},
              {"partition", partition},
              {"tile_width", tile_width},
              {"tile_height", tile_height},
              {"active_agents", active_agents},
              {"bypass", bypass},
              {"kernels", kernels},
              {"results", results}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Options Options::from_json(const std::string& text) {
  try {
    const Json j = Json::parse(text);
    Options o;
    const int mode = j.at("mode");
    if (mode < 0 || mode > static_cast<int>(Mode::Rewritten)) throw Error(fmt::format("mode {}", mode));
    o.mode = static_cast<Mode>(mode);
    o.agents = j.at("agents");
    o.partition = j.at("partition");
    o.tile_width = j.at("tile_width");
    o.tile_height = j.at("tile_height");
    o.active_agents = j.at("active_agents");
    o.bypass = j.at("bypass");
    o.kernels = j.at("kernels").get<std::vector<std::string>>();
    o.results = j.at("results");
    return o;
  } catch (const std::exception& e) {
    throw Error(fmt::format("{}: {}", kVariable, e.what()), "heddle cluster --on-device sets this variable.");
  }
}

}  // namespace heddle::interpose
