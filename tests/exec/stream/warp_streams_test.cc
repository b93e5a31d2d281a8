// What the timing side is told about each issued instruction.
#include "exec/stream/warp_streams.h"
#include "bench.h"

namespace heddle::exec {
namespace {

using workload::Issued;
using workload::WarpAccess;
using Event = Issued::Event;

// One CTA of a kernel, issued by hand.
class Stream final : public DeviceBase {
 public:
  explicit Stream(std::string_view body, Dim3 block = {32, 1, 1}, std::string_view globals = {}) {
    load_module(kernel_text(body, globals), "stream.ptx");
    out = static_cast<mem::Address>(allocate(4096, "out"));
    launch({"k", {1, 1, 1}, block, 0, args(out)});
  }
  void launch(const workload::Launch& launch) override {
    const SmPorts port{&sm, nullptr, nullptr};
    grid = std::make_unique<PtxGrid>(memory(), prepare(launch, 1_KiB), std::span(&port, 1), heap());
    cta = grid->start(0, 0);
    for (std::uint32_t w = 0; w < cta->warps(); ++w)
      for (int i = 0; i < kHeading; ++i) EXPECT_EQ(cta->issue(w).event, Event::None);
  }
  // Issues until something else than None comes.
  Issued next(std::uint32_t warp = 0) {
    Issued issued = cta->issue(warp);
    while (issued.event == Event::None) issued = cta->issue(warp);
    return issued;
  }
  void commit() { sm.log.commit(memory()); }

  static constexpr int kHeading = 7;
  SmExecution sm;
  std::unique_ptr<PtxGrid> grid;
  workload::CtaStream* cta = nullptr;
  mem::Address out = 0;
};

TEST(WarpStreams, AnAccessTellsLanesAndAddresses) {
  Stream s("setp.lt.u32 %p1, %tid, 5; @%p1 st.global.u16 [%mine+2], %tid;");
  const Issued issued = s.next();
  ASSERT_EQ(issued.event, Event::Memory);
  ASSERT_EQ(issued.accesses, 1);
  EXPECT_EQ(issued.lanes, 0x1fu);
  const WarpAccess& a = issued.access[0];
  EXPECT_EQ(a.kind, WarpAccess::Kind::Store);
  EXPECT_EQ(a.space, WarpAccess::Space::Global);
  EXPECT_EQ(a.bytes, 2);
  EXPECT_EQ(a.mask, 0x1fu);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(a.address[i], s.out + 4 * i + 2);
  EXPECT_EQ(s.next().event, Event::Exited);
}

TEST(WarpStreams, WithoutALaneThereIsNoAccess) {
  Stream s("setp.gt.u32 %p1, %tid, 32; @%p1 st.global.u32 [%mine], %tid;");
  s.cta->issue(0);
  const Issued issued = s.cta->issue(0);
  EXPECT_EQ(issued.event, Event::None);
  EXPECT_EQ(issued.lanes, 0u);
  EXPECT_EQ(issued.accesses, 0);
}

TEST(WarpStreams, LocalAndSharedAddressesAreOffsets) {
  Stream s(
      ".shared .align 4 .b8 s[256]; .local .align 4 .b8 l[64]; st.shared.u32 [s+8], %tid; st.local.u32 "
      "[l+4], %tid;");
  Issued issued = s.next();
  EXPECT_EQ(issued.access[0].space, WarpAccess::Space::Shared);
  EXPECT_EQ(issued.access[0].address[3], 8u);
  issued = s.next();
  EXPECT_EQ(issued.access[0].space, WarpAccess::Space::Local);
  EXPECT_EQ(issued.access[0].address[31], 4u);
}

TEST(WarpStreams, AGenericAccessToTwoSpacesIsTwo) {
  Stream s(R"(.shared .align 4 .b8 s[128]; cvta.shared.u64 %rd1, s; mad.wide.u32 %rd1, %tid, 4, %rd1;
setp.lt.u32 %p1, %tid, 8; selp.b64 %rd2, %rd1, %mine, %p1; st.u32 [%rd2], %tid;)");
  const Issued issued = s.next();
  ASSERT_EQ(issued.accesses, 2);
  EXPECT_EQ(issued.access[0].space, WarpAccess::Space::Shared);
  EXPECT_EQ(issued.access[0].mask, 0xffu);
  EXPECT_EQ(issued.access[0].address[7], 28u);
  EXPECT_EQ(issued.access[1].space, WarpAccess::Space::Global);
  EXPECT_EQ(issued.access[1].mask, 0xffffff00u);
  EXPECT_EQ(issued.access[1].address[8], s.out + 32);
}

TEST(WarpStreams, AnAsynchronousCopyReadsGlobalAndWritesSharedMemory) {
  Stream s(
      R"(.shared .align 16 .b8 s[512]; mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 16, %r1; mad.wide.u32 %rd1, %tid, 16, %out;
st.global.u32 [%rd1], %tid; cp.async.cg.shared.global [%r1], [%rd1], 16; ld.shared.u32 %r2, [%r1];
add.u32 %r2, %r2, 1; st.global.u32 [%mine+1024], %r2;)");
  EXPECT_EQ(s.next().access[0].kind, WarpAccess::Kind::Store);
  const Issued copy = s.next();
  ASSERT_EQ(copy.accesses, 2);
  EXPECT_EQ(copy.access[0].kind, WarpAccess::Kind::Load);
  EXPECT_EQ(copy.access[0].space, WarpAccess::Space::Global);
  EXPECT_EQ(copy.access[0].cache, WarpAccess::Cache::L2Only);
  EXPECT_EQ(copy.access[0].address[2], s.out + 32);
  EXPECT_EQ(copy.access[1].kind, WarpAccess::Kind::Store);
  EXPECT_EQ(copy.access[1].space, WarpAccess::Space::Shared);
  EXPECT_EQ(copy.access[1].address[2], 32u);
  EXPECT_EQ(s.next().access[0].space, WarpAccess::Space::Shared);
  s.next();
  s.commit();
  EXPECT_EQ(s.download<std::uint32_t>(workload::DevicePtr{s.out + 1024}, 32),
            expected(32, [](auto i) { return i + 1; }))
      << "the copy sees the warp's own store";
}

TEST(WarpStreams, BranchesTellWhetherTheyDivergeAndGoBack) {
  Stream s("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %tid; @%p1 bra L;", {2, 1, 1});
  s.cta->issue(0);
  const std::uint32_t loop = s.cta->pc(0);
  s.cta->issue(0);
  s.cta->issue(0);
  Issued branch = s.cta->issue(0);
  EXPECT_TRUE(branch.diverged) << "only lane 1 goes on";
  EXPECT_TRUE(branch.taken_backward);
  EXPECT_EQ(branch.lanes, 2u);
  EXPECT_EQ(branch.next_pc, loop);
  s.cta->issue(0);
  s.cta->issue(0);
  branch = s.cta->issue(0);
  EXPECT_FALSE(branch.diverged);
  EXPECT_FALSE(branch.taken_backward) << "nobody takes it";
  EXPECT_EQ(branch.next_pc, loop + 3);
  const Issued end = s.cta->issue(0);
  EXPECT_EQ(end.event, Event::Exited);
  EXPECT_EQ(end.lanes, 3u) << "the lanes have met";
}

TEST(WarpStreams, BarriersBlockUntilAllHaveCome) {
  Stream s("bar.sync 0; mov.u32 %r1, 1; st.global.u32 [%mine], %r1;", {96, 1, 1});
  for (std::uint32_t w : {2u, 0u}) {
    const Issued issued = s.cta->issue(w);
    EXPECT_EQ(issued.event, Event::Blocked);
    EXPECT_TRUE(issued.check_barriers);
    EXPECT_EQ(s.cta->release(), 0u);
  }
  EXPECT_EQ(s.cta->issue(1).event, Event::Blocked);
  EXPECT_EQ(s.cta->release(), 7u);
  EXPECT_EQ(s.cta->release(), 0u) << "told once";
}

TEST(WarpStreams, ADeferredAtomicIsWrittenWhenItIsDelivered) {
  Stream s("mov.u32 %r1, 7; atom.global.add.u32 %r1, [%out], 2; st.global.u32 [%mine+128], %r1;");
  const Issued atomic = s.next();
  ASSERT_EQ(atomic.accesses, 1);
  EXPECT_EQ(atomic.access[0].kind, WarpAccess::Kind::Atomic);
  const std::uint16_t payload = atomic.access[0].payload;
  EXPECT_EQ(s.sm.atomics[payload].mask, kAllLanes);
  EXPECT_EQ(s.sm.atomics[payload].b[9], 2u);
  for (std::size_t i = 0; i < kLanes; ++i) s.sm.atomics[payload].old[i] = 100 + i;
  s.cta->deliver(0, payload);
  s.cta->retire_atomic(payload);
  EXPECT_FALSE(s.sm.atomics.any());
  s.next();
  s.commit();
  EXPECT_EQ(s.download<std::uint32_t>(workload::DevicePtr{s.out + 128}, 32),
            expected(32, [](auto i) { return 100 + i; }));
}

// Bilinear filtering reads two rows; texels of a lane in one sector are one access.
TEST(WarpStreams, TexturesTellTheSectorsTheyTouch) {
  Stream s(R"(ld.global.u64 %rd1, [%out+2048]; cvt.rn.f32.u32 %f1, %tid; mov.f32 %f2, 0f3F800000;
tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1, %f2}]; st.global.f32 [%mine], %f3;)");
  Texture t;
  t.address = s.out;
  t.width = 32;
  t.height = 4;
  t.pitch = 128;
  t.filter = TexFilter::Linear;
  const std::uint64_t handle = s.textures().create(t);
  s.copy_in(workload::DevicePtr{s.out + 2048}, &handle, 8);
  s.next();  // the load of the handle
  const Issued issued = s.next();
  // Lane i reads texels i-1 and i of rows 0 and 1: first and second sector, where they differ, of each row.
  ASSERT_EQ(issued.accesses, 4);
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(issued.access[k].space, WarpAccess::Space::Texture);
  EXPECT_EQ(issued.access[0].mask, kAllLanes);
  EXPECT_EQ(issued.access[1].mask, kAllLanes);
  const Mask at_border = 1u << 8 | 1u << 16 | 1u << 24;
  EXPECT_EQ(issued.access[2].mask, at_border);
  EXPECT_EQ(issued.access[3].mask, at_border);
  EXPECT_EQ(issued.access[0].address[5], s.out + 16);
}

TEST(AtomicRecords, TheLastOneRetiredIsTakenFirst) {
  AtomicRecords records;
  EXPECT_EQ(records.take(), 0);
  EXPECT_EQ(records.take(), 1);
  EXPECT_EQ(records.take(), 2);
  records[0].mask = records[1].mask = records[2].mask = 0;
  records.retire(0);
  records.retire(1);
  EXPECT_EQ(records.take(), 1);
  EXPECT_EQ(records.take(), 0);
  EXPECT_EQ(records.take(), 3);
}

TEST(AtomicRecords, RecordsDoNotMoveAndEndAtTheLimit) {
  AtomicRecords records;
  const AtomicRecord* first = nullptr;
  for (std::uint32_t i = 0; i < AtomicRecords::kMost; ++i) {
    ASSERT_FALSE(records.full());
    const std::uint16_t index = records.take();
    ASSERT_EQ(index, i);
    if (i == 0) first = &records[index];
  }
  EXPECT_TRUE(records.full());
  EXPECT_EQ(&records[0], first);
}

TEST(AtomicRecords, LinesAreCountedUntilTheLastIsRetired) {
  AtomicRecords records;
  const mem::Address a = mem::kDeviceBase;
  for (int i = 0; i < 2; ++i) {
    AtomicRecord& r = records[records.take()];
    r.mask = 3;
    r.address[0] = a + 4;
    r.address[1] = a + 128;
    records.count_lines(r);
  }
  EXPECT_TRUE(records.may_touch(a + 127));
  EXPECT_TRUE(records.may_touch(a + 128));
  EXPECT_FALSE(records.may_touch(a + 256));
  records.retire(0);
  EXPECT_TRUE(records.may_touch(a));
  records.retire(1);
  EXPECT_FALSE(records.may_touch(a));
  EXPECT_FALSE(records.any());
}

// Lanes of two lines, two of them at one address; the slice sees its own log, memory only after commit.
TEST(AtomicExecutor, ExecutesTheLanesOfARequestInOrder) {
  mem::DeviceMemory memory(std::uint64_t{64} << 20);
  const mem::Address block = memory.allocate(256, "block");
  AtomicRecords records;
  mem::StoreLog log;
  AtomicExecutor executor(memory, {&records}, {&log});
  ptx::Instr add;
  add.op = ptx::Op::Atom;
  add.atom = ptx::AtomOp::Add;
  add.type = ptx::Type::U32;
  const std::uint16_t index = records.take();
  AtomicRecord& r = records[index];
  r.instr = &add;
  r.mask = 0xf;
  r.bytes = 4;
  r.address = {block + 8, block + 132, block + 8, block + 12};
  r.b = {10, 20, 30, 40};
  mem::Request request;
  request.payload = index;
  request.words = 0xd;  // lanes 0, 2, 3: the first line
  executor.execute(request);
  executor.execute(request);
  EXPECT_EQ(r.old[0], 40u);
  EXPECT_EQ(r.old[2], 50u);
  EXPECT_EQ(r.old[3], 40u);
  std::uint32_t word = 0;
  memory.read(&word, block + 8, 4);
  EXPECT_EQ(word, 0u);
  log.commit(memory);
  memory.read(&word, block + 8, 4);
  EXPECT_EQ(word, 80u);
  memory.read(&word, block + 132, 4);
  EXPECT_EQ(word, 0u) << "not asked for";
}

// Passes over sectors, as validation/data/h200_atomics.csv has them.
TEST(AtomicExecutor, TellsThePassesOfARequest) {
  mem::DeviceMemory memory(std::uint64_t{64} << 20);
  const mem::Address block = memory.allocate(256, "block");
  AtomicRecords records;
  mem::StoreLog log;
  AtomicExecutor executor(memory, {&records}, {&log});
  ptx::Instr instr;
  instr.op = ptx::Op::Atom;
  instr.atom = ptx::AtomOp::Add;
  instr.type = ptx::Type::U32;
  mem::Request request;
  request.payload = records.take();
  request.words = ~0u;
  AtomicRecord& r = records[request.payload];
  r.instr = &instr;
  // `lanes` lanes, each `stride` bytes behind the one before, in turn over `places` of them.
  const auto work = [&](std::uint32_t lanes, std::uint64_t stride, std::uint64_t places, std::uint8_t bytes) {
    r.mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    r.bytes = bytes;
    for (std::uint64_t l = 0; l < 32; ++l) r.address[l] = block + l % places * stride;
    return executor.work(request);
  };
  const auto expect = [](const mem::AtomicWork& w, std::uint32_t whole, std::uint32_t part,
                         std::uint32_t deepest) {
    EXPECT_EQ(w.whole, whole);
    EXPECT_EQ(w.part, part);
    EXPECT_EQ(w.deepest, deepest);
  };
  expect(work(32, 4, 32, 4), 4, 0, 1);   // a whole line
  expect(work(1, 4, 1, 4), 0, 1, 1);     // one word
  expect(work(32, 4, 1, 4), 0, 32, 32);  // all lanes in one word
  expect(work(4, 32, 4, 4), 0, 4, 1);    // a word of each sector
  expect(work(32, 4, 8, 4), 4, 0, 4);    // a sector four times
  expect(work(16, 8, 16, 8), 4, 0, 1);   // 64 bits
  EXPECT_FALSE(work(1, 4, 1, 4).floating);
  instr.combined = true;
  expect(work(32, 4, 1, 4), 0, 1, 1);
  instr.combined = false;
  instr.atom = ptx::AtomOp::Cas;
  expect(work(32, 4, 32, 4), 8, 0, 1);  // two operands
  expect(work(1, 4, 1, 4), 0, 1, 1);
  instr.atom = ptx::AtomOp::Add;
  instr.type = ptx::Type::F32;
  EXPECT_TRUE(work(1, 4, 1, 4).floating);
}

TEST(DeviceHeap, BlocksOfOtherSmsComeBackBeforeTheNextLaunch) {
  mem::DeviceMemory memory;
  DeviceHeap heap(memory);
  heap.prepare(2);
  const mem::Address a = heap.arena(0).allocate(100);
  const mem::Address b = heap.arena(0).allocate(100);
  EXPECT_NE(a, 0u);
  EXPECT_EQ(b, a + 112) << "16-byte steps";
  heap.arena(1).release(a);
  EXPECT_EQ(heap.arena(0).allocate(100), b + 112) << "not yet";
  heap.prepare(2);
  EXPECT_EQ(heap.arena(0).allocate(100), a);
  heap.arena(0).release(b);
  EXPECT_THROW(heap.arena(0).release(b), Error);
  EXPECT_THROW(heap.arena(0).release(16), Error);
  EXPECT_EQ(heap.arena(0).allocate(std::uint64_t{1} << 40), 0u);
}

}  // namespace
}  // namespace heddle::exec
