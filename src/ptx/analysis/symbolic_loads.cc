// Values that come out of memory, and parameters of kernels and functions.
#include "ptx/analysis/symbolic_operations.h"

namespace heddle::ptx {
namespace {

constexpr unsigned kDeepestCall = 4;

std::uint32_t formal_key(std::uint32_t symbol, std::int64_t offset) {
  return symbol << 12 | static_cast<std::uint32_t>(offset & 0xFFF);
}

}  // namespace

SymbolicValue SymbolicOperations::load() {
  if (in_->op == Op::Ld && in_->space == Space::Param) return load_parameter();
  Atom a{.kind = AtomKind::Loaded, .index = at_, .instr = in_, .result = which_};
  if (in_->address.kind != Operand::Kind::None) a.args.push_back(v_.address(at_).sum);
  if (in_->op == Op::Tex || in_->op == Op::Tld4 || in_->op == Op::Suld)
    for (std::uint8_t i = 0; i < in_->n_src; ++i)
      a.args.push_back(v_.operand(in_->src[i], in_->src_type, at_).sum);
  // A constant does not change: the same place has the same value.
  if (in_->op == Op::Ld && in_->space == Space::Const) {
    a.kind = AtomKind::Function;
    a.join = JoinKind::Table;
    a.index = 0;
    // Which element it is makes it data.
    if ((atoms_.causes(a.args[0]) & (kByCta | kByThread)) != 0) a.kind = AtomKind::Loaded;
    return {Sum::of(atoms_.intern(std::move(a))), false};
  }
  for (std::uint32_t l : v_.loops_around(at_))
    a.args.push_back(Sum::of(atoms_.simple(AtomKind::Iteration, l)));
  // An atomic's result is another one for each who asks.
  if (in_->op == Op::Atom)
    for (const Axis axis : kAxes) {
      a.args.push_back(Sum::of(atoms_.simple(AtomKind::Ctaid, static_cast<std::uint32_t>(axis))));
      a.args.push_back(Sum::of(atoms_.simple(AtomKind::Tid, static_cast<std::uint32_t>(axis))));
    }
  return {Sum::of(atoms_.fresh(std::move(a))), false};
}

SymbolicValue SymbolicOperations::load_parameter() {
  // A parameter's own address and a number; large ones are read through a register.
  const Sum address = v_.address(at_).sum;
  const Sum::Term* base = nullptr;
  for (const Sum::Term& t : address.terms())
    if (!t.atoms.empty()) base = base == nullptr && t.atoms.size() == 1 && t.factor == 1 ? &t : nullptr;
  if (base == nullptr || atoms_[base->atoms[0]].kind != AtomKind::Variable) return v_.unknown();
  const std::uint32_t symbol = atoms_[base->atoms[0]].index;
  const Symbol& s = v_.module_.symbols[symbol];
  const std::int64_t offset = address.constant_part() + std::int64_t{which_} * bytes(in_->type);
  if (address.terms().size() > 2) return v_.unknown();
  if (s.kind == Symbol::Kind::FunctionVariable) return returned(symbol, offset);
  if (s.kind != Symbol::Kind::Formal) return v_.unknown();
  if (!v_.function_.entry) {
    const auto at = v_.caller_.formals.find(formal_key(symbol, offset));
    return at == v_.caller_.formals.end() ? v_.unknown() : at->second;
  }
  const auto at =
      static_cast<std::uint32_t>(v_.function_.params[s.index].offset + static_cast<std::uint64_t>(offset));
  if (const auto known = v_.known_.parameters.find(at); known != v_.known_.parameters.end())
    return {Sum(known->second), false};
  return {Sum::of(atoms_.simple(AtomKind::Parameter, at)), false};
}

// What a call has left: what the function's only store to its result stores.
SymbolicValue SymbolicOperations::returned(std::uint32_t symbol, std::int64_t offset) {
  const Function& f = v_.function_;
  const std::uint32_t first = v_.flow_.blocks[v_.flow_.block_of[at_]].first;
  for (std::uint32_t i = at_; i-- > first;) {
    if (f.instrs[i].op != Op::Call) continue;
    const CallSite& call = f.calls[f.instrs[i].call];
    if (call.returns.size() != 1 || call.returns[0] != symbol) continue;
    std::optional<SymbolicValues::Caller> caller = v_.caller_at(i);
    if (!caller) return v_.unknown();
    const Function& callee = v_.module_.functions[call.callee];
    SymbolicValues inside(v_.module_, callee, v_.known_, atoms_, std::move(*caller));
    std::optional<SymbolicValue> found;
    for (std::uint32_t j = 0; j < callee.instrs.size(); ++j) {
      const Instr& st = callee.instrs[j];
      if (st.op != Op::St || st.space != Space::Param || st.address.kind != Operand::Kind::Symbol) continue;
      if (v_.module_.symbols[st.address.index].kind != Symbol::Kind::ReturnFormal) continue;
      if (static_cast<std::int64_t>(st.address.value) + st.offset != offset) continue;
      if (found) return v_.unknown();
      found = inside.operand(st.src[0], st.type, j);
    }
    return found ? *found : v_.unknown();
  }
  return v_.unknown();
}

std::optional<SymbolicValues::Caller> SymbolicValues::caller_at(std::uint32_t at) {
  const CallSite& call = function_.calls[function_.instrs[at].call];
  if (call.callee == ~0u || caller_.depth >= kDeepestCall) return std::nullopt;
  const Function& callee = module_.functions[call.callee];
  if (callee.external || callee.instrs.empty()) return std::nullopt;
  Caller caller;
  caller.depth = caller_.depth + 1;
  const std::vector<std::uint32_t> around = loops_around(at);
  if (!around.empty()) caller.loop = around.back();
  std::map<std::uint32_t, std::uint32_t> formal_of;  // argument's symbol -> formal's
  for (std::uint32_t s = 0; s < module_.symbols.size(); ++s) {
    const Symbol& symbol = module_.symbols[s];
    if (symbol.kind == Symbol::Kind::Formal && symbol.function == call.callee &&
        symbol.index < call.arguments.size())
      formal_of[call.arguments[symbol.index]] = s;
  }
  // Arguments are stored in front of the call, the last store counts.
  for (std::uint32_t i = flow_.blocks[flow_.block_of[at]].first; i < at; ++i) {
    const Instr& st = function_.instrs[i];
    if (st.op != Op::St || st.space != Space::Param || st.address.kind != Operand::Kind::Symbol) continue;
    const auto formal = formal_of.find(st.address.index);
    if (formal == formal_of.end()) continue;
    for (std::uint8_t k = 0; k < st.n_src; ++k) {
      const std::int64_t offset =
          static_cast<std::int64_t>(st.address.value) + st.offset + std::int64_t{k} * bytes(st.type);
      caller.formals[formal_key(formal->second, offset)] = operand(st.src[k], st.type, i);
    }
  }
  return caller;
}

}  // namespace heddle::ptx
