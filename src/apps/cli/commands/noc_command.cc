// `heddle noc`: a network alone, under synthetic traffic.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/commands.h"
#include "apps/cli/page/page_output.h"
#include "apps/cli/reports/load_page.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "config/reader.h"
#include "gpu/catalog.h"
#include "mem/address_map.h"
#include "noc/load_curve.h"

namespace heddle::cli {
namespace {

using Ends = noc::TrafficPattern::Ends;

double parse_rate(std::string_view text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0) || value > 64)
    throw Error(
        fmt::format("--rate {}: '{}' is no rate", option, text),
        "give flits per input and cycle, above 0 and up to 64: --rate 0.05:0.5:0.05 or --rate 0.1,0.2");
  return value;
}

// "0.05:0.5:0.05" or "0.1,0.2"
std::vector<double> parse_rates(const std::string& option) {
  std::vector<double> all;
  if (option.find(':') == std::string::npos) {
    for (const std::string_view part : split(option, ',')) all.push_back(parse_rate(part, option));
    return all;
  }
  const auto parts = split(option, ':');
  if (parts.size() != 3)
    throw Error(fmt::format("--rate {}: not FROM:TO:STEP", option), "as in --rate 0.05:0.5:0.05");
  const double from = parse_rate(parts[0], option), to = parse_rate(parts[1], option),
               step = parse_rate(parts[2], option);
  constexpr double kMost = 1000;
  if (to < from || (to - from) / step > kMost)
    throw Error(fmt::format("--rate {}: no rates, or more than {:.0f}", option, kMost),
                "give FROM:TO:STEP with FROM below TO");
  for (std::uint32_t k = 0; from + k * step <= to + step / 1000; ++k) all.push_back(from + k * step);
  return all;
}

noc::NodeGrid parse_size(const std::string& text) {
  noc::NodeGrid grid;
  const auto number = [&](std::string_view part) {
    std::uint32_t n = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), n);
    if (error != std::errc{} || end != part.data() + part.size() || n == 0 || n > 1024)
      throw Error(fmt::format("--size {}: not a number of nodes", text),
                  "give WIDTHxHEIGHT, as 8x8, or one number, as 64");
    return n;
  };
  const std::size_t x = text.find('x');
  grid.width = number(std::string_view(text).substr(0, x));
  grid.height = x == std::string::npos ? 1 : number(std::string_view(text).substr(x + 1));
  if (grid.nodes() > 1024)
    throw Error(fmt::format("--size {}: {} nodes", text, grid.nodes()), "networks have up to 1024");
  return grid;
}

// Of a network that stands alone: what its size says, then what --set says, in the keys of noc.request.
// `config` holds every value then.
noc::NetworkSpec read_network(const NocOptions& o, const noc::NodeGrid& grid, bool everyone,
                              config::Config& config) {
  config.set("topology=" + o.topology);
  if (o.topology == "mesh") {
    config.set(fmt::format("mesh.width={}", grid.width));
    config.set(fmt::format("mesh.height={}", grid.height));
    if (everyone) config.set("mesh.placement=tiled");
  }
  if (o.topology == "ring" && everyone) config.set("ring.ports_per_router=2");
  for (const std::string& s : o.config.sets) config.set(s);
  noc::NetworkSpec spec;
  config::Reader reader(&config, nullptr);
  noc::NetworkSection{spec, gpu::topologies()}.fields(reader);
  config.check_all_read();
  config.check_all_used();
  return spec;
}

noc::NetworkPlace alone(const noc::NetworkSpec& spec, std::uint32_t cores, std::uint32_t slices, bool request,
                        const mem::AddressMap& map) {
  using noc::Site;
  constexpr Frequency kCore = 1_GHz;
  std::vector<Site> a, b;
  for (std::uint32_t c = 0; c < cores; ++c) a.push_back({Site::Kind::Cluster, c, 0});
  for (std::uint32_t s = 0; s < slices; ++s) b.push_back({Site::Kind::Slice, s, s});
  if (!request) a.swap(b);
  return {spec.topology,
          request ? noc::Direction::Request : noc::Direction::Reply,
          std::move(a),
          std::move(b),
          kCore,
          noc::clock_of(spec, kCore),
          map};
}

noc::LoadSetup stand_alone(const NocOptions& o, const mem::AddressMap& map, config::Config& config) {
  const noc::TrafficPattern& pattern = noc::find_pattern(o.pattern.empty() ? "uniform" : o.pattern);
  const noc::NodeGrid grid = parse_size(o.size);
  const bool everyone = pattern.ends == Ends::All;
  if (!everyone && o.slices >= grid.nodes())
    throw Error(fmt::format("--slices {} of --size {}: no node is left for a core", o.slices, o.size),
                "give fewer slices or more nodes");
  if (pattern.obstacle != nullptr)
    if (const std::string wants = pattern.obstacle(grid); !wants.empty())
      throw Error(fmt::format("--pattern {} needs {}", pattern.name, wants), "choose another --size");
  noc::NetworkSpec spec = read_network(o, grid, everyone, config);
  const std::uint32_t slices = everyone ? grid.nodes() : o.slices;
  const std::uint32_t cores = everyone ? grid.nodes() : grid.nodes() - o.slices;
  noc::NetworkPlace place = alone(spec, cores, slices, pattern.ends != Ends::SlicesToCores, map);
  return {std::move(spec), std::move(place), &pattern, grid};
}

noc::LoadSetup of_machine(const NocOptions& o, const GpuConfig& gpu, const mem::AddressMap& map) {
  const bool request = !o.reply;
  const char* const own = request ? "many-to-few" : "few-to-many";
  if (!o.pattern.empty() && o.pattern != own)
    throw Error(fmt::format("--pattern {}: the {} network of a machine has {} traffic", o.pattern,
                            request ? "request" : "reply", own),
                "leave --pattern out, or give --topology instead of a machine");
  const gpu::GpuSpec& spec = gpu.spec.gpu;
  noc::NetworkPlace place =
      spec.network_place(request ? noc::Direction::Request : noc::Direction::Reply, map);
  if (place.parts.size() > 1)
    throw Error(fmt::format("the memory networks of {} are {} separate ones", gpu.chosen, place.parts.size()),
                "`heddle noc` measures networks of one part");
  return {request ? spec.noc.request : spec.noc.reply, std::move(place), &noc::find_pattern(own), {}};
}

// A network, checked, that waits for its traffic.
struct Prepared {
  std::unique_ptr<mem::AddressMap> map;  // the setup refers to it
  std::optional<noc::LoadSetup> setup;
  LoadCurve curve;  // without its numbers
};

Prepared unchecked(const NocOptions& o) {
  Prepared p;
  if (o.config.gpu.empty()) {
    p.map = std::make_unique<mem::AddressMap>(mem::AddressMapSpec{});
    config::Config config;
    p.setup.emplace(stand_alone(o, *p.map, config));
    p.curve.configuration = config.dump(false);
    return p;
  }
  const GpuConfig gpu = load_used_gpu(o.config);
  p.map = std::make_unique<mem::AddressMap>(gpu.spec.gpu.memory);
  p.setup.emplace(of_machine(o, gpu, *p.map));
  p.curve.configuration = gpu.config.dump(false);
  p.curve.network = fmt::format("{}, {} network: ", gpu.chosen, o.reply ? "reply" : "request");
  return p;
}

Prepared prepare(const NocOptions& o) {
  Prepared p = unchecked(o);
  noc::LoadSetup& setup = *p.setup;
  setup.flits = static_cast<std::uint16_t>(o.flits);
  setup.warm_up = o.warm_up;
  setup.measured = o.cycles;
  setup.seed = o.seed;
  const noc::NetworkSpec& spec = setup.spec;
  if (const auto obstacle = spec.design->obstacle(spec, setup.place))
    throw Error(obstacle->message, obstacle->advice);
  if (spec.packet.places(setup.flits) > spec.design->least_buffer(spec))
    throw Error(fmt::format("packets of {} flits do not fit into every buffer of the network", setup.flits),
                "give larger buffers, or --set buffers=packets");
  p.curve.network += spec.design->shape(setup.place);
  const Ends ends = setup.pattern->ends;
  const char* const core = o.config.gpu.empty() ? "core" : "cluster";
  p.curve.senders = ends == Ends::All ? "node" : ends == Ends::CoresToSlices ? core : "slice";
  p.curve.receivers = ends == Ends::All ? "node" : ends == Ends::CoresToSlices ? "slice" : core;
  p.curve.floor = spec.design->floor(setup.place);
  return p;
}

LoadCurve measure(const NocOptions& o, Prepared p) {
  const noc::LoadSetup& setup = *p.setup;
  LoadCurve& curve = p.curve;
  curve.zero_load = noc::zero_load_latency(setup);
  if (setup.pattern->to_all)
    curve.peak = setup.spec.design->peak_flits(setup.place) / static_cast<double>(setup.place.in.size()) *
                 static_cast<double>(noc::frequency_of(setup.spec, setup.place).count()) /
                 static_cast<double>(setup.place.core.count());
  std::uint32_t behind = 0;
  for (const double rate : parse_rates(o.rate)) {
    if (behind == 2) {
      curve.cut = true;
      break;
    }
    curve.points.push_back(noc::measure_load(setup, rate));
    behind = curve.points.back().keeps_up ? 0 : behind + 1;
  }
  if (o.saturation || o.page.wanted()) curve.saturation = noc::saturation(setup);
  return std::move(curve);
}

struct Compared {
  std::string key;
  std::vector<std::string> values;
};

// "mesh.slice_nodes=[0, 1],[2, 3]": commas inside of brackets are the value's.
Compared parse_compared(const std::string& option) {
  const std::size_t is = option.find('=');
  Compared all{option.substr(0, is), {""}};
  int depth = 0;
  for (const char c : is == std::string::npos ? "" : option.substr(is + 1)) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      all.values.emplace_back();
    else
      all.values.back() += c;
  }
  for (std::size_t k = 0; k < all.values.size(); ++k)
    if (all.key.empty() || all.values[k].empty() ||
        std::find(all.values.begin(), all.values.begin() + static_cast<std::ptrdiff_t>(k), all.values[k]) !=
            all.values.begin() + static_cast<std::ptrdiff_t>(k))
      throw Error(fmt::format("--compare {}: not a parameter and different values of it", option),
                  "as in --compare virtual_channels=1,4,8");
  return all;
}

// All networks are made before the first is measured: what is wrong with one is told at once.
LoadReport measure_all(const NocOptions& o) {
  std::vector<Prepared> all;
  LoadReport report;
  if (o.compare.empty()) {
    all.push_back(prepare(o));
  } else {
    const Compared compared = parse_compared(o.compare);
    report.compared = compared.key;
    for (const std::string& value : compared.values) {
      NocOptions one = o;
      // The kind of a network of its own decides what its size means.
      if (compared.key == "topology" && o.config.gpu.empty())
        one.topology = value;
      else
        one.config.sets.push_back(fmt::format("{}={}", compared.key, value));
      all.push_back(prepare(one));
      all.back().curve.value = value;
    }
  }
  report.pattern = all.front().setup->pattern->name;
  report.flits = o.flits;
  report.warm_up = o.warm_up;
  report.cycles = o.cycles;
  report.seed = o.seed;
  for (Prepared& p : all) report.curves.push_back(measure(o, std::move(p)));
  return report;
}

}  // namespace

int noc_command(const NocOptions& o) {
  if (o.json == "-" && o.csv == "-") throw Error("--json - and --csv -", "Only one of them fits there.");
  parse_rates(o.rate);  // what is wrong with it is told at once
  check_page(o.page);
  const LoadReport report = measure_all(o);
  if (o.page.wanted()) {
    report::PageHead head;
    head.title = load_title(report);
    write_page(o.page, std::move(head), load_page(report), counted(report.curves.size(), "curve"));
  }
  if (!o.csv.empty() && o.csv != "-") write_file(o.csv, load_csv(report));
  const std::string json = o.json.empty() ? "" : load_json(report).dump(2) + "\n";
  if (!o.json.empty() && o.json != "-") write_file(o.json, json);
  if (o.csv == "-")
    std::cout << load_csv(report);
  else if (o.json == "-")
    std::cout << json;
  else
    std::cout << load_text(report);
  return 0;
}

}  // namespace heddle::cli
