// Each kind of unit alone, between ends that send, stall and answer at random: what it sends and when, and
// all that it counts, is the same whether the engine runs it when it asked to be run, on several threads, or
// in every cycle. Sizes, links and clocks are those of random machines.
#include "gpu/catalog.h"
#include "hierarchy/partition.h"
#include "hierarchy/sm_tile.h"
#include "noc/topology.h"
#include "random_machine.h"
#include "tests/sm/script.h"
#include "unit_rig.h"

namespace heddle::gpu {
namespace {

Request replied(Request r) {
  r.reply = true;
  return r;
}
Cycle some_delay(const Request& r) {
  return (r.line / 128 * 37 + r.sectors * 11) % 150;
}

class EveryUnit : public testing::TestWithParam<std::uint64_t> {
 protected:
  using Build = std::vector<Log> (*)(const GpuSpec&, UnitRig&);
  void compare(Build build) const {
    const std::uint64_t machines = all_wanted() ? 40 : 1;
    for (std::uint64_t i = 0; i < machines && !HasFailure(); ++i) {
      const std::uint64_t seed = GetParam() + 1000 * i;
      SCOPED_TRACE(seed);
      compare(build, seed);
    }
  }

 private:
  static void compare(Build build, std::uint64_t seed) {
    const GpuSpec spec = lab(random_machine(seed));
    const auto run = [&](const sim::EngineOptions& options) {
      UnitRig around(seed, options);
      return build(spec, around);
    };
    const std::vector<Log> oracle = run({.every_cycle = true});
    for (const sim::EngineOptions& options :
         {sim::EngineOptions{}, {.threads = 2, .thread_map = 1}, {.threads = 3, .thread_map = 2}}) {
      const std::vector<Log> logs = run(options);
      ASSERT_EQ(logs.size(), oracle.size());
      for (std::size_t i = 0; i < logs.size(); ++i)
        EXPECT_EQ(logs[i].difference(oracle[i]), "") << options.threads << " threads, log " << i;
    }
  }
};

// ---- an SM with its L1 ------------------------------------------------------------------------------------

std::vector<workload::StaticInstr> random_code(workload::Random& random) {
  using workload::InstrClass;
  using workload::StaticInstr;
  std::vector<StaticInstr> code;
  const auto reg = [&] { return static_cast<int>(random.below(12)); };
  for (std::uint32_t n = 20 + random.below(30); n > 0; --n) {
    const int to = reg(), first = reg(), second = reg();
    switch (random.below(8)) {
      case 0:
      case 1:
      case 2:
        code.push_back(sm::op(InstrClass::Load, {to}, {first}, StaticInstr::kMemory));
        break;
      case 3:
        code.push_back(sm::op(InstrClass::Store, {}, {first, second}, StaticInstr::kMemory));
        break;
      case 4:
        code.push_back(sm::op(InstrClass::Atomic, {to}, {first}, StaticInstr::kMemory));
        break;
      case 5:
        code.push_back(random.below(3) == 0 ? sm::barrier_op()
                                            : sm::op(InstrClass::Fence, {}, {}, StaticInstr::kFence));
        break;
      default:
        code.push_back(
            sm::op(random.below(2) == 0 ? InstrClass::IntAdd : InstrClass::FloatDiv, {to}, {first, second}));
    }
  }
  code.push_back(sm::exit_op());
  return code;
}

std::vector<Log> run_sm(const GpuSpec& spec, UnitRig& s) {
  using workload::WarpAccess;
  const mem::AddressMap map(spec.memory);
  auto& out = s.channel<Request>();
  auto& in = s.channel<Request>();
  hierarchy::SmTile tile(spec.sm, 0, 1, spec.gpu.clock, map, out, in);
  tile.configure_l1(spec.l1);
  const std::vector<workload::StaticInstr> code = random_code(s.random);
  const std::uint32_t ctas = std::min(1 + s.random.below(4), spec.sm.ctas);
  sm::Script script(code, 1 + s.random.below(4), ctas);
  script.view = &tile.sm();
  std::array<std::uint64_t, 32> address{};
  script.access = [&](std::uint64_t cta, std::uint32_t warp, std::uint32_t pc, WarpAccess& a) {
    const workload::InstrClass cls = code[pc].cls;
    a.kind = cls == workload::InstrClass::Load    ? WarpAccess::Kind::Load
             : cls == workload::InstrClass::Store ? WarpAccess::Kind::Store
                                                  : WarpAccess::Kind::Atomic;
    workload::Random random(cta * 1000 + warp * 100 + pc);
    const std::uint64_t base = mem::kDeviceBase + std::uint64_t{random.below(60)} * 128;
    const std::uint64_t stride = std::array{0u, 4u, 32u, 132u}[random.below(4)];
    a.cache = random.below(8) == 0 ? WarpAccess::Cache::L2Only : WarpAccess::Cache::All;
    for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = base + lane * stride;
    a.address = address.data();
  };
  const UnitId unit = s.engine.add(tile);
  Log& log = s.log_of(0);
  const auto reply = [](const Request& r) { return replied(r); };
  const auto delay = [&log](Cycle now, const Request& r) {
    log.add(now, 0, r);
    return r.posted ? sim::kNever : some_delay(r);
  };
  const UnitId memory = s.echo(out, in, reply, delay);
  s.engine.connect(out, unit, memory);
  s.engine.connect(in, memory, unit);
  for (std::uint32_t c = 0; c < ctas; ++c) tile.sm().launch(script, 0, c, s.random.below(500));
  s.run();
  EXPECT_EQ(script.finished, ctas);
  EXPECT_TRUE(tile.idle());
  for (const auto& warp : script.issued)
    for (const Cycle at : warp) log.add("issue", at);
  tile.sm().settle(kMost);
  log.statistics(tile.sm().statistics());
  log.statistics(tile.l1().statistics());
  return s.logs();
}

TEST_P(EveryUnit, AnSmWithItsL1) {
  compare(run_sm);
}

// ---- a cluster's port, with every merger ------------------------------------------------------------------

std::vector<Log> run_port(const GpuSpec& spec, UnitRig& s) {
  const mem::AddressMap map(spec.memory);
  const std::uint32_t sms = 1 + s.random.below(5);
  s.prepare(sms + 1);
  cluster::ClusterWiring w;
  w.packet = spec.noc.request.packet;
  for (std::uint32_t i = 0; i < sms; ++i) {
    w.sms.push_back(static_cast<std::uint16_t>(i));
    w.requests.push_back(&s.channel<Request>());
    w.replies.push_back(&s.channel<Request>());
  }
  auto &to = s.packet_channel(w.packet, mem::flits_of_data(w.packet, 128), spec.noc.request.virtual_channels),
       &back = s.channel<Packet>();
  w.to_network = &to;
  w.from_network = &back;
  cluster::ClusterPort port(spec.cluster.port, w, spec.cluster.make_merger(spec.merger_place(0, sms)),
                            "port");
  port.measure_locality();
  const UnitId unit = s.engine.add(port);
  std::uint64_t sent = 0;
  for (std::uint32_t i = 0; i < sms; ++i) {
    sim::Source<Request>::Messages messages;
    Cycle at = 0;
    for (std::uint32_t n = 40 + s.random.below(160); n > 0; --n) {
      Request r = s.request(map, 12);
      r.sm = static_cast<std::uint16_t>(i);
      r.born = at = s.later(at);
      messages.emplace_back(at, r);
    }
    sent += messages.size();
    s.engine.connect(*w.requests[i], s.end<sim::Source<Request>>(*w.requests[i], std::move(messages)), unit);
    s.sink(*w.replies[i], unit, i);
  }
  Log& log = s.log_of(sms);
  const auto reply = [](const Packet& p) { return Packet{replied(p.request), 0, 0, 1, 0}; };
  const auto delay = [&log](Cycle now, const Packet& p) {
    log.add(now, p.destination, p.request);
    return some_delay(p.request);
  };
  const UnitId network = s.echo<Packet>(to, back, reply, delay, UnitRig::places_in(w.packet));
  s.engine.connect(to, unit, network);
  s.engine.connect(back, network, unit);
  s.run();
  EXPECT_EQ(port.statistics().delivered, sent);
  EXPECT_EQ(port.in_flight(), 0u);
  log.statistics(port.statistics());
  log.statistics(port.merger().statistics());
  return s.logs();
}

TEST_P(EveryUnit, AClustersPort) {
  compare(run_port);
}

// ---- every topology ---------------------------------------------------------------------------------------

std::vector<Log> run_network(const GpuSpec& machine, UnitRig& s) {
  const noc::NetworkSpec& spec = machine.noc.request;  // of any topology
  const mem::AddressMap map(machine.memory);
  noc::NetworkPlace place = machine.network_place(noc::Direction::Request, map);
  place.parts.resize(1);
  do {
    place.in.resize(1 + s.random.below(12));
    place.out.resize(1 + s.random.below(12));
  } while (spec.design->obstacle(spec, place));
  const auto inputs = static_cast<std::uint32_t>(place.in.size());
  const auto outputs = static_cast<std::uint32_t>(place.out.size());
  s.prepare(outputs + 1);
  noc::Ports ports;
  const std::uint32_t longest =
      spec.packet.buffers == mem::BufferUnit::Flits ? std::min(90u, spec.design->least_buffer(spec)) : 90;
  for (std::uint32_t i = 0; i < inputs; ++i)
    ports.in.push_back(&s.packet_channel(spec.packet, longest, spec.virtual_channels));
  for (std::uint32_t o = 0; o < outputs; ++o) ports.out.push_back(&s.channel<Packet>());
  const auto network = noc::make_network(spec, place, ports, s.engine);
  std::uint64_t sent = 0;
  for (std::uint32_t i = 0; i < inputs; ++i) {
    sim::Source<Packet>::Messages messages;
    Cycle at = 0;
    for (std::uint32_t n = 20 + s.random.below(100); n > 0; --n) {
      Packet p;
      p.source = static_cast<std::uint16_t>(i);
      p.destination = static_cast<std::uint16_t>(s.random.below(outputs));
      p.vc = mem::virtual_channel(p.destination, spec.virtual_channels);
      p.flits = static_cast<std::uint16_t>(1 + s.random.below(s.random.below(8) == 0 ? longest : 5));
      p.request.token = static_cast<std::uint32_t>(sent++);
      at = s.later(at);
      messages.emplace_back(at, p);
    }
    s.engine.connect(
        *ports.in[i],
        s.end<sim::Source<Packet>>(*ports.in[i], std::move(messages), UnitRig::places_in(spec.packet)),
        network->reader(i));
  }
  for (std::uint32_t o = 0; o < outputs; ++o) s.sink(*ports.out[o], network->writer(o), o);
  s.run();
  EXPECT_EQ(network->statistics().ejected, sent);
  EXPECT_EQ(network->in_flight(), 0u);
  s.log_of(outputs).statistics(network->statistics());
  return s.logs();
}

TEST_P(EveryUnit, ANetwork) {
  compare(run_network);
}

// ---- a memory partition -----------------------------------------------------------------------------------

class NoAtomics final : public mem::AtomicUnit {
 public:
  explicit NoAtomics(Log& log) : log_(log) {}
  void execute(const Request& r) override { log_.add("atomic", r.token); }
  mem::AtomicWork work(const Request&) const override { return {1, 0, 1, false}; }

 private:
  Log& log_;
};

std::vector<Log> run_partition(const GpuSpec& machine, UnitRig& s) {
  mem::AddressMapSpec map_spec = machine.memory;
  map_spec.partitions = 1;
  const mem::AddressMap map(map_spec);
  const std::uint32_t ports = map_spec.slices;
  s.prepare(ports + 1);
  Log& log = s.log_of(ports);
  NoAtomics atomics(log);
  hierarchy::Partition::Surroundings around;
  around.map = &map;
  around.atomics = &atomics;
  around.reply_format = machine.noc.reply.packet;
  around.core = machine.gpu.clock;
  std::vector<sim::Source<Packet>::Messages> messages(ports);
  std::vector<Cycle> at(ports);
  for (std::uint32_t p = 0; p < ports; ++p) {
    around.in.push_back(&s.channel_of<Packet>(machine.l2().places()));
    around.out.push_back(&s.packet_channel(around.reply_format, mem::flits_of_data(around.reply_format, 128),
                                           machine.noc.reply.virtual_channels));
  }
  hierarchy::Partition partition(machine.partition, 0, around);
  partition.measure(500);
  const UnitId unit = s.engine.add(partition);
  const std::uint64_t sent = 100 + s.random.below(300);
  for (std::uint64_t i = 0; i < sent; ++i) {
    Packet p;
    p.request = s.request(map, 60);
    Cycle& when = at[p.request.slice];
    when = s.later(when);
    messages[p.request.slice].emplace_back(when, p);
  }
  for (std::uint32_t p = 0; p < ports; ++p) {
    s.engine.connect(*around.in[p], s.end<sim::Source<Packet>>(*around.in[p], std::move(messages[p])), unit);
    s.sink(*around.out[p], unit, p, UnitRig::places_in(around.reply_format));
  }
  s.run();
  EXPECT_EQ(partition.statistics().packets_out, sent);
  EXPECT_TRUE(partition.idle());
  partition.settle(kMost);
  log.statistics(partition.statistics());
  for (std::uint32_t i = 0; i < partition.slices(); ++i) log.statistics(partition.slice(i).statistics());
  for (std::uint32_t i = 0; i < partition.channels(); ++i) log.statistics(partition.dram(i).statistics());
  return s.logs();
}

TEST_P(EveryUnit, AMemoryPartition) {
  compare(run_partition);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryUnit, testing::Range<std::uint64_t>(1, 31));

}  // namespace
}  // namespace heddle::gpu
