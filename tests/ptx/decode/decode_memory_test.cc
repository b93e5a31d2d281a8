// Loads, stores, atomics, copies, textures.
#include "ptx_text.h"

namespace heddle::ptx {
namespace {

using Kind = Operand::Kind;

TEST(DecodeMemory, Addresses) {
  const Instr i = first("ld.global.u32 %r1, [%rd1+-8];");
  EXPECT_EQ(i.op, Op::Ld);
  EXPECT_EQ(i.space, Space::Global);
  EXPECT_EQ(i.address.kind, Kind::Reg);
  EXPECT_EQ(i.offset, -8);
  EXPECT_EQ(first("ld.global.u32 %r1, [%rd1-8];").offset, -8);
  EXPECT_EQ(first("ld.shared.u32 %r1, [svar+4];").offset, 4);
  EXPECT_EQ(first("ld.shared.u32 %r1, [dyn];").address.kind, Kind::Symbol);
  const Instr c = first("ld.shared.u32 %r1, [16];");
  EXPECT_EQ(c.address.kind, Kind::Imm);
  EXPECT_EQ(c.address.value, 16u);
  EXPECT_EQ(first("ld.u32 %r1, [%rd1];").space, Space::Generic);
  EXPECT_EQ(first("ld.u32 %r1, [gvar];").space, Space::Global);
}

TEST(DecodeMemory, ParametersAreSymbols) {
  const Module m =
      parse(kernel_text("ld.param.v2.u64 {%rd1, %rd2}, [k_param_1+0];\nst.param.b32 [pvar+0], %r1;"));
  const auto& instrs = m.find_function("k")->instrs;
  EXPECT_EQ(instrs[0].space, Space::Param);
  EXPECT_EQ(instrs[0].vector, 2);
  EXPECT_EQ(m.symbols[instrs[0].address.index].kind, Symbol::Kind::Formal);
  EXPECT_EQ(m.symbols[instrs[1].address.index].kind, Symbol::Kind::FunctionVariable);
}

TEST(DecodeMemory, VectorsAndSinks) {
  const Instr i = first("ld.global.nc.v4.f32 {%f1, _, %f3, %f4}, [%rd1];");
  EXPECT_EQ(i.n_dst, 4);
  EXPECT_EQ(i.dst[1].kind, Kind::Sink);
  EXPECT_EQ(i.cache, CacheHint::Nc);
  const Instr s = first("st.shared.v4.u32 [%r2], {%r1, %r2, 7, %r4};");
  EXPECT_EQ(s.n_src, 4);
  EXPECT_EQ(s.src[2].value, 7u);
}

TEST(DecodeMemory, RegistersMayBeWiderThanTheType) {
  EXPECT_EQ(first("ld.global.s8 %rd1, [%rd1];").type, Type::S8);
  EXPECT_EQ(first("st.global.u8 [%rd1], %r1;").type, Type::U8);
  EXPECT_EQ(error_in("ld.global.u64 %r1, [%rd1];").place().column, 15u);
}

TEST(DecodeMemory, OrderAndScopeInAnyPosition) {
  const Instr a = first("ld.acquire.sys.global.u8 %h1, [%rd1];");
  EXPECT_EQ(a.order, MemOrder::Acquire);
  EXPECT_EQ(a.scope, Scope::Sys);
  EXPECT_EQ(a.space, Space::Global);
  EXPECT_EQ(first("st.volatile.global.u32 [%rd1], 5;").order, MemOrder::Volatile);
  EXPECT_EQ(first("ld.relaxed.gpu.v2.u32 {%r1, %r2}, [%rd1];").order, MemOrder::Relaxed);
  EXPECT_EQ(first("ld.cg.u32 %r1, [%rd1];").cache, CacheHint::Cg);
}

TEST(DecodeMemory, HarmlessQualifiersAreAccepted) {
  EXPECT_EQ(first("ld.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1];").op, Op::Ld);
  EXPECT_EQ(first("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;").op, Op::Ld);
  EXPECT_EQ(first("st.global.L1::evict_first.u32 [%rd1], %r1;").op, Op::St);
}

TEST(DecodeMemory, Atomics) {
  for (const char* text :
       {"atom.global.sys.add.u32 %r1, [%rd1], 1;", "atom.add.acq_rel.sys.global.u32 %r1, [%rd1], 1;"}) {
    const Instr i = first(text);
    EXPECT_EQ(i.op, Op::Atom);
    EXPECT_EQ(i.atom, AtomOp::Add);
    EXPECT_EQ(i.scope, Scope::Sys);
    EXPECT_EQ(i.space, Space::Global);
  }
  const Instr c = first("atom.shared.cas.b64 %rd1, [%r1], %rd2, %rd3;");
  EXPECT_EQ(c.atom, AtomOp::Cas);
  EXPECT_EQ(c.n_src, 2);
  const Instr r = first("red.release.gpu.global.max.s64 [%rd1], %rd2;");
  EXPECT_EQ(r.op, Op::Red);
  EXPECT_EQ(r.order, MemOrder::Release);
  EXPECT_EQ(r.n_dst, 0);
  EXPECT_EQ(first("atom.add.noftz.f16x2 %r1, [%rd1], %r2;").type, Type::F16x2);
  EXPECT_EQ(first("atom.global.add.u32 _, [%rd1], %r2;").dst[0].kind, Kind::Sink);
}

TEST(DecodeMemory, BarrierObjects) {
  const Instr i = first("mbarrier.init.shared.b64 [%r1], 5;");
  EXPECT_EQ(i.mbarrier, MbarrierOp::Init);
  EXPECT_EQ(i.space, Space::Shared);
  EXPECT_EQ(i.src[0].value, 5u);
  EXPECT_EQ(first("mbarrier.inval.b64 [%rd1];").space, Space::Generic);
  const Instr a = first("mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [%r1];");
  EXPECT_EQ(a.mbarrier, MbarrierOp::Arrive);
  EXPECT_EQ(a.n_src, 0);
  const Instr e = first("mbarrier.arrive.expect_tx.shared.b64 _, [%r1], %r2;");
  EXPECT_TRUE(e.mbarrier_expects);
  EXPECT_EQ(e.dst[0].kind, Kind::Sink);
  EXPECT_EQ(first("mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [%r1], 2;").mbarrier,
            MbarrierOp::ArriveDrop);
  EXPECT_EQ(first("mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 64;").mbarrier, MbarrierOp::ExpectTx);
  const Instr w = first("mbarrier.try_wait.parity.acquire.cta.shared.b64 %p1, [%r1], %r2, 100;");
  EXPECT_EQ(w.mbarrier, MbarrierOp::TestWait);
  EXPECT_TRUE(w.mbarrier_parity);
  EXPECT_EQ(w.n_src, 2);
  EXPECT_EQ(first("mbarrier.pending_count.b64 %r1, %rd1;").mbarrier, MbarrierOp::PendingCount);
  EXPECT_NE(error_in("mbarrier.init.global.b64 [%rd1], 1;").message().find(".shared"), std::string::npos);
  EXPECT_NE(error_in("mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1];").message().find("needs"),
            std::string::npos);
}

TEST(DecodeMemory, AsynchronousCopies) {
  const Instr i = first("cp.async.cg.shared.global.L2::128B [%r1+16], [%rd1+32], 16, %r2;");
  EXPECT_EQ(i.op, Op::CpAsync);
  EXPECT_EQ(i.offset, 16);
  EXPECT_EQ(i.offset2, 32);
  EXPECT_EQ(i.cp_size, 16);
  EXPECT_EQ(i.n_src, 2);
  EXPECT_EQ(first("cp.async.commit_group;").op, Op::CpAsyncCommit);
  const Instr w = first("cp.async.wait_group 2;");
  EXPECT_EQ(w.op, Op::CpAsyncWait);
  EXPECT_EQ(w.src[0].value, 2u);
  EXPECT_EQ(first("cp.async.wait_all;").n_src, 0);
  const Instr a = first("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1+8];");
  EXPECT_EQ(a.op, Op::Mbarrier);
  EXPECT_EQ(a.mbarrier, MbarrierOp::CopyArrive);
  EXPECT_TRUE(a.mbarrier_noinc);
  EXPECT_EQ(a.offset, 8);
}

TEST(DecodeMemory, BulkCopies) {
  const Instr i = first(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1+16], [%rd1+32], "
      "%r2, [%r3+8], %rd2;");
  EXPECT_EQ(i.op, Op::CpAsyncBulk);
  EXPECT_EQ(i.bulk, BulkCopy::GlobalToShared);
  EXPECT_EQ(i.space, Space::Shared);
  EXPECT_EQ(i.offset, 16);
  EXPECT_EQ(i.offset2, 32);
  EXPECT_EQ(i.offset3, 8);
  EXPECT_EQ(i.n_src, 3);
  EXPECT_EQ(
      first("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r3];").bulk,
      BulkCopy::GlobalToShared);
  const Instr g = first("cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r1+32], 64;");
  EXPECT_EQ(g.bulk, BulkCopy::SharedToGlobal);
  EXPECT_EQ(g.space, Space::Global);
  EXPECT_EQ(g.offset, 16);
  EXPECT_EQ(g.offset2, 32);
  EXPECT_EQ(g.n_src, 2);
  EXPECT_EQ(first("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 64, "
                  "[%r3];")
                .bulk,
            BulkCopy::SharedToShared);
  EXPECT_EQ(first("cp.async.bulk.prefetch.L2.global [%rd1], 256;").op, Op::Prefetch);
  const Instr c = first("cp.async.bulk.commit_group;");
  EXPECT_EQ(c.op, Op::CpAsyncCommit);
  EXPECT_EQ(c.bulk, BulkCopy::Group);
  const Instr w = first("cp.async.bulk.wait_group.read 3;");
  EXPECT_EQ(w.op, Op::CpAsyncWait);
  EXPECT_EQ(w.bulk, BulkCopy::Group);
  EXPECT_EQ(w.src[0].value, 3u);
  EXPECT_EQ(first("fence.proxy.async;").op, Op::Membar);
  EXPECT_EQ(first("fence.proxy.async.shared::cta;").space, Space::Shared);
  EXPECT_EQ(first("fence.mbarrier_init.release.cluster;").op, Op::Membar);
}

TEST(DecodeMemory, BulkCopiesThatAreRefused) {
  const auto refused = [](std::string_view text, std::string_view why) {
    EXPECT_NE(error_in(text).message().find(why), std::string::npos) << error_in(text).message();
  };
  refused(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, "
      "%r3}], "
      "[%r4];",
      "tensors (TMA descriptors)");
  refused(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], "
      "16, "
      "[%r2], %h1;",
      "several CTAs");
  refused("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16;", "reductions");
  refused("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 16, %h1;", ".cp_mask");
  refused("cp.async.bulk.shared::cluster.global [%r1], [%rd1], 16, [%r2];", ".mbarrier::complete_tx::bytes");
  refused("cp.async.bulk.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];", ".shared");
  refused("fence.proxy.tensormap::generic.release.gpu;", "proxy");
}

TEST(DecodeMemory, Textures) {
  const Instr i = first("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];");
  EXPECT_EQ(i.op, Op::Tex);
  EXPECT_EQ(i.tex, TexGeometry::T2d);
  EXPECT_EQ(i.n_dst, 4);
  EXPECT_EQ(i.n_src, 2);
  EXPECT_EQ(i.address.kind, Kind::Reg);
  EXPECT_EQ(first("tex.3d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6, %r7, %r7}];").n_src, 3);
  EXPECT_EQ(first("tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f6}];").n_src, 3);
  EXPECT_EQ(first("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r5}];").src_type, Type::S32);
  const Module m = parse(std::string(kHeading) +
                         ".global .texref t;\n.entry k() { .reg .f32 %f<5>; "
                         "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f0}]; }");
  EXPECT_TRUE(m.variables[0].texture);
  EXPECT_EQ(m.functions[0].instrs[0].address.kind, Kind::Symbol);
}

TEST(DecodeMemory, TextureLevelsAndGradients) {
  const Instr level = first("tex.level.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6,%f7,%f7}], %f8;");
  EXPECT_EQ(level.tex, TexGeometry::Cube);
  EXPECT_EQ(level.tex_mip, TexMip::Level);
  EXPECT_EQ(level.n_src, 4);
  const Instr grad =
      first("tex.grad.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%f5,%f6,%f6}], {%f7,%f8}, {%f8,%f7};");
  EXPECT_EQ(grad.tex_mip, TexMip::Grad);
  EXPECT_EQ(grad.n_src, 7) << "layer, two coordinates, two gradients of two";
  EXPECT_EQ(first("tex.1d.v2.f16x2.f32 {%r1,%r2}, [%rd1, {%f1}];").n_dst, 2);
  EXPECT_NE(
      error_in("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%f5,%f6}];").message().find("residency"),
      std::string::npos);
  EXPECT_NE(error_in("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}], {%r1,%r2};")
                .message()
                .find("offsets"),
            std::string::npos);
}

TEST(DecodeMemory, OnlyTexturesHaveAPredicateBehindAVector) {
  EXPECT_NE(error_in("ld.global.v2.u32 {%r1,%r2}|%p1, [%rd1];").message().find("'|'"), std::string::npos);
}

TEST(DecodeMemory, GathersAndQueries) {
  const Instr i = first("tld4.b.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%f5,%f6}];");
  EXPECT_EQ(i.op, Op::Tld4);
  EXPECT_EQ(i.component, 2);
  EXPECT_EQ(first("tld4.r.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%f1,%f2,%f3}];").component, 0);
  const Instr q = first("txq.level.depth.b32 %r1, [%rd1], 2;");
  EXPECT_EQ(q.op, Op::Txq);
  EXPECT_EQ(q.tex_query, TexQuery::Depth);
  EXPECT_EQ(q.n_src, 1);
  EXPECT_EQ(first("suq.width.b32 %r1, [%rd1];").tex_query, TexQuery::Width);
}

TEST(DecodeMemory, Surfaces) {
  const Instr load = first("suld.b.2d.v4.b32.trap {%r1,%r2,%r3,%r4}, [%rd1, {%r5,%r6}];");
  EXPECT_EQ(load.op, Op::Suld);
  EXPECT_EQ(load.n_dst, 4);
  EXPECT_EQ(load.bounds, SurfaceBounds::Trap);
  const Instr store = first("sust.b.a2d.v2.b16.zero [%rd1, {7,%r5,%r6,%r6}], {%h1,%h2};");
  EXPECT_EQ(store.n_src, 5) << "the values, then layer and coordinates";
  EXPECT_EQ(store.src[2].value, 7u);
  EXPECT_EQ(store.bounds, SurfaceBounds::Zero);
  EXPECT_EQ(first("sured.b.min.1d.s32.clamp [%rd1, {%r1}], %r2;").atom, AtomOp::Min);
  EXPECT_NE(error_in("sust.p.1d.v4.b32.trap [%rd1, {%r1}], {%r1,%r2,%r3,%r4};").message().find("formatted"),
            std::string::npos);
  EXPECT_NE(error_in("suld.b.1d.b32 {%r1}, [%rd1, {%r1}];").message().find(".trap"), std::string::npos);
}

TEST(DecodeMemory, Prefetch) {
  EXPECT_EQ(first("prefetch.global.L2 [%rd1+64];").op, Op::Prefetch);
  EXPECT_EQ(first("prefetchu.L1 [%rd1];").op, Op::Prefetch);
}

}  // namespace
}  // namespace heddle::ptx
