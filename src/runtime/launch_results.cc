#include "runtime/launch_results.h"

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
  constexpr std::size_t kLongestLine = 1 << 20;  // written at once, whole
  // Others may have written before: the processes of a script.
  file_ = std::fopen(options.results.c_str(), "ae");
  if (file_ == nullptr) throw Error("cannot write '" + options.results + "'", "Is its folder there?");
  std::setvbuf(file_, nullptr, _IOFBF, kLongestLine);
  if (std::fseek(file_, 0, SEEK_END) == 0 && std::ftell(file_) > 0) return;
  const BuildInfo& build = build_info();
  line(Json{{"schema", kResultsSchema},
            {"mode", options.mode == Mode::Functional ? "functional" : "timing"},
            {"source_hash", build.source_hash},
            {"gpu", options.gpu},
            {"name", spec.gpu.name},
            {"clock_hz", spec.gpu.clock.count()},
            {"configuration", options.configuration}}
           .dump());
}

LaunchResults::~LaunchResults() {
  std::fclose(file_);
}

void LaunchResults::line(const std::string& text) {
  std::fputs((text + "\n").c_str(), file_);
  std::fflush(file_);
}

void LaunchResults::timed(std::uint64_t number, const workload::Launch& launch, const gpu::LaunchResult& r,
                          std::uint64_t start) {
  const stats::JsonWriter values(stats::JsonWriter::Detail::Values);
  stats::Snapshot all;
  all.add("", r.stats);
  Json json = head(number, launch, "timing");
  json["start"] = start;
  json["cycles"] = r.cycles;
  json["warp_instructions"] = r.stats.sm.instructions;
  json["ctas_per_sm"] = r.occupancy.ctas;
  json["limited_by"] = r.occupancy.limited_by;
  json["host_seconds"] = r.host_seconds;
  json["statistics"] = values.object(all);
  line(json.dump());
}

void LaunchResults::untimed(std::uint64_t number, const workload::Launch& launch,
                            std::uint64_t warp_instructions, std::uint64_t estimate,
                            const exec::LaunchProfile& profile) {
  Json json = head(number, launch, "functional");
  json["warp_instructions"] = warp_instructions;
  if (estimate != 0) json["estimated_cycles"] = estimate;
  json["host_seconds"] = profile.host_seconds;
  json["host_threads"] = profile.host_threads;
  line(json.dump());
}

void LaunchResults::stopped(std::uint64_t number, const std::string& why) {
  line(Json{{"launch", number}, {"end", why}}.dump());
}

}  // namespace heddle::runtime
