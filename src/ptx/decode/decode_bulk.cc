// cp.async.bulk of plain bytes, and its groups. Copies of tensors need descriptors and are refused.
#include <fmt/format.h>

#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

// cp.async.bulk.prefetch.L2.global [src], size
void prefetch(Decoder& d) {
  Instr& i = d.in();
  i.op = Op::Prefetch;
  i.cache = CacheHint::Cg;
  if (!d.take(Mod::L2) || !d.take(Mod::Global)) d.fail_missing(".L2.global");
  i.space = Space::Global;
  d.address();
  d.src(Type::U32);
  drop_cache_policy(d);
}

void group(Decoder& d) {
  Instr& i = d.in();
  i.bulk = BulkCopy::Group;
  if (d.take(Mod::CommitGroup)) {
    i.op = Op::CpAsyncCommit;
    return;
  }
  d.take(Mod::WaitGroup);
  d.take(Mod::ReadMod);
  i.op = Op::CpAsyncWait;
  i.type = Type::U32;
  i.src[i.n_src++] = {Operand::Kind::Imm, false, 0, d.immediate("the number of groups that may be pending")};
}

// The destination is written before the source.
BulkCopy direction(Decoder& d) {
  const std::string opcode = d.fmt_opcode();
  const std::size_t shared = opcode.find(".shared"), global = opcode.find(".global");
  if (shared == std::string::npos) d.fail_missing(".shared::cta or .shared::cluster");
  d.take(Mod::Shared);
  if (!d.take(Mod::Global)) {
    if (opcode.find(".shared", shared + 1) == std::string::npos)
      d.fail_missing("the state spaces of destination and source");
    return BulkCopy::SharedToShared;
  }
  return shared < global ? BulkCopy::GlobalToShared : BulkCopy::SharedToGlobal;
}

}  // namespace

// cp.async.bulk.shared::cluster.{global,shared::cta}.mbarrier::complete_tx::bytes [dst], [src], size, [mbar]
// cp.async.bulk.global.shared::cta.bulk_group [dst], [src], size
void decode_bulk_copy(Decoder& d) {
  Instr& i = d.in();
  if (d.has(Mod::Tensor))
    d.refuse("bulk copies of tensors (TMA descriptors) are not supported",
             "compile for compute_80 or build without the TMA path");
  if (d.has(Mod::Multicast)) d.refuse("copies to several CTAs of a cluster are not supported");
  if (d.take(Mod::PrefetchMod)) return prefetch(d);
  if (d.has(Mod::CommitGroup) || d.has(Mod::WaitGroup)) return group(d);
  i.op = Op::CpAsyncBulk;
  i.bulk = direction(d);
  i.cache = CacheHint::Cg;
  const bool to_global = i.bulk == BulkCopy::SharedToGlobal;
  if (!d.take(to_global ? Mod::BulkGroup : Mod::CompleteTxBytes))
    d.fail_missing(to_global ? ".bulk_group" : ".mbarrier::complete_tx::bytes");
  const bool policy = d.take(Mod::CacheHint);
  d.refuse_unused();  // .cp_mask and its like have operands of their own
  i.space = to_global ? Space::Global : Space::Shared;
  d.address();
  second_address(d, i.bulk == BulkCopy::GlobalToShared ? Space::Global : Space::Shared, i.offset2,
                 "a source address");
  d.src(Type::U32);
  if (!to_global) second_address(d, Space::Shared, i.offset3, "the address of an mbarrier");
  if (policy) d.next("a cache policy");
}

}  // namespace heddle::ptx
