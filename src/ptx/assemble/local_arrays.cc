#include "ptx/assemble/local_arrays.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/natural_loops.h"

namespace heddle::ptx {
namespace {

// Comparisons that are worth an array's stay in registers, in tenths: so many, and more for each access at a
// known place, which costs nothing then. Those of a loop count as many.
constexpr std::uint64_t kComparisons = 580, kForAccess = 31, kTurns = 5, kFewAccesses = 2,
                        kMostElements = 120;

// An address in a local variable: the place, or the place from which an index counts.
struct Address {
  std::uint32_t symbol = kNoTarget;
  std::int64_t place = 0;
  bool indexed = false;
  friend bool operator==(const Address&, const Address&) = default;
};

struct Access {
  std::uint32_t at = 0;  // instruction
  Address address;
  std::uint32_t bytes = 0;  // of a component
};

class LocalArrays {
 public:
  LocalArrays(const Module& module, Function& f, const ControlFlow& flow)
      : module_(module), f_(f), flow_(flow), address_(f.registers.size()) {}

  void find() {
    while (follow_addresses()) {
    }
    collect();
    if (accesses_.empty()) return;
    const LoopForest forest = find_loops(f_, flow_);
    for (const auto& [symbol, accesses] : accesses_)
      if (!escaped_.contains(symbol)) decide(forest, symbol, accesses);
  }

 private:
  const Variable* local_variable(std::uint32_t symbol) const {
    const Symbol& s = module_.symbols[symbol];
    if (s.kind != Symbol::Kind::FunctionVariable) return nullptr;
    const Variable& v = module_.functions[s.function].variables[s.index];
    return v.space == Space::Local ? &v : nullptr;
  }
  std::optional<Address> address_of(const Operand& o) const {
    if (o.kind == Operand::Kind::Symbol && local_variable(o.index) != nullptr)
      return Address{o.index, static_cast<std::int64_t>(o.value), false};
    if (o.kind == Operand::Kind::Reg) return address_[o.index];
    return {};
  }
  // The address that an instruction computes from another.
  std::optional<Address> result(const Instr& in) const {
    if (in.op == Op::Mov) return address_of(in.src[0]);
    if (in.op == Op::Mad && in.n_src == 3) {
      std::optional<Address> a = address_of(in.src[2]);
      if (a) a->indexed = true;
      return a;
    }
    if (in.op != Op::Add) return {};
    for (int i = 0; i < 2; ++i) {
      std::optional<Address> a = address_of(in.src[i]);
      if (!a) continue;
      const Operand& other = in.src[1 - i];
      if (other.kind == Operand::Kind::Imm && !a->indexed)
        a->place += static_cast<std::int64_t>(other.value);
      else if (other.kind != Operand::Kind::Imm)
        a->indexed = true;
      return a;
    }
    return {};
  }
  // A register that is written in several ways, such as a counter, is indexed from the first of them.
  bool follow_addresses() {
    bool changed = false;
    for (const Instr& in : f_.instrs) {
      const std::optional<Address> a = result(in);
      if (!a || in.n_dst != 1 || in.dst[0].kind != Operand::Kind::Reg) continue;
      std::optional<Address>& known = address_[in.dst[0].index];
      if (known == a) continue;
      if (!known) {
        known = a;
      } else if (!known->indexed && known->symbol == a->symbol) {
        known->place = std::min(known->place, a->place);
        known->indexed = true;
      } else {
        continue;
      }
      changed = true;
    }
    return changed;
  }
  void collect() {
    for (std::uint32_t i = 0; i < f_.instrs.size(); ++i) {
      const Instr& in = f_.instrs[i];
      const bool access = (in.op == Op::Ld || in.op == Op::St) && in.space == Space::Local;
      if (const std::optional<Address> a = address_of(in.address)) {
        if (access) {
          Address to = *a;
          if (!to.indexed) to.place += in.offset;
          accesses_[to.symbol].push_back({i, to, bits(in.type) / 8});
        } else {
          escaped_.insert(a->symbol);
        }
      }
      const bool follows = result(in).has_value();
      for (std::uint8_t k = 0; k < in.n_src; ++k)
        if (const std::optional<Address> a = address_of(in.src[k]); a && !follows) escaped_.insert(a->symbol);
    }
    for (const CallSite& c : f_.calls)
      for (const std::uint32_t s : c.arguments) escaped_.insert(s);
  }

  std::uint64_t turns(const LoopForest& forest, std::uint32_t at) const {
    std::uint64_t n = 1;
    for (std::uint32_t loop = forest.innermost[flow_.block_of[at]]; loop != kNoTarget;
         loop = forest.loops[loop].parent)
      n *= kTurns;
    return n;
  }
  // A variable holds several arrays: one from each place from which an index counts to the next.
  void decide(const LoopForest& forest, std::uint32_t symbol, const std::vector<Access>& accesses) {
    const auto size = static_cast<std::int64_t>(local_variable(symbol)->size);
    std::set<std::int64_t> begins = {0, size};
    for (const Access& a : accesses)
      if (a.address.indexed) begins.insert(std::clamp<std::int64_t>(a.address.place, 0, size));
    for (auto from = begins.begin(); std::next(from) != begins.end(); ++from) {
      std::vector<Access> of_array;
      for (const Access& a : accesses)
        if (a.address.place >= *from && a.address.place < *std::next(from)) of_array.push_back(a);
      if (!of_array.empty()) decide(forest, static_cast<std::uint64_t>(*std::next(from) - *from), of_array);
    }
  }
  void decide(const LoopForest& forest, std::uint64_t size, const std::vector<Access>& accesses) {
    std::uint64_t bytes = 8, indexed = 0, known = 0;
    for (const Access& a : accesses) bytes = std::min<std::uint64_t>(bytes, std::max(1u, a.bytes));
    for (const Access& a : accesses) (a.address.indexed ? indexed : known) += turns(forest, a.at);
    const std::uint64_t elements = size / bytes;
    if (elements > kMostElements || bytes < 4) return;
    if (indexed > kFewAccesses && 10 * indexed * elements > kComparisons + kForAccess * known) return;
    for (const Access& a : accesses)
      f_.instrs[a.at].elements = static_cast<std::uint8_t>(a.address.indexed ? elements : 1);
    f_.array_registers += static_cast<std::uint32_t>(size / 4);
  }

  const Module& module_;
  Function& f_;
  const ControlFlow& flow_;
  std::vector<std::optional<Address>> address_;  // by register
  std::map<std::uint32_t, std::vector<Access>> accesses_;
  std::set<std::uint32_t> escaped_;
};

}  // namespace

void find_local_arrays(const Module& module, Function& function, const ControlFlow& flow) {
  const bool any = std::any_of(function.instrs.begin(), function.instrs.end(),
                               [](const Instr& in) { return in.space == Space::Local; });
  if (any) LocalArrays(module, function, flow).find();
}

}  // namespace heddle::ptx
