#include "sm/sm_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::sm {

namespace {

constexpr const char *kGroup = "sm", *kFront = "front", *kMeter = "potential.line_requests",
                     *kPressure = "pressure", *kAvailable = "available", *kStates = "warp_states",
                     *kTextures = "texture_cache";

// What is kept over time: one SM can have one of each in a cycle, but for instructions.
struct Kept {
  const char* statistic;
  std::uint64_t SmStats::*counter;
};
constexpr Kept kKept[] = {
    {"sm.instructions", &SmStats::instructions},   {"sm.issuing_cycles", &SmStats::issuing_cycles},
    {"sm.stall_memory", &SmStats::stall_memory},   {"sm.stall_dependency", &SmStats::stall_dependency},
    {"sm.stall_unit", &SmStats::stall_unit},       {"sm.stall_lsu", &SmStats::stall_lsu},
    {"sm.stall_barrier", &SmStats::stall_barrier}, {"sm.stall_drain", &SmStats::stall_drain},
    {"sm.requests_sent", &SmStats::requests_sent}};

}  // namespace

SmStage::SmStage(const SmSpec& spec, std::uint32_t sms, std::string layout, const LoadFrontKind& front)
    : spec_(spec), count_(sms), layout_(std::move(layout)), front_kind_(front) {
  if (spec.make_front) front_ = spec.make_front(spec.front_place(0, nullptr));
}

void SmStage::declare(stats::Groups& all) const {
  all.make<SmStats>(kGroup);
  all.make<TextureCacheStats>(kTextures);
  sm::declare(spec_.make_front, all);
}

void SmStage::declare_meters(stats::Groups& all) const {
  all.make(kMeter, mem::PotentialLevel{"requests", "that SMs sent to their L1"});
  all.make<PressureStats>(kPressure);
  all.make<AvailableStats>(kAvailable);
  all.make<WarpStateStats>(kStates);
}

mem::Edges SmStage::edges(const stats::Groups& s) const {
  const SmStats& sm = s.get<SmStats>(kGroup);
  mem::Edges e;
  e.requests_out = sm.requests_sent;
  e.loads_out = sm.global_load.lines;
  if (front_ != nullptr) *e.loads_out -= s.get<FrontStats>(kFront).merged;
  return e;
}

std::vector<mem::Identity> SmStage::identities(const stats::Groups& s) const {
  const SmStats& sm = s.get<SmStats>(kGroup);
  std::vector<mem::Identity> all = {
      {"requests of SMs and answers", sm.requests_sent, sm.hits_at_once + sm.replies_received}};
  if (spec_.textures.there()) {
    const TextureCacheStats& t = s.get<TextureCacheStats>(kTextures);
    all.push_back({"lines of textures and reads of their cache", sm.texture.lines, t.reads});
    all.push_back({"reads of the texture cache and their outcomes", t.reads, t.hits + t.merged + t.misses});
  }
  if (!sms_.empty() && sms_.front()->warp_states() != nullptr)
    all.push_back({"resident warps and their states", sm.warp_cycles, s.get<WarpStateStats>(kStates).sum()});
  if (front_ == nullptr) return all;
  const FrontStats& f = s.get<FrontStats>(kFront);
  all.push_back({"line requests at load fronts and their outcomes", f.offered, f.sent + f.merged});
  for (mem::Identity& i : front_->identities(s)) all.push_back(std::move(i));
  return all;
}

void SmStage::funnel(const stats::Groups& s, mem::Funnel& f) const {
  const SmStats& sm = s.get<SmStats>(kGroup);
  f.add({"lanes", "accesses", "", sm.global_load.lanes});
  f.add({"line requests", "requests", "intra-warp coalescing", sm.global_load.lines},
        s.get<mem::PotentialLevel>(kMeter));
  if (front_kind_.merged_by.empty()) return;
  const FrontStats& front = s.get<FrontStats>(kFront);
  mem::FunnelPlace place{"the load fronts", f.last(), 0, {}};
  place.out =
      f.add({"L1 requests", "requests", "inter-warp coalescing", sm.global_load.lines - front.merged});
  place.parts.push_back({std::string(front_kind_.merged_by), front.merged});
  f.places.push_back(std::move(place));
}

std::vector<mem::Series> SmStage::series() const {
  std::vector<mem::Series> all;
  for (const Kept& k : kKept) all.push_back({k.statistic, static_cast<double>(count_)});
  all.front().most_per_cycle *= spec_.schedulers * spec_.issue_width;
  return all;
}

std::vector<mem::Curve> SmStage::curves() const {
  using Of = mem::Curve::Of;
  const char *issue = "issue stalls", *share = "share of SM cycles";
  std::vector<std::string> cycles;
  for (const Kept& k : kKept)
    if (k.counter != &SmStats::instructions && k.counter != &SmStats::requests_sent)
      cycles.emplace_back(k.statistic);
  return {{"ipc", "IPC", "warp instructions per cycle", "", {"sm.instructions"}},
          {"issue.issuing", "issues", share, issue, {"sm.issuing_cycles"}, Of::Most},
          {"issue.memory", "waits for memory", share, issue, {"sm.stall_memory"}, Of::Most},
          {"issue.dependency", "waits for results", share, issue, {"sm.stall_dependency"}, Of::Most},
          {"issue.unit", "unit busy", share, issue, {"sm.stall_unit"}, Of::Most},
          {"issue.lsu", "load/store queue full", share, issue, {"sm.stall_lsu"}, Of::Most},
          {"issue.barrier", "waits at barriers", share, issue, {"sm.stall_barrier"}, Of::Most},
          {"issue.drain", "stores under way", share, issue, {"sm.stall_drain"}, Of::Most},
          {"issue.idle", "no warps", share, issue, cycles, Of::Rest},
          {"l1.use", "L1s: requests", "share of one per cycle", "use", {"sm.requests_sent"}, Of::Most}};
}

// What lanes do in an instruction of each class, in operations of 32 bits. Divisions have no unit of their
// own; how long their sequences are, and what moves and shuffles take, is assumed (docs/energy.md).
static std::vector<mem::WorkPart> work_of_lanes() {
  using Kind = mem::WorkPart::Kind;
  using workload::InstrClass;
  struct Work {
    InstrClass cls;
    Kind kind;
    double operations;
  };
  static constexpr Work kWork[] = {
      {InstrClass::IntAdd, Kind::Simple, 1},       {InstrClass::IntMinMax, Kind::Simple, 1},
      {InstrClass::Int64Add, Kind::Simple, 2},     {InstrClass::Bits, Kind::Simple, 1},
      {InstrClass::Move, Kind::Simple, 0.5},       {InstrClass::Shuffle, Kind::Simple, 2},
      {InstrClass::Vote, Kind::Simple, 1},         {InstrClass::IntDiv, Kind::Simple, 20},
      {InstrClass::IntMul, Kind::Multiply, 1},     {InstrClass::IntMad, Kind::Multiply, 1},
      {InstrClass::Int64Mul, Kind::Multiply, 4},   {InstrClass::FloatAdd, Kind::Float, 1},
      {InstrClass::FloatMinMax, Kind::Float, 1},   {InstrClass::FloatMul, Kind::Float, 1},
      {InstrClass::FloatMad, Kind::Float, 1},      {InstrClass::HalfMath, Kind::Float, 1},
      {InstrClass::FloatDiv, Kind::Float, 8},      {InstrClass::FloatDiv, Kind::Special, 1},
      {InstrClass::DoubleAdd, Kind::Double, 1},    {InstrClass::DoubleMinMax, Kind::Double, 1},
      {InstrClass::DoubleMul, Kind::Double, 1},    {InstrClass::DoubleMad, Kind::Double, 1},
      {InstrClass::DoubleDiv, Kind::Double, 10},   {InstrClass::Special, Kind::Special, 1},
      {InstrClass::Convert, Kind::Special, 1},     {InstrClass::Tensor, Kind::Tensor, 1},
      {InstrClass::TensorDouble, Kind::Double, 8}, {InstrClass::Load, Kind::Memory, 1},
      {InstrClass::Store, Kind::Memory, 1},        {InstrClass::LoadShared, Kind::Memory, 1},
      {InstrClass::StoreShared, Kind::Memory, 1},  {InstrClass::AtomicShared, Kind::Memory, 1},
      {InstrClass::Atomic, Kind::Memory, 1},       {InstrClass::Texture, Kind::Memory, 1}};
  std::vector<mem::WorkPart> all;
  for (const Work& w : kWork) {
    if (all.empty() || all.back().kind != w.kind) all.push_back({w.kind, {}});
    all.back().done.push_back({fmt::format("sm.issue.{}", workload::name(w.cls)), w.operations});
  }
  return all;
}

std::vector<mem::Structure> SmStage::structures() const {
  constexpr std::uint32_t kLanes = 32, kWordBits = 32;
  mem::Structure s{"SMs"};
  s.region = mem::Region::Sm;
  s.units = count_;
  mem::ArrayPart registers;
  registers.what = "register file";
  registers.count = count_;
  registers.rows = spec_.registers / kLanes;
  registers.row_bits = registers.port_bits = kLanes * kWordBits;
  registers.banks = spec_.register_banks;
  registers.reads = {{"sm.issue.operands", 1.0 / kLanes}};
  registers.writes = {{"sm.issue.results", 1.0 / kLanes}};
  s.arrays.push_back(registers);
  mem::ArrayPart shared = registers;
  shared.what = "shared memory";
  shared.rows = static_cast<std::uint32_t>(spec_.shared_memory.count() / (kLanes * kWordBits / 8));
  shared.banks = 1;
  shared.inside = spec_.unified_l1 != 0_B;
  shared.reads = {{"sm.shared_passes"}};
  shared.writes = {};
  s.arrays.push_back(shared);
  s.work = work_of_lanes();
  s.work.push_back({mem::WorkPart::Kind::Issue, {{"sm.slots"}}});
  if (front_ == nullptr) return {s};
  mem::Structure front{fmt::format("load fronts '{}'", spec_.load_front)};
  front.region = mem::Region::Merging;
  LoadFront::Hardware parts = front_->hardware();
  for (mem::QueuePart& q : parts.queues) q.count *= count_;
  for (mem::ArrayPart& a : parts.arrays) a.count *= count_;
  for (mem::TablePart& t : parts.tables) t.count *= count_;
  front.queues = std::move(parts.queues);
  front.arrays = std::move(parts.arrays);
  front.tables = std::move(parts.tables);
  return {s, front};
}

mem::Picture SmStage::picture() const {
  mem::Picture p{
      {layout_, fmt::format("SM  {} schedulers ({}), {} warps, {} CTAs, {} registers, {} shared memory",
                            spec_.schedulers, spec_.scheduler, spec_.warps, spec_.ctas, spec_.registers,
                            to_string(spec_.shared_memory))}};
  if (spec_.textures.there())
    p.lines.push_back(fmt::format("    texture cache {}: {} ways x {}, a hit takes {}",
                                  to_string(spec_.textures.bytes), spec_.textures.ways,
                                  to_string(spec_.textures.line), counted(spec_.textures.latency, "cycle")));
  if (front_ != nullptr) p.lines.push_back(fmt::format("    load front '{}'", spec_.load_front));
  return p;
}

void SmStage::collect(stats::Groups& all) const {
  for (const Sm* sm : sms_) {
    all.add(kGroup, sm->statistics());
    if (sm->textures() != nullptr) all.add(kTextures, sm->textures()->statistics());
    if (sm->front() == nullptr) continue;
    all.add(kFront, sm->front()->statistics());
    sm->front()->collect(all);
  }
}

void SmStage::collect_meters(stats::Groups& all) const {
  auto& sum = all.make<mem::PotentialLevel>(kMeter);
  for (const Sm* sm : sms_)
    if (const mem::PotentialMeter* m = sm->meter()) sum += m->statistics();
  auto& pressure = all.make<PressureStats>(kPressure);
  for (const Sm* sm : sms_)
    if (const AccessPressure* p = sm->pressure()) pressure += p->statistics();
  auto& available = all.make<AvailableStats>(kAvailable);
  for (const Sm* sm : sms_)
    if (const AvailableWarps* a = sm->available()) available += a->statistics();
  auto& states = all.make<WarpStateStats>(kStates);
  for (const Sm* sm : sms_)
    if (const WarpStates* w = sm->warp_states()) states += w->statistics();
}

void SmStage::clear_statistics() {
  for (Sm* sm : sms_) {
    sm->clear_statistics();
    if (sm->front() != nullptr) sm->front()->clear_statistics();
    if (mem::PotentialMeter* m = sm->meter()) m->clear_statistics();
    if (AccessPressure* p = sm->pressure()) p->clear();
    if (AvailableWarps* a = sm->available()) a->clear();
    if (WarpStates* w = sm->warp_states()) w->clear();
  }
}

void SmStage::read_series(sim::Cycle now, std::uint64_t* into) const {
  std::fill_n(into, std::size(kKept), 0);
  for (const Sm* sm : sms_) {
    const SmStats s = sm->settled(now);
    for (std::size_t i = 0; i < std::size(kKept); ++i) into[i] += s.*kKept[i].counter;
  }
}

bool SmStage::idle() const {
  return std::all_of(sms_.begin(), sms_.end(), [](const Sm* sm) { return sm->idle(); });
}

void SmStage::kernel_end() {
  for (Sm* sm : sms_) sm->kernel_end();
}

}  // namespace heddle::sm
