#include "bench.h"

#include <cstdlib>

#include <fmt/format.h>

#include "gpu/presets.h"
#include "stats/snapshot.h"

namespace heddle::gpu {

const std::string_view kLab = R"(
[gpu]
name = "lab"
clusters = 1
sms_per_cluster = 1
clock = "1GHz"
[sm]
schedulers = 1
branch_latency = 1
count = "as_ptx"
[sm.timing]
int_add = { unit = "int", latency = 4, interval = 1 }
int64_add = { unit = "int", latency = 4, interval = 1 }
int_min_max = { unit = "int", latency = 4, interval = 1 }
float_add = { unit = "float", latency = 4, interval = 1 }
branch = { unit = "int", latency = 4, interval = 1 }
[memory]
partitions = 1
interleave = "256B"
row = "4KiB"
bank_hash = false
[dram]
clock = "1GHz"
)";

GpuSpec spec_of(std::string_view what, const Settings& settings) {
  const bool text = what.find('\n') != std::string_view::npos;
  config::Config c = text ? config::Config::parse(what, "tests/gpu", preset_library()) : load_config(what);
  for (const std::string& s : settings) c.set(s);
  GpuSpec spec = config::read<GpuSpec>(c);
  c.check_all_read();
  return spec;
}

std::string kernel_text(std::string_view body, std::string_view globals) {
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
{}
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 p3) {{
.reg .pred %p<8>;
.reg .b32 %r<64>, %n, %tid, %cta, %lane, %gid, %ctas, %threads;
.reg .b64 %rd<64>, %a, %b, %c;
.reg .f32 %f<64>;
ld.param.u64 %a, [p0];
ld.param.u64 %b, [p1];
ld.param.u64 %c, [p2];
ld.param.u32 %n, [p3];
mov.u32 %tid, %tid.x;
mov.u32 %cta, %ctaid.x;
mov.u32 %ctas, %nctaid.x;
mov.u32 %threads, %ntid.x;
mov.u32 %lane, %laneid;
mad.lo.s32 %gid, %cta, %threads, %tid;
{}
ret;
}}
)",
                     globals, body);
}

std::string times(std::uint32_t n, std::string_view line) {
  std::string text;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] != '#') {
        text += line[at];
        continue;
      }
      std::uint32_t factor = 1;
      if (at + 1 < line.size() && line[at + 1] == '*') {
        factor = 0;
        for (at += 2; at < line.size() && line[at] >= '0' && line[at] <= '9'; ++at)
          factor = factor * 10 + static_cast<std::uint32_t>(line[at] - '0');
        --at;
      }
      text += std::to_string(i * factor);
    }
    text += '\n';
  }
  return text;
}

std::string loop(std::string_view n, std::string_view body) {
  static int label = 0;
  const int l = label++;
  return fmt::format(
      "mov.u32 %r63, 0;\nL{}:\n{}\nadd.u32 %r63, %r63, 1;\nsetp.lt.u32 %p7, %r63, {};\n@%p7 bra L{};\n", l,
      body, n, l);
}

std::string use(std::uint32_t n) {
  return times(n, "xor.b32 %r62, %r62, %r#;");
}

Bench::Bench(const GpuSpec& spec, const MachineOptions& options) : spec_(spec), device_(spec, {options}) {}

// Allocations begin at a multiple of 64 KiB, whatever was allocated before: banks and rows are the test's.
workload::DevicePtr Bench::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kRow = 1 << 16;
  const auto p = device_.allocate(bytes + kRow, "test");
  return workload::DevicePtr{(static_cast<std::uint64_t>(p) + kRow - 1) / kRow * kRow};
}

workload::DevicePtr Bench::words(std::uint64_t count) {
  return allocate(count * 4);
}

workload::DevicePtr Bench::words(const std::vector<std::uint32_t>& values) {
  const auto p = allocate(values.size() * 4);
  device_.copy_in(p, values.data(), values.size() * 4);
  return p;
}

std::vector<std::uint32_t> Bench::read(workload::DevicePtr from, std::size_t count) {
  return device_.download<std::uint32_t>(from, count);
}

workload::DevicePtr Bench::chain(std::uint64_t count, std::uint64_t stride) {
  const auto p = allocate(count * stride);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto next = static_cast<std::uint64_t>(p) + (i + 1) % count * stride;
    device_.copy_in(p + i * stride, &next, 8);
  }
  return p;
}

void Bench::load(std::string_view body, std::string_view globals) {
  device_.load_module(kernel_text(body, globals), "test.ptx");
}

const LaunchResult& Bench::run(const Shape& shape, workload::DevicePtr a, workload::DevicePtr b,
                               workload::DevicePtr c) {
  workload::Launch l;
  l.kernel = "k";
  l.grid = {shape.ctas, 1, 1};
  l.block = {shape.threads, 1, 1};
  l.dynamic_shared = shape.dynamic_shared;
  l.args = workload::args(a, b, c, shape.n);
  device_.launch(l);
  return device_.launches().back();
}

bool all_wanted() {
  const char* whole = std::getenv("HEDDLE_TEST_ALL");
  return whole != nullptr && std::string(whole) == "1";
}

sim::Cycle cycles_of(const GpuSpec& spec, std::string_view body, const Shape& shape, std::uint64_t bytes) {
  Bench b(spec);
  b.load(body);
  const auto a = b.words(bytes / 4);
  return b.run(shape, a).cycles;
}

std::vector<std::pair<std::string, std::uint64_t>> counters(const MachineStats& stats) {
  stats::Snapshot snapshot;
  snapshot.add("", stats);
  std::vector<std::pair<std::string, std::uint64_t>> list;
  for (const stats::Statistic& s : snapshot.all()) {
    if (const auto* value = std::get_if<std::uint64_t>(&s.reading)) list.emplace_back(s.info.name, *value);
    if (const auto* value = std::get_if<stats::HistogramValue>(&s.reading)) {
      for (const stats::Bin& b : value->bins)
        list.emplace_back(fmt::format("{}[{}]", s.info.name, b.from), b.count);
      list.emplace_back(s.info.name + ".sum", value->sum);
      list.emplace_back(s.info.name + ".largest", value->largest);
    }
  }
  return list;
}

}  // namespace heddle::gpu
