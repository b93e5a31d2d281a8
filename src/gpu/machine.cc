#include "gpu/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "stats/snapshot.h"

namespace heddle::gpu {

using sim::Cycle;

namespace {

// Units that talk to each other most share a host thread: an SM with its cluster.
enum Group : std::uint32_t { kRequestNetwork = 0, kReplyNetwork = 1 };

}  // namespace

// Stores and atomics of a window become visible to everybody.
struct Machine::Commit final : sim::WindowEnd {
  explicit Commit(std::function<void()> f) : run(std::move(f)) {}
  Cycle window_end(Cycle) override {
    run();
    return sim::kNever;
  }
  std::function<void()> run;
};

Machine::Machine(const GpuSpec& spec, const MachineOptions& options, mem::AtomicUnit& atomics,
                 std::function<void()> commit)
    : spec_(spec),
      options_(options),
      map_(spec.memory),
      engine_({spec.latency.smallest(), options.threads, options.thread_map}),
      commit_(std::make_unique<Commit>(std::move(commit))) {
  build(atomics);
}

Machine::~Machine() = default;

// ---- building -------------------------------------------------------------------------------------------

// A channel holds what is under way and what the reader has not taken yet: latency plus two windows keep one
// message per cycle moving.
Machine::RequestChannel& Machine::request_channel(std::uint32_t latency) {
  const auto room = static_cast<std::uint32_t>(latency + 2 * engine_.window());
  request_channels_.push_back(std::make_unique<RequestChannel>(latency, room));
  return *request_channels_.back();
}

// A network with a faster clock than the core's moves several packets per core cycle through a port.
Machine::PacketChannel& Machine::packet_channel(std::uint32_t latency, const noc::NetworkSpec& network) {
  const std::uint64_t core = spec_.gpu.clock.count();
  const std::uint64_t clock = network.clock.count() == 0 ? core : network.clock.count();
  const std::uint64_t per_cycle = std::max<std::uint64_t>(1, (clock + core - 1) / core);
  const auto room = static_cast<std::uint32_t>((latency + 2 * engine_.window()) * per_cycle);
  packet_channels_.push_back(std::make_unique<PacketChannel>(latency, room));
  return *packet_channels_.back();
}

void Machine::build(mem::AtomicUnit& atomics) {
  const LatencySpec& l = spec_.latency;
  const std::uint32_t slices = spec_.memory.partitions * spec_.memory.slices;
  noc::Ports request, reply;
  for (std::uint32_t c = 0; c < spec_.gpu.clusters; ++c) {
    request.in.push_back(&packet_channel(l.cluster_to_network, spec_.noc.request));
    reply.out.push_back(&packet_channel(l.network_to_cluster, spec_.noc.reply));
  }
  for (std::uint32_t s = 0; s < slices; ++s) {
    request.out.push_back(&packet_channel(l.network_to_partition, spec_.noc.request));
    reply.in.push_back(&packet_channel(l.partition_to_network, spec_.noc.reply));
  }
  request_network_ = noc::make_network(spec_.noc.request, noc::clock_of(spec_.noc.request, spec_.gpu.clock),
                                       request, "request network");
  reply_network_ = noc::make_network(spec_.noc.reply, noc::clock_of(spec_.noc.reply, spec_.gpu.clock), reply,
                                     "reply network");
  const sim::UnitId request_id = engine_.add(*request_network_, kRequestNetwork);
  const sim::UnitId reply_id = engine_.add(*reply_network_, kReplyNetwork);
  build_clusters(request, reply, request_id, reply_id);
  build_partitions(atomics, request, reply, request_id, reply_id);
  engine_.at_window_end(*commit_);
  engine_.at_window_end(*dispatcher_);
}

void Machine::build_clusters(const noc::Ports& request, const noc::Ports& reply, sim::UnitId request_id,
                             sim::UnitId reply_id) {
  const LatencySpec& l = spec_.latency;
  const std::uint32_t per_cluster = spec_.gpu.sms_per_cluster, sms = spec_.sms();
  std::vector<Dispatcher::Place> places(std::size_t{spec_.gpu.clusters} * per_cluster);
  for (std::uint32_t c = 0; c < spec_.gpu.clusters; ++c) {
    cluster::ClusterWiring w;
    w.cluster = static_cast<std::uint16_t>(c);
    w.slices_per_partition = 1;  // every slice has a network port of its own
    w.packet = spec_.noc.request.packet;
    w.to_network = request.in[c];
    w.from_network = reply.out[c];
    std::vector<sim::UnitId> tile_ids;
    // Where there are fewer SMs than places, the last places of the last clusters stay empty.
    const std::uint32_t first = c * sms / spec_.gpu.clusters, last = (c + 1) * sms / spec_.gpu.clusters;
    for (std::uint32_t s = first; s < last; ++s) {
      RequestChannel& out = request_channel(l.sm_to_cluster);
      RequestChannel& in = request_channel(l.cluster_to_sm);
      tiles_.push_back(
          std::make_unique<hierarchy::SmTile>(spec_.sm, s, sms, c, spec_.gpu.clock, map_, out, in));
      tiles_.back()->configure_l1(spec_.l1);
      tiles_.back()->sm().observe(options_.observer);
      tile_ids.push_back(engine_.add(*tiles_.back(), s));
      w.sms.push_back(static_cast<std::uint16_t>(s));
      w.requests.push_back(&out);
      w.replies.push_back(&in);
      places[std::size_t{c} * per_cluster + (s - first)] = {&tiles_.back()->sm(), tile_ids.back(), c};
    }
    const cluster::ClusterWiring wiring = w;
    clusters_.push_back(std::make_unique<cluster::ClusterPort>(spec_.cluster.port, std::move(w),
                                                               spec_.cluster.make_merger({c, last - first}),
                                                               fmt::format("cluster {}", c)));
    const sim::UnitId id = engine_.add(*clusters_.back(), first);
    for (std::size_t s = 0; s < tile_ids.size(); ++s) {
      engine_.connect(*wiring.requests[s], tile_ids[s], id);
      engine_.connect(*wiring.replies[s], id, tile_ids[s]);
    }
    engine_.connect(*request.in[c], id, request_id);
    engine_.connect(*reply.out[c], reply_id, id);
  }
  dispatcher_ = std::make_unique<Dispatcher>(engine_, cta::make_scheduler(spec_.cta_scheduler),
                                             cta::Machine{spec_.gpu.clusters, per_cluster}, std::move(places),
                                             spec_.gpu.launch_rate);
}

void Machine::build_partitions(mem::AtomicUnit& atomics, const noc::Ports& request, const noc::Ports& reply,
                               sim::UnitId request_id, sim::UnitId reply_id) {
  const std::uint32_t slices = spec_.memory.slices;
  for (std::uint32_t p = 0; p < spec_.memory.partitions; ++p) {
    hierarchy::Partition::Surroundings around;
    around.map = &map_;
    around.atomics = &atomics;
    for (std::uint32_t s = 0; s < slices; ++s) {
      around.in.push_back(request.out[p * slices + s]);
      around.out.push_back(reply.in[p * slices + s]);
    }
    around.reply_format = spec_.noc.reply.packet;
    around.core = spec_.gpu.clock;
    partitions_.push_back(std::make_unique<hierarchy::Partition>(spec_.partition, p, around));
    const sim::UnitId id = engine_.add(*partitions_.back(), p);
    for (std::uint32_t s = 0; s < slices; ++s) {
      engine_.connect(*around.in[s], request_id, id);
      engine_.connect(*around.out[s], id, reply_id);
    }
  }
}

// ---- running --------------------------------------------------------------------------------------------

LaunchResult Machine::run(workload::GridStream& grid) {
  LaunchResult result;
  result.kernel = std::string(grid.kernel());
  result.occupancy = sm::occupancy(spec_.sm, grid.needs());
  result.start = engine_.now();
  const cache::L1Spec l1 =
      l1_for(spec_, std::uint64_t{result.occupancy.ctas} * result.occupancy.shared_per_cta);
  for (auto& t : tiles_)
    if (t->l1().spec().tags.ways != l1.tags.ways) t->configure_l1(l1);
  clear_statistics();
  dispatcher_->start(grid, result.occupancy.ctas, engine_.now());
  sim::Engine::Limits limits;
  limits.until = options_.max_cycles == sim::kNever ? sim::kNever : engine_.now() + options_.max_cycles;
  limits.patience = spec_.gpu.patience;
  limits.interrupt = options_.interrupt;
  result.end = engine_.run([this] { return dispatcher_->done() && idle(); },
                           [&] {
                             if (progress_)
                               progress_({engine_.now() - result.start, dispatcher_->ended(), grid.ctas()});
                             return work_done();
                           },
                           limits);
  for (auto& t : tiles_) t->sm().settle(dispatcher_->done() ? dispatcher_->last_end() : engine_.now());
  result.stats = collect();
  const Cycle end = result.end == sim::EndReason::Done ? dispatcher_->last_end() + 1 : engine_.now();
  result.cycles = end - result.start + spec_.gpu.launch_overhead;
  result.stats.gpu = {result.cycles, 1, 0};
  result.stats.gpu.picoseconds = static_cast<std::uint64_t>(static_cast<unsigned __int128>(result.cycles) *
                                                            1'000'000'000'000u / spec_.gpu.clock.count());
  if (result.end == sim::EndReason::Stuck || result.end == sim::EndReason::NoProgress)
    throw Error(fmt::format("kernel '{}' does not proceed: {} after {} cycles; {} of {} CTAs have ended",
                            result.kernel,
                            result.end == sim::EndReason::Stuck
                                ? "nobody can do anything any more"
                                : fmt::format("no progress for {} cycles", limits.patience),
                            engine_.now() - result.start, dispatcher_->ended(), grid.ctas()),
                "Who waits for whom:\n" + engine_.report());
  if (result.end != sim::EndReason::Done) return result;
  check_conservation(result.stats, result.kernel);
  for (auto& t : tiles_) {
    t->sm().kernel_end();
    if (spec_.gpu.flush_l1_at_kernel_end) t->l1().kernel_end();
  }
  for (auto& c : clusters_) c->merger().kernel_end();
  for (auto& p : partitions_) p->kernel_end();
  return result;
}

// Anything but branches that go back: a kernel that only spins makes no progress.
std::uint64_t Machine::work_done() const {
  std::uint64_t work = dispatcher_->ended();
  for (const auto& t : tiles_) {
    const sm::SmStats& s = t->sm().statistics();
    work += s.warps + s.global_store.instructions + s.barriers;
  }
  return work;
}

bool Machine::idle() const {
  for (const auto& t : tiles_)
    if (!t->idle()) return false;
  for (const auto& c : clusters_)
    if (c->in_flight() != 0) return false;
  for (const auto& p : partitions_)
    if (!p->idle()) return false;
  if (request_network_->in_flight() + reply_network_->in_flight() != 0) return false;
  for (const auto& c : packet_channels_)
    if (!c->empty()) return false;
  return std::all_of(request_channels_.begin(), request_channels_.end(),
                     [](const auto& c) { return c->empty(); });
}

void Machine::preload(mem::Address begin, std::uint64_t bytes) {
  const std::uint64_t line = spec_.l2().tags.line.count();
  for (mem::Address a = begin / line * line; a < begin + bytes; a += line)
    partitions_[map_.slice(a) / spec_.memory.slices]->preload(a);
}

// ---- statistics -----------------------------------------------------------------------------------------

void Machine::clear_statistics() {
  for (auto& t : tiles_) {
    t->sm().clear_statistics();
    t->l1().clear_statistics();
  }
  for (auto& c : clusters_) {
    c->clear_statistics();
    c->merger().clear_statistics();
  }
  for (auto& p : partitions_) p->clear_statistics();
  request_network_->clear_statistics();
  reply_network_->clear_statistics();
}

MachineStats Machine::collect() const {
  MachineStats s;
  for (const auto& t : tiles_) {
    stats::accumulate(s.sm, t->sm().statistics());
    stats::accumulate(s.l1, static_cast<const cache::L1Cache&>(t->l1()).statistics());
  }
  for (const auto& c : clusters_) {
    stats::accumulate(s.cluster, c->statistics());
    stats::accumulate(s.merger, c->merger().statistics());
  }
  s.request_network = request_network_->statistics();
  s.reply_network = reply_network_->statistics();
  for (const auto& p : partitions_) {
    stats::accumulate(s.partition, p->statistics());
    for (std::uint32_t i = 0; i < p->slices(); ++i) stats::accumulate(s.l2, p->slice(i).statistics());
    for (std::uint32_t i = 0; i < p->channels(); ++i) stats::accumulate(s.dram, p->dram(i).statistics());
  }
  return s;
}

// Counted at both ends of every link: nothing is lost, nothing answered twice.
void Machine::check_conservation(const MachineStats& s, const std::string& kernel) const {
  auto equal = [&](std::uint64_t a, std::uint64_t b, std::string_view what) {
    if (a != b)
      throw Error(fmt::format("conservation violated in kernel '{}': {}: {} and {}", kernel, what, a, b),
                  "This is a defect of the simulator; please report it with the command that shows it.");
  };
  equal(s.sm.requests_sent, s.sm.hits_at_once + s.sm.replies_received, "requests of SMs and answers");
  equal(s.l1.reads.in + s.l1.writes.in + s.l1.atomics.in, s.sm.requests_sent, "requests at L1s and of SMs");
  equal(s.l1.reads.in, s.l1.reads.outcomes(), "L1 reads and their outcomes");
  equal(s.l1.writes.in, s.l1.writes.outcomes(), "L1 writes and their outcomes");
  equal(s.l1.atomics.in, s.l1.atomics.outcomes(), "L1 atomics and their outcomes");
  equal(s.cluster.requests, s.merger.offered, "requests at clusters and at mergers");
  equal(s.merger.offered, s.merger.forwarded + s.merger.merged + s.merger.held,
        "requests at mergers and their outcomes");
  equal(s.cluster.injected, s.request_network.injected, "packets of clusters and in the request network");
  equal(s.request_network.injected, s.request_network.ejected, "packets into and out of the request network");
  equal(s.request_network.ejected, s.partition.packets_in,
        "packets of the request network and at partitions");
  equal(s.partition.packets_in, s.partition.packets_out, "packets into and out of partitions");
  equal(s.partition.packets_out, s.reply_network.injected, "packets of partitions and in the reply network");
  equal(s.reply_network.injected, s.reply_network.ejected, "packets into and out of the reply network");
  equal(s.reply_network.ejected, s.cluster.replies, "packets of the reply network and at clusters");
}

}  // namespace heddle::gpu
