#include "apps/cli/reports/timeline.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/demangle.h"
#include "base/numbers.h"

namespace heddle::cli {
namespace {

using sim::Cycle;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// The viewer's processes: 0 for kernels and counters, then one per SM.
constexpr std::uint32_t kGpuProcess = 0;
std::uint32_t process_of(std::uint32_t sm) {
  return sm + 1;
}

class Trace {
 public:
  Trace(const gpu::GpuSpec& spec, std::span<const gpu::LaunchResult> launches)
      : spec_(spec), launches_(launches) {}

  void names(std::uint32_t sms) {
    event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", kGpuProcess,
                      quoted(spec_.gpu.name)));
    event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":0,"args":{{"name":"kernels"}}}})",
                      kGpuProcess));
    for (std::uint32_t s = 0; s < sms; ++s) {
      event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"SM {}"}}}})",
                        process_of(s), s));
      event(fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})",
                        process_of(s), process_of(s)));
    }
  }

  void kernels() {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const gpu::LaunchResult& l = launches_[i];
      event(fmt::format(
          R"({{"ph":"X","cat":"kernel","name":{},"pid":{},"tid":0,"ts":{},"dur":{},"args":{{"launch":{},)"
          R"("ctas":{},"warp_instructions":{},"complete":{}}}}})",
          quoted(base_name(l.kernel)), kGpuProcess, l.start, l.cycles, i, l.stats.sm().ctas,
          l.stats.sm().instructions, l.end == sim::EndReason::Done));
    }
  }

  void ctas(std::uint32_t sm, const std::vector<gpu::CtaSpans::Span>& spans) {
    for (const gpu::CtaSpans::Span& s : spans) {
      const std::size_t launch = launch_at(s.start);
      const bool ended = s.end != sim::kNever;
      const Cycle end = ended ? s.end : end_of(launch);
      event(fmt::format(
          R"({{"ph":"X","cat":"cta","name":"CTA {}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"launch":{}{}}}}})",
          s.cta, process_of(sm), s.context, s.start, end - s.start, launch,
          ended ? "" : R"(,"unfinished":true)"));
    }
  }

  void counters(const Series& series) {
    for (const gpu::Sample& s : series.samples) {
      const auto cycles = static_cast<double>(s.until - s.from);
      const Cycle at = s.from;
      counter(at, "IPC", static_cast<double>(s.in.instructions) / cycles);
      counter(at, "resident warps", static_cast<double>(s.in.resident_warps));
      counter(at, "L1 read hits %", 100 * ratio(s.in.l1_read_hits, s.in.l1_reads));
      counter(at, "request flits per cycle", static_cast<double>(s.in.request_flits) / cycles);
      counter(at, "reply flits per cycle", static_cast<double>(s.in.reply_flits) / cycles);
      counter(at, "L2 read hits %", 100 * ratio(s.in.l2_read_hits, s.in.l2_reads));
      counter(at, "DRAM GB/s", dram_rate(s));
      for (std::size_t i = 0; i < series.watched.size(); ++i)
        counter(at, series.watched[i] + " per cycle", static_cast<double>(s.watched[i]) / cycles);
    }
  }

  double dram_rate(const gpu::Sample& s) const {
    return static_cast<double>(s.in.dram_read_bytes + s.in.dram_write_bytes) /
           static_cast<double>(s.until - s.from) * static_cast<double>(spec_.gpu.clock.count()) * 1e-9;
  }

  std::string finish() {
    return "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is 1 core cycle\",\"clock_hz\":" +
           std::to_string(spec_.gpu.clock.count()) + "},\"traceEvents\":[\n" + events_ + "\n]}\n";
  }

 private:
  void event(const std::string& e) {
    if (!events_.empty()) events_ += ",\n";
    events_ += e;
  }
  void counter(Cycle at, const std::string& name, double value) {
    event(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"value":{:.4g}}}}})", name,
                      kGpuProcess, at, value));
  }
  Cycle end_of(std::size_t launch) const { return launches_[launch].start + launches_[launch].cycles; }
  std::size_t launch_at(Cycle at) const {
    const auto after = std::upper_bound(launches_.begin(), launches_.end(), at,
                                        [](Cycle c, const gpu::LaunchResult& l) { return c < l.start; });
    return static_cast<std::size_t>(after - launches_.begin()) - 1;
  }

  const gpu::GpuSpec& spec_;
  std::span<const gpu::LaunchResult> launches_;
  std::string events_;
};

}  // namespace

std::string chrome_trace(const gpu::GpuSpec& spec, std::span<const gpu::LaunchResult> launches,
                         const gpu::CtaSpans& ctas, const Series& series) {
  Trace trace(spec, launches);
  trace.names(ctas.sms());
  trace.kernels();
  for (std::uint32_t s = 0; s < ctas.sms(); ++s) trace.ctas(s, ctas.of(s));
  trace.counters(series);
  return trace.finish();
}

std::string series_csv(const gpu::GpuSpec& spec, std::span<const gpu::LaunchResult> launches,
                       const Series& series) {
  std::string out =
      "launch,kernel,from_cycle,until_cycle,warp_instructions,ipc,resident_warps,l1_reads,l1_read_hits,"
      "request_flits,reply_flits,l2_reads,l2_read_hits,dram_read_bytes,dram_write_bytes,dram_gb_per_s\n";
  for (const std::string& name : series.watched) out.insert(out.size() - 1, "," + name);
  const Trace rates(spec, launches);
  for (const gpu::Sample& s : series.samples) {
    const gpu::SampledCounters& c = s.in;
    out += fmt::format("{},\"{}\",{},{},{},{:.4f},{},{},{},{},{},{},{},{},{},{:.4f}", s.launch,
                       base_name(launches[s.launch].kernel), s.from, s.until, c.instructions,
                       static_cast<double>(c.instructions) / static_cast<double>(s.until - s.from),
                       c.resident_warps, c.l1_reads, c.l1_read_hits, c.request_flits, c.reply_flits,
                       c.l2_reads, c.l2_read_hits, c.dram_read_bytes, c.dram_write_bytes, rates.dram_rate(s));
    for (const std::uint64_t n : s.watched) out += fmt::format(",{}", n);
    out += "\n";
  }
  return out;
}

}  // namespace heddle::cli
