#include "runtime/device/launch_results.h"

#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/version.h"
#include "stats/snapshot.h"
#include "stats/writers.h"

namespace heddle::runtime {
namespace {

using Json = nlohmann::ordered_json;

Json triple(const workload::Dim3& d) {
  return {d.x, d.y, d.z};
}

// Names are the program's: whatever bytes they have.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json head(std::uint64_t number, const workload::Launch& launch, const char* mode) {
  return {{"launch", number},
          {"kernel", launch.kernel},
          {"mode", mode},
          {"grid", triple(launch.grid)},
          {"block", triple(launch.block)},
          {"dynamic_shared", launch.dynamic_shared}};
}

}  // namespace

LaunchResults::LaunchResults(const ExecOptions& options, const gpu::GpuSpec& spec) {
  if (!options.tally.empty()) {
    try {
      tally_ = LineFile(options.tally);
    } catch (const Error&) {
      // `heddle exec` has ended before this process began: nobody will read it.
    }
  }
  if (!options.results.empty()) file_ = LineFile(options.results);
  const std::string first = text_of({{"schema", kResultsSchema},
                                     {"mode", options.mode == Mode::Functional ? "functional" : "timing"},
                                     {"source_hash", build_info().source_hash},
                                     {"gpu", options.gpu},
                                     {"name", spec.gpu.name},
                                     {"clock_hz", spec.gpu.clock.count()},
                                     {"configuration", options.configuration}});
  // Others may have written before: the processes of a script.
  line(file_.is_empty() ? first : "", tally_.is_empty() ? first : "");
}

void LaunchResults::line(const std::string& text, const std::string& brief) {
  if (!brief.empty()) tally_.add(brief);
  if (const int error = text.empty() ? 0 : file_.add(text); error != 0)
    lost(file_.name(), std::strerror(error));
}

void LaunchResults::refused(const std::string& what, const std::string& kernel, const std::string& why) {
  const std::string text = text_of({{"refused", what}, {"kernel", kernel}, {"why", why}});
  line(text, text);
}

void LaunchResults::failed(const std::string& kernel, const std::string& why) {
  const std::string text = text_of({{"failed", "launch"}, {"kernel", kernel}, {"why", why}});
  line(text, text);
}

void LaunchResults::lost(const std::string& file, const std::string& why) {
  std::fprintf(stderr, "heddle: '%s' will not be complete: %s\n", file.c_str(), why.c_str());
  tally_.add(text_of({{"lost", file}, {"why", why}}));
}

void LaunchResults::timed(std::uint64_t number, const workload::Launch& launch, const gpu::LaunchResult& r,
                          std::uint64_t start) {
  Json json = head(number, launch, "timing");
  json["start"] = start;
  json["cycles"] = r.cycles;
  json["warp_instructions"] = r.stats.sm().instructions;
  json["ctas_per_sm"] = r.occupancy.ctas;
  json["limited_by"] = r.occupancy.limited_by;
  json["host_seconds"] = r.host_seconds;
  const std::string brief = text_of(json);
  if (file_.is_open()) {
    stats::Snapshot all;
    all.add("", r.stats);
    json["statistics"] = stats::JsonWriter(stats::JsonWriter::Detail::Values).object(all);
  }
  line(text_of(json), brief);
}

void LaunchResults::untimed(std::uint64_t number, const workload::Launch& launch,
                            std::uint64_t warp_instructions, std::uint64_t estimate,
                            const exec::LaunchProfile& profile) {
  Json json = head(number, launch, "functional");
  json["warp_instructions"] = warp_instructions;
  if (estimate != 0) json["estimated_cycles"] = estimate;
  json["host_seconds"] = profile.host_seconds;
  json["host_threads"] = profile.host_threads;
  const std::string text = text_of(json);
  line(text, text);
}

void LaunchResults::stopped(std::uint64_t number, const std::string& why) {
  const std::string text = text_of({{"launch", number}, {"end", why}});
  line(text, text);
}

}  // namespace heddle::runtime
