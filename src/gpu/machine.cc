#include "gpu/machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/host_memory.h"
#include "mem/routing.h"
#include "stats/snapshot.h"

namespace heddle::gpu {

using sim::Cycle;

namespace {

constexpr Cycle kLookEvery = 8192;  // cycles between two looks of the watchdog

}  // namespace

// Stores and atomics of a window become visible to everybody.
struct Machine::Commit final : sim::Between {
  explicit Commit(std::function<void()> f) : run(std::move(f)) {}
  Cycle window_end(Cycle) override {
    run();
    return sim::kNever;
  }
  std::function<void()> run;
};

// Tells who wants to know how far the kernel is. Counted in windows, not cycles: windows cost host time.
struct Machine::Ticker final : sim::Between {
  static constexpr std::uint32_t kEvery = 2048;
  Cycle window_end(Cycle now) override {
    if (++windows % kEvery != 0) return sim::kNever;
    Progress p = started;
    p.cycles = now - since;
    p.now = now;
    p.instructions = machine->instructions();
    p.ctas_ended = machine->dispatcher_->ended();
    tell(p);
    return sim::kNever;
  }
  const Machine* machine = nullptr;
  std::function<void(const Progress&)> tell;
  Progress started;  // what does not change during a launch
  Cycle since = 0;
  std::uint32_t windows = 0;
};

Machine::Machine(const GpuSpec& spec, const MachineOptions& options, mem::AtomicUnit& atomics,
                 std::function<void()> commit)
    : spec_(spec),
      options_(options),
      map_(spec.memory),
      atomics_(atomics),
      engine_({options.threads, options.thread_map, options.every_cycle}),
      commit_(std::make_unique<Commit>(std::move(commit))),
      stages_(spec),
      energy_(spec),
      layout_(spec.l1_layout()),
      watchdog_(engine_, atomics, spec.gpu.patience) {
  if (options.detail) prepare_detail();
  build(atomics);
  measure();
}

Machine::~Machine() = default;

// ---- building -------------------------------------------------------------------------------------------

Machine::RequestChannel& Machine::request_channel(std::uint32_t latency, std::uint32_t places) {
  request_channels_.push_back(std::make_unique<RequestChannel>(latency, places));
  return *request_channels_.back();
}

Machine::PacketChannel& Machine::packet_channel(std::uint32_t latency, std::uint32_t places,
                                                std::uint32_t virtual_channels) {
  packet_channels_.push_back(std::make_unique<PacketChannel>(latency, places, virtual_channels));
  return *packet_channels_.back();
}

// Every channel ends in a buffer of the description, which is the channel's places.
void Machine::build(mem::AtomicUnit& atomics) {
  const LatencySpec& l = spec_.latency;
  const noc::NetworkSpec &to_memory = spec_.noc.request, &from_memory = spec_.noc.reply;
  const std::uint32_t responses = spec_.cluster.port.response_places(spec_.lookup_delay());
  noc::Ports request, reply;
  for (std::size_t p = 0; p < layout_.ports.size(); ++p) {
    request.in.push_back(
        &packet_channel(l.cluster_to_network, to_memory.input_buffer, to_memory.virtual_channels));
    reply.out.push_back(&packet_channel(l.network_to_cluster, responses));
  }
  for (std::uint32_t s = 0; s < map_.slices(); ++s) {
    request.out.push_back(&packet_channel(l.network_to_partition, spec_.l2().places()));
    reply.in.push_back(
        &packet_channel(l.partition_to_network, from_memory.input_buffer, from_memory.virtual_channels));
  }
  request_network_ = build_network(noc::Direction::Request, request);
  reply_network_ = build_network(noc::Direction::Reply, reply);
  stages_.networks.attach(*request_network_, *reply_network_);
  build_l1s();
  build_ports(request, reply);
  build_dispatcher();
  build_partitions(atomics, request, reply);
  engine_.between(*commit_);
  engine_.between(*dispatcher_);
  if (options_.sample_every != 0) {
    check_watched();
    sampler_ = std::make_unique<Sampler>(
        options_.sample_every, [this] { return sampled(); },
        options_.watch.empty() ? std::function<Sampler::Watched()>() : [this] { return watched(); });
    engine_.between(*sampler_);
  }
}

void Machine::on_progress(std::function<void(const Progress&)> f) {
  ticker_ = std::make_unique<Ticker>();
  ticker_->machine = this;
  ticker_->tell = std::move(f);
  engine_.between(*ticker_);
}

std::unique_ptr<noc::Network> Machine::build_network(noc::Direction direction, const noc::Ports& ports) {
  const noc::NetworkSpec& n = direction == noc::Direction::Request ? spec_.noc.request : spec_.noc.reply;
  return noc::make_network(n, spec_.network_place(direction, map_), ports, engine_);
}

// The SMs and their L1s, and the channels between L1s and ports.
void Machine::build_l1s() {
  const LatencySpec& l = spec_.latency;
  for (std::uint32_t i = 0; i < layout_.lanes(); ++i) {
    to_port_.push_back(&request_channel(l.sm_to_cluster, spec_.cluster.port.request_buffer));
    const std::uint32_t wire = spec_.cluster.port.responses_per_cycle * 2 * l.cluster_to_sm;
    from_port_.push_back(&request_channel(l.cluster_to_sm, wire + layout_.answers));
  }
  l1s_ = spec_.organization.design->build(spec_.l1_setting(map_),
                                          {spec_.sm, to_port_, from_port_, observer()}, engine_);
  for (const auto& core : l1s_->cores()) stages_.sms.attach(core->sm());
  for (std::uint32_t i = 0; i < layout_.l1s; ++i) stages_.l1s.attach(l1s_->l1(i));
  if (stages_.core_networks) stages_.core_networks->attach(*l1s_->request_network(), *l1s_->reply_network());
}

void Machine::build_dispatcher() {
  const std::uint32_t per_cluster = spec_.gpu.sms_per_cluster;
  std::vector<Dispatcher::Place> places(std::size_t{spec_.gpu.clusters} * per_cluster);
  for (std::uint32_t c = 0; c < spec_.gpu.clusters; ++c) {
    const std::uint32_t first = spec_.gpu.first_sm(c), last = spec_.gpu.first_sm(c + 1);
    for (std::uint32_t s = first; s < last; ++s)
      places[std::size_t{c} * per_cluster + (s - first)] = {&l1s_->cores()[s]->sm(), l1s_->core_unit(s), c};
  }
  dispatcher_ = std::make_unique<Dispatcher>(
      engine_, spec_.sm, spec_.cta, cta::SmLayout{spec_.gpu.clusters, per_cluster, 0, spec_.gpu.sms_per_tpc}, std::move(places),
      Dispatcher::Pace{spec_.gpu.launch_overhead, spec_.gpu.launch_rate, spec_.gpu.launch_interval,
                       spec_.gpu.cta_turnaround, spec_.perturb});
  for (const auto& core : l1s_->cores())
    core->stop_for_ctas(dispatcher_->more_ctas(), spec_.gpu.cta_turnaround);
}

void Machine::build_ports(const noc::Ports& request, const noc::Ports& reply) {
  for (std::uint32_t p = 0; p < layout_.ports.size(); ++p) {
    const std::vector<std::uint32_t>& lanes = layout_.ports[p];
    const std::uint16_t port = mem::port_of_cluster(p);
    cluster::ClusterWiring w;
    w.cluster = static_cast<std::uint16_t>(p);
    w.packet = spec_.noc.request.packet;
    w.to_network = request.in[port];
    w.from_network = reply.out[port];
    for (const std::uint32_t i : lanes) {
      w.sms.push_back(static_cast<std::uint16_t>(i));
      w.requests.push_back(to_port_[i]);
      w.replies.push_back(from_port_[i]);
    }
    ports_.push_back(std::make_unique<cluster::ClusterPort>(
        spec_.cluster.port, std::move(w),
        spec_.cluster.make_merger(spec_.merger_place(p, static_cast<std::uint32_t>(lanes.size()))),
        fmt::format("cluster {}", p)));
    stages_.ports.attach(*ports_.back());
    const sim::UnitId id = engine_.add(*ports_.back());
    for (const std::uint32_t i : lanes) {
      engine_.connect(*to_port_[i], l1s_->lane_unit(i), id);
      engine_.connect(*from_port_[i], id, l1s_->lane_unit(i));
    }
    engine_.connect(*request.in[port], id, request_network_->reader(port));
    engine_.connect(*reply.out[port], reply_network_->writer(port), id);
  }
}

void Machine::build_partitions(mem::AtomicUnit& atomics, const noc::Ports& request, const noc::Ports& reply) {
  const std::uint32_t slices = spec_.memory.slices;
  for (std::uint32_t p = 0; p < spec_.memory.partitions; ++p) {
    hierarchy::Partition::Surroundings around;
    around.map = &map_;
    around.atomics = &atomics;
    for (std::uint32_t s = 0; s < slices; ++s) {
      const std::uint16_t port = mem::port_of_slice(map_.slice_of(p, s));
      around.in.push_back(request.out[port]);
      around.out.push_back(reply.in[port]);
    }
    around.reply_format = spec_.noc.reply.packet;
    around.core = spec_.gpu.clock;
    around.clusters = static_cast<std::uint32_t>(layout_.ports.size());
    partitions_.push_back(std::make_unique<hierarchy::Partition>(spec_.partition, p, around));
    stages_.l2.attach(*partitions_.back());
    stages_.dram.attach(*partitions_.back());
    const sim::UnitId id = engine_.add(*partitions_.back());
    partition_ids_.push_back(id);
    for (std::uint32_t s = 0; s < slices; ++s) {
      const std::uint16_t port = mem::port_of_slice(map_.slice_of(p, s));
      engine_.connect(*around.in[s], request_network_->writer(port), id);
      engine_.connect(*around.out[s], id, reply_network_->reader(port));
    }
  }
}

void Machine::measure() {
  const MeasureSpec& m = spec_.measure;
  if (detail_ != nullptr) measure_detail();
  if (m.locality)
    for (auto& p : ports_) p->measure_locality();
  if (m.pressure)
    for (auto& core : l1s_->cores()) core->measure_pressure();
  if (m.available)
    for (auto& core : l1s_->cores()) core->measure_available();
  if (m.warp_states)
    for (auto& core : l1s_->cores()) core->measure_warp_states();
  if (m.replication) {
    replication_ = std::make_unique<mem::ReplicationMeter>();
    for (std::uint32_t i = 0; i < layout_.l1s; ++i) l1s_->watch(i, replication_->log());
    stages_.l1s.attach(*replication_);
    engine_.between(*replication_);
  }
  if (!m.funnel) return;
  l1s_->measure(m.window);
  for (auto& p : ports_) p->measure_potential(m.window);
  for (auto& p : partitions_) p->measure(m.window);
}

// ---- running --------------------------------------------------------------------------------------------

LaunchResult Machine::run(workload::GridStream& grid) {
  const Submission one{&grid, 0};
  BatchResult batch = run(std::span(&one, 1));
  batch.kernels.front().stats = batch.stats;
  return batch.kernels.front();
}

BatchResult Machine::run(std::span<const Submission> batch) {
  prepare(batch);
  const Cycle start = launch_start_ = engine_.now();
  for (const Submission& s : batch) {
    dispatcher_->submit(*s.grid, s.stream, start, s.last_start);
    read_for_launch(*s.grid, start);
  }
  halt_ = batch[0].cut == sim::kNever ? sim::kNever : start + batch[0].cut;
  for (const auto& core : l1s_->cores()) core->sm().halt(halt_);
  if (sampler_ != nullptr) sampler_->begin(launches_, start);
  if (ticker_ != nullptr) {
    ticker_->started = {batch[0].grid->kernel(), launches_, 0, 0, 0, 0, dispatcher_->ctas()};
    ticker_->since = start;
  }
  launches_ += batch.size();
  sim::Engine::Limits limits;
  if (options_.max_cycles != sim::kNever)
    limits.until = start + (options_.max_cycles - std::min(options_.max_cycles, spent_));
  limits.interrupt = options_.interrupt;
  limits.look_every = kLookEvery;
  limits.look = [this](Cycle now) {
    watch_host_memory();
    return watchdog_.look(now);
  };
  watchdog_.begin(*dispatcher_, l1s_->cores());
  const auto done = [this] { return (dispatcher_->done() || engine_.now() >= halt_) && idle(); };
  const sim::EndReason end = engine_.run(done, limits);
  BatchResult result = results(batch, end);
  if (sampler_ != nullptr) sampler_->end(engine_.now());
  spent_ += result.stats.gpu.cycles;
  dispatcher_->clear();
  if (const std::string why = watchdog_.why(end); !why.empty())
    throw Error(
        fmt::format("kernel '{}' does not proceed: {} after {} cycles; {} of {} CTAs have ended",
                    batch[0].grid->kernel(), why, engine_.now() - start, result.stats.sm().ctas, result.ctas),
        "Who waits for whom:\n" + engine_.report());
  if (end == sim::EndReason::Done) finish(result);
  if (end == sim::EndReason::Done && result.stats.gpu.ctas_cut != 0 && !execute_rest(batch[0].grid->kernel()))
    result.end = result.kernels.front().end = sim::EndReason::Interrupted;
  return result;
}

// All SMs in turn: their warps may wait for each other's stores.
bool Machine::execute_rest(std::string_view kernel) {
  for (std::uint32_t left = 1; left != 0;) {
    if (options_.interrupt != nullptr && *options_.interrupt) return false;
    std::uint64_t executed = 0;
    left = 0;
    for (std::uint32_t s = 0; s < l1s_->cores().size(); ++s) {
      sm::Sm& sm = l1s_->cores()[s]->sm();
      executed += sm.execute_rest([&](const workload::WarpAccess& access) {
        mem::Request r;
        r.owner = static_cast<std::uint16_t>(s);
        r.payload = access.payload;
        r.words = access.mask;
        commit_->run();
        atomics_.execute(r);
        commit_->run();
      });
      commit_->run();
      left += sm.resident_ctas();
    }
    watch_host_memory();
    if (left != 0 && executed == 0)
      throw Error(
          fmt::format("kernel '{}': {} CTAs that were cut off do not come to their end: their warps "
                      "wait for each other",
                      kernel, left));
  }
  return true;
}

// Statistics start at 0, and a unified memory is divided as the first kernel needs it.
void Machine::prepare(std::span<const Submission> batch) {
  const sm::Occupancy o = sm::occupancy(spec_.sm, batch[0].grid->needs());
  l1s_->configure(l1_for(spec_, std::uint64_t{o.ctas} * o.shared_per_cta));
  clear_statistics();
}

BatchResult Machine::results(std::span<const Submission> batch, sim::EndReason end) {
  BatchResult result;
  result.end = end;
  result.ctas = dispatcher_->ctas();
  Cycle first = engine_.now(), last = 0;
  // Stores without an answer outlive their CTAs. Whose they are is not known where several kernels run.
  Cycle stored = 0;
  if (!spec_.gpu.store_replies && batch.size() == 1)
    for (const auto& p : partitions_) stored = std::max(stored, p->stored_until());
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    const KernelTimes& t = dispatcher_->times(i);
    LaunchResult k;
    k.kernel = std::string(batch[i].grid->kernel());
    k.occupancy = t.occupancy;
    k.start = t.submitted;
    k.cycles = (t.done ? std::max(t.ended, stored) : std::min(engine_.now(), halt_)) - t.submitted;
    k.end = t.done ? sim::EndReason::Done : end;
    k.not_started = dispatcher_->not_started(i);
    first = std::min(first, k.start);
    last = std::max(last, k.start + k.cycles);
    result.kernels.push_back(std::move(k));
  }
  for (auto& core : l1s_->cores()) {
    core->sm().settle(last);
    core->sm().settle_states();
    if (end == sim::EndReason::Done) core->sm().tell_cut();
  }
  if (sampler_ != nullptr) sampler_->end(engine_.now());
  result.stats = collect();
  const Cycle cycles = last - first;
  for (const mem::Stage* stage : stages_.all()) stage->lasted(cycles, result.stats.groups);
  result.stats.gpu = {};
  result.stats.gpu.cycles = cycles;
  result.stats.gpu.launches = batch.size();
  if (halt_ != sim::kNever) result.stats.gpu.ctas_cut = dispatcher_->started() - dispatcher_->ended();
  result.stats.gpu.picoseconds = spec_.gpu.picoseconds(cycles);
  result.stats.groups.add(energy::EnergyStats::kGroup, energy_.of(result.stats));
  if (detail_ != nullptr) detail_launch_end(result);
  return result;
}

// Everything has been answered: check that it adds up, and leave the machine as the next kernel finds it.
void Machine::finish(const BatchResult& result) {
  check_conservation(result.stats, result.kernels.front().kernel);
  for (mem::Stage* stage : stages_.all()) stage->kernel_end();
}

bool Machine::idle() const {
  for (const mem::Stage* stage : stages_.all())
    if (!stage->idle()) return false;
  if (!l1s_->idle()) return false;
  for (const auto& c : packet_channels_)
    if (!c->empty()) return false;
  return std::all_of(request_channels_.begin(), request_channels_.end(),
                     [](const auto& c) { return c->empty(); });
}

void Machine::preload(mem::Address begin, std::uint64_t bytes) {
  const std::uint64_t line = spec_.l2().tags.line.count();
  for (mem::Address a = begin / line * line; a < begin + bytes; a += line)
    partitions_[map_.partition_of(map_.slice(a))]->preload(a);
}

}  // namespace heddle::gpu
