#include "exec/link/call_graph.h"

#include <algorithm>

#include "exec/link/symbol_operands.h"

namespace heddle::exec {
namespace {

using ptx::Function;
using ptx::Instr;
using ptx::Module;
using ptx::Symbol;

class GraphBuilder {
 public:
  explicit GraphBuilder(const Module& module) : module_(module) {}

  CallGraph build(std::uint32_t kernel) {
    add(kernel);
    scan_new();
    if (indirect_) {
      add_taken_in_module();
      scan_new();
    }
    for (std::uint32_t i = 0; i < graph_.functions.size(); ++i)
      for (const ptx::CallSite& site : module_.functions[graph_.functions[i]].calls)
        if (site.callee == ~0u)
          graph_.callees[i].insert(graph_.callees[i].end(), address_taken_.begin(), address_taken_.end());
    return std::move(graph_);
  }

 private:
  std::uint32_t add(std::uint32_t function) {
    const auto index = static_cast<std::uint32_t>(graph_.functions.size());
    const auto [it, added] = graph_.index_of.try_emplace(function, index);
    if (added) {
      graph_.functions.push_back(function);
      graph_.callees.emplace_back();
    }
    return it->second;
  }

  // The address of a kernel is for launching it.
  bool is_callable(std::uint32_t symbol) const {
    const Symbol& s = module_.symbols[symbol];
    return s.kind == Symbol::Kind::Function && !module_.functions[s.index].entry;
  }
  void take_address(std::uint32_t symbol) { address_taken_.push_back(add(module_.symbols[symbol].index)); }

  void scan(std::uint32_t index) {
    const Function& f = module_.functions[graph_.functions[index]];
    for (const Instr& in : f.instrs) {
      for_each_symbol(in, [&](std::uint32_t s) {
        if (is_callable(s)) take_address(s);
      });
      if (in.op != ptx::Op::Call) continue;
      const ptx::CallSite& site = f.calls[in.call];
      if (site.callee == ~0u) {
        indirect_ = true;
      } else if (!module_.functions[site.callee].external) {
        const std::uint32_t callee = add(site.callee);  // may move callees
        graph_.callees[index].push_back(callee);
      }
    }
  }
  void scan_new() {
    for (; scanned_ < graph_.functions.size(); ++scanned_) scan(scanned_);
  }

  // Another kernel may have stored the pointer.
  void add_taken_in_module() {
    const auto take_defined = [&](std::uint32_t s) {
      if (is_callable(s) && !module_.functions[module_.symbols[s].index].external) take_address(s);
    };
    for (const Function& f : module_.functions)
      for (const Instr& in : f.instrs) for_each_symbol(in, take_defined);
    for (const ptx::Variable& v : module_.variables)
      for (const ptx::Relocation& r : v.relocations) take_defined(r.symbol);
  }

  const Module& module_;
  CallGraph graph_;
  std::vector<std::uint32_t> address_taken_;  // indices in CallGraph::functions
  std::uint32_t scanned_ = 0;
  bool indirect_ = false;
};

class StackMeasure {
 public:
  StackMeasure(const CallGraph& graph, std::span<const std::uint32_t> frame_bytes)
      : graph_(graph),
        frame_bytes_(frame_bytes),
        state_(graph.functions.size(), State::New),
        depth_(graph.functions.size(), 0) {}

  StackNeed measure() {
    const std::uint32_t bytes = deepest(0);
    return {bytes, recursive_};
  }

 private:
  enum class State : std::uint8_t { New, Open, Done };

  std::uint32_t deepest(std::uint32_t f) {
    if (state_[f] == State::Done) return depth_[f];
    if (state_[f] == State::Open) {
      recursive_ = true;
      return 0;
    }
    state_[f] = State::Open;
    std::uint32_t below = 0;
    for (const std::uint32_t c : graph_.callees[f]) below = std::max(below, deepest(c));
    state_[f] = State::Done;
    // What is too much stays too much.
    return depth_[f] = static_cast<std::uint32_t>(
               std::min<std::uint64_t>(std::uint64_t{frame_bytes_[f]} + below, UINT32_MAX));
  }

  const CallGraph& graph_;
  std::span<const std::uint32_t> frame_bytes_;
  std::vector<State> state_;
  std::vector<std::uint32_t> depth_;
  bool recursive_ = false;
};

}  // namespace

CallGraph build_call_graph(const Module& module, std::uint32_t kernel) {
  return GraphBuilder(module).build(kernel);
}

StackNeed deepest_stack(const CallGraph& graph, std::span<const std::uint32_t> frame_bytes) {
  return StackMeasure(graph, frame_bytes).measure();
}

}  // namespace heddle::exec
