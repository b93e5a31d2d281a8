#include "runtime/device/options.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::runtime {
namespace {

using Json = nlohmann::ordered_json;

// One list for both directions.
template <class Options, class F>
void each(Options& o, F&& f) {
  f("gpu", o.gpu);
  f("configuration", o.configuration);
  f("threads", o.threads);
  f("max_cycles", o.max_cycles);
  f("first_timed", o.first_timed);
  f("last_timed", o.last_timed);
  f("sample", o.sample);
  f("capability", o.capability);
  f("results", o.results);
  f("tally", o.tally);
  f("recording", o.recording);
}

}  // namespace

std::string ExecOptions::to_json() const {
  Json json = {{"functional", mode == Mode::Functional}};
  each(*this, [&](const char* key, const auto& value) { json[key] = value; });
  return json.dump();
}

ExecOptions ExecOptions::from_json(const std::string& text) {
  ExecOptions o;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    throw Error("the environment variable HEDDLE_EXEC holds no JSON object",
                "It is set by `heddle exec`: do not set it by hand.");
  try {
    o.mode = json.value("functional", false) ? Mode::Functional : Mode::Timing;
    each(o, [&](const char* key, auto& value) {
      if (json.contains(key)) json.at(key).get_to(value);
    });
  } catch (const Json::exception& e) {
    throw Error(std::string("the environment variable HEDDLE_EXEC is damaged: ") + e.what());
  }
  return o;
}

ExecOptions ExecOptions::from_environment() {
  if (const char* text = std::getenv(kVariable)) return from_json(text);
  ExecOptions o;
  if (const char* gpu = std::getenv("HEDDLE_GPU")) o.gpu = gpu;
  if (const char* f = std::getenv("HEDDLE_FUNCTIONAL"); f != nullptr && *f == '1') o.mode = Mode::Functional;
  return o;
}

}  // namespace heddle::runtime
