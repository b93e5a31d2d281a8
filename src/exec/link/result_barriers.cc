#include "exec/link/result_barriers.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace heddle::exec {
namespace {

using workload::InstrClass;
using workload::RegisterId;
using workload::StaticInstr;

// Two of the six are left to operands that are being read and to results from before the block: where four
// are taken, more results join the latest than get one of their own (code_distances.csv).
constexpr std::size_t kBarriers = 4;
constexpr std::uint32_t kNobody = ~0u;

// Removed by the assembler: who reads its result reads its operands.
bool is_name(const StaticInstr& i) {
  return i.cls == InstrClass::Move || i.cls == InstrClass::AddressSpace;
}

bool comes_when_it_comes(const StaticInstr& i) {
  if (i.n_dst == 0) return false;
  if ((i.flags & StaticInstr::kMemory) != 0) return true;
  return i.cls == InstrClass::Special || i.cls == InstrClass::Convert || i.cls == InstrClass::Shuffle;
}

class Barriers {
 public:
  Barriers(std::span<StaticInstr> code, const std::vector<bool>& starts)
      : code_(code), starts_(starts), reader_(code.size(), kNobody) {}

  void run() {
    find_readers();
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (starts_[i]) leave();
      step(i);
      if (ends_block(code_[i])) leave();
    }
  }

 private:
  struct Barrier {
    bool taken = false;
    std::uint32_t reader = kNobody, last_at = 0;
    RegisterId last = 0;
  };

  static bool ends_block(const StaticInstr& i) {
    return (i.flags & (StaticInstr::kBranch | StaticInstr::kCall | StaticInstr::kExit)) != 0;
  }

  // Who reads a result first, in its block.
  void find_readers() {
    std::unordered_map<RegisterId, std::uint32_t> next;
    for (std::uint32_t i = static_cast<std::uint32_t>(code_.size()); i-- > 0;) {
      const StaticInstr& in = code_[i];
      if (ends_block(in)) next.clear();
      std::uint32_t reader = i;
      for (std::uint32_t k = 0; k < in.n_dst; ++k) {
        const auto found = next.find(in.dst[k]);
        const std::uint32_t at = found == next.end() ? kNobody : found->second;
        reader_[i] = std::min(reader_[i], at);
        next.erase(in.dst[k]);
      }
      if (is_name(in)) reader = reader_[i];
      for (std::uint32_t k = 0; k < in.n_src; ++k)
        if (reader != kNobody) next[in.src[k]] = reader;
      if (starts_[i]) next.clear();
    }
  }

  void step(std::uint32_t at) {
    StaticInstr& in = code_[at];
    std::uint8_t from = 0;
    for (std::uint32_t k = 0; k < in.n_src; ++k) from |= pending(in.src[k]);
    if (is_name(in)) {
      for (std::uint32_t k = 0; k < in.n_dst; ++k) on_[in.dst[k]] = from;
      return;
    }
    for (std::uint32_t k = 0; k < in.n_dst; ++k) from |= pending(in.dst[k]);
    if (from != 0) wait(in, from);
    for (std::uint32_t k = 0; k < in.n_dst; ++k) on_.erase(in.dst[k]);
    if (comes_when_it_comes(in)) give(at);
  }

  std::uint8_t pending(RegisterId r) const {
    const auto found = on_.find(r);
    return found == on_.end() ? std::uint8_t{0} : found->second;
  }

  // For all that is to come to these barriers; results of one kind come in their order.
  void wait(StaticInstr& in, std::uint8_t which) {
    const Barrier* latest = nullptr;
    for (std::size_t b = 0; b < kBarriers; ++b)
      if ((which >> b & 1) != 0 && (latest == nullptr || barriers_[b].last_at > latest->last_at))
        latest = &barriers_[b];
    const auto end = in.src.begin() + in.n_src;
    if (in.more == 0 && in.n_src < StaticInstr::kSourcesBeforeRest &&
        std::find(in.src.begin(), end, latest->last) == end)
      in.set_waits_also(latest->last);
    for (std::size_t b = 0; b < kBarriers; ++b)
      if ((which >> b & 1) != 0) barriers_[b] = {};
    for (auto& [r, on] : on_) on = static_cast<std::uint8_t>(on & ~which);
  }

  void give(std::uint32_t at) {
    Barrier* found = nullptr;
    for (Barrier& b : barriers_)
      if (b.taken && b.reader == reader_[at] && b.reader != kNobody) found = &b;
    for (Barrier& b : barriers_)
      if (found == nullptr && !b.taken) found = &b;
    if (found == nullptr)
      found = std::max_element(barriers_.begin(), barriers_.end(),
                               [](const Barrier& a, const Barrier& b) { return a.last_at < b.last_at; });
    if (!found->taken) found->reader = reader_[at];
    found->taken = true;
    found->last_at = at + 1;
    found->last = code_[at].dst[0];
    const auto bit = static_cast<std::uint8_t>(1u << (found - barriers_.data()));
    for (std::uint32_t k = 0; k < code_[at].n_dst; ++k) on_[code_[at].dst[k]] = bit;
  }

  void leave() {
    on_.clear();
    barriers_ = {};
  }

  std::span<StaticInstr> code_;
  const std::vector<bool>& starts_;
  std::vector<std::uint32_t> reader_;                // by instruction
  std::unordered_map<RegisterId, std::uint8_t> on_;  // barriers that a register's value comes to
  std::array<Barrier, kBarriers> barriers_;
};

}  // namespace

void share_result_barriers(std::span<StaticInstr> code, const std::vector<bool>& starts) {
  Barriers(code, starts).run();
}

}  // namespace heddle::exec
