#include "exec/inspect/ptx_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/demangle.h"
#include "base/text.h"
#include "exec/builtins/builtins.h"
#include "exec/image/kernel_image.h"
#include "exec/link/linker.h"
#include "ptx/analysis/control_flow.h"
#include "ptx/ir/kind.h"

namespace heddle::exec {
namespace {

using ptx::Function;
using ptx::Instr;
using ptx::Module;
using ptx::Op;
using ptx::Space;

constexpr std::size_t kMostUnsupported = 1000;

std::string memory_kind(const Instr& in) {
  const std::string space = in.space == Space::None ? "generic" : std::string(ptx::name(in.space));
  return fmt::format("{} {}", space, ptx::is_store(in.op) ? "stores" : "loads");
}

// What kind of work an instruction is, in the words of profilers; loads and stores by space.
std::string kind_of(const Instr& in) {
  switch (ptx::kind(in)) {
    case ptx::Kind::Integer:
      return "integer";
    case ptx::Kind::Logic:
      return "bits";
    case ptx::Kind::Float16:
      return "f16";
    case ptx::Kind::Float32:
      return "f32";
    case ptx::Kind::Float64:
      return "f64";
    case ptx::Kind::Tensor:
      return "matrix products";
    case ptx::Kind::Special:
      return "special functions";
    case ptx::Kind::Convert:
      return "conversions";
    case ptx::Kind::Move:
      return "moves";
    case ptx::Kind::Compare:
      return "comparisons";
    case ptx::Kind::Control:
      return "control";
    case ptx::Kind::Memory:
      return ptx::is_load(in.op) || ptx::is_store(in.op) ? memory_kind(in) : "asynchronous copies";
    case ptx::Kind::Atomic:
      return "atomics";
    case ptx::Kind::Texture:
      return "texture";
    case ptx::Kind::Barrier:
      return "synchronisation";
    case ptx::Kind::Collective:
      return "warp-wide";
    case ptx::Kind::Other:
      break;
  }
  return "other";
}

// Headers of loops: blocks that an edge leads back to while they are still being visited.
std::uint32_t count_loops(const ptx::ControlFlow& cf) {
  enum : std::uint8_t { New, Open, Done };
  std::vector<std::uint8_t> state(cf.blocks.size(), New);
  std::set<std::uint32_t> headers;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;  // block, next successor
  for (std::uint32_t root = 0; root < cf.blocks.size(); ++root) {
    if (state[root] != New) continue;
    stack.emplace_back(root, 0);
    state[root] = Open;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == cf.blocks[block].successors.size()) {
        state[block] = Done;
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = cf.blocks[block].successors[next++];
      if (state[to] == Open) headers.insert(to);
      if (state[to] != New) continue;
      state[to] = Open;
      stack.emplace_back(to, 0);
    }
  }
  return static_cast<std::uint32_t>(headers.size());
}

FunctionFacts facts_of(const Function& f) {
  FunctionFacts out;
  out.name = f.name;
  out.readable = demangle(f.name);
  out.line = f.line;
  for (const ptx::Variable& p : f.params) out.parameters.emplace_back(parameter_type(p), p.size);
  out.instructions = f.instrs.size();
  out.virtual_registers = static_cast<std::uint32_t>(f.registers.size());
  out.max_threads = f.max_threads;
  out.required_threads = f.required_threads;
  std::map<std::string, std::uint64_t> mix;
  for (const Instr& in : f.instrs) {
    ++mix[kind_of(in)];
    const bool branch = in.op == Op::Bra || in.op == Op::BrxIdx;
    out.branches += branch;
    out.conditional_branches += branch && (in.op == Op::BrxIdx || in.guard.kind != ptx::Operand::Kind::None);
    out.calls += in.op == Op::Call;
    out.barriers += in.op == Op::BarSync || in.op == Op::BarRed || in.op == Op::BarArrive;
  }
  out.mix.assign(mix.begin(), mix.end());
  std::stable_sort(out.mix.begin(), out.mix.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const ptx::ControlFlow cf = ptx::build_control_flow(f);
  out.blocks = static_cast<std::uint32_t>(cf.blocks.size());
  out.loops = count_loops(cf);
  return out;
}

// The instruction at this place becomes one that does nothing, so that linking goes on to the next trouble.
bool blank_out(Module& module, const SourcePlace& at) {
  if (at.line == 0 || at.column == 0) return false;
  for (Function& f : module.functions)
    for (Instr& in : f.instrs)
      if (in.line == at.line && in.column == at.column && in.op != Op::Nop) {
        in = Instr{};
        in.line = at.line;
        in.column = at.column;
        return true;
      }
  return false;
}

// The function whose text holds this line.
std::string function_at(const Module& module, std::uint32_t line) {
  const Function* best = nullptr;
  for (const Function& f : module.functions)
    if (!f.prototype && f.line <= line && (best == nullptr || f.line > best->line)) best = &f;
  return best == nullptr ? "" : best->name;
}

// Links every kernel only to see what stands in the way.
class TrialLinker {
 public:
  TrialLinker(Module& module, PtxFacts& facts) : module_(module), facts_(facts) {
    for (const ptx::Unsupported& u : facts.unsupported) seen_.insert({u.line, u.column});
    // No memory is needed to see whether code can be executed; variables only must have some address.
    for (const ptx::Variable& v : module.variables) {
      const bool placed = !v.external && !v.texture && (v.space == Space::Global || v.space == Space::Const);
      addresses_.push_back(placed ? mem::kDeviceBase + 256 : 0);
    }
  }

  void link(std::uint32_t index, FunctionFacts& kernel) {
    while (facts_.unsupported.size() < kMostUnsupported) {
      try {
        const auto image = make_kernel_image(module_, index, addresses_);
        kernel.registers = image->registers_per_thread;
        kernel.static_shared = image->static_shared;
        kernel.local = image->local_bytes;
        kernel.recursive = image->recursive;
        kernel.dynamic_shared = uses_dynamic_shared(*image);
        return;
      } catch (const Error& e) {
        record(e);
        if (!blank_out(module_, e.place())) return;
      }
    }
  }

 private:
  void record(const Error& e) {
    if (!seen_.insert({e.place().line, e.place().column}).second) return;
    // "'ld' in 'kernel' is not supported: reason": the report has columns for the first two.
    std::string reason = e.message();
    if (const std::size_t at = reason.find(" is not supported: "); at != std::string::npos)
      reason = reason.substr(at + 19);
    std::string text(trim(e.place().text));
    std::replace(text.begin(), text.end(), '\t', ' ');
    facts_.unsupported.push_back(
        {text, function_at(module_, e.place().line), reason, e.place().line, e.place().column});
  }

  bool uses_dynamic_shared(const KernelImage& image) const {
    const auto dynamic = [&](const ptx::Operand& o) {
      if (o.kind != ptx::Operand::Kind::Symbol) return false;
      const ptx::Symbol& s = module_.symbols[o.index];
      if (s.kind != ptx::Symbol::Kind::Variable) return false;
      const ptx::Variable& v = module_.variables[s.index];
      return v.space == Space::Shared && v.external && v.size == 0;
    };
    for (const FunctionImage& f : image.functions)
      for (const Instr& in : f.source->instrs) {
        if (dynamic(in.address)) return true;
        for (unsigned i = 0; i < in.n_src; ++i)
          if (dynamic(in.src[i])) return true;
      }
    return false;
  }

  Module& module_;
  PtxFacts& facts_;
  VariableAddresses addresses_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;
};

void add_variables(const Module& module, PtxFacts& facts) {
  for (const ptx::Variable& v : module.variables)
    facts.variables.push_back({v.name, std::string(ptx::name(v.space)),
                               v.texture ? "texref" : parameter_type(v), v.size, v.external,
                               !v.init.empty() || !v.relocations.empty()});
}

}  // namespace

PtxFacts collect_ptx_facts(std::string text, std::string file) {
  PtxFacts facts;
  Module module = ptx::parse_module(std::move(text), std::move(file), {}, &facts.unsupported);
  facts.file = module.file;
  facts.version = fmt::format("{}.{}", module.version_major, module.version_minor);
  facts.target = module.target;
  facts.address_size = module.address_size;
  add_variables(module, facts);
  std::vector<std::uint32_t> entries;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    const Function& f = module.functions[i];
    if (f.prototype) continue;
    if (f.external) {
      facts.externals.push_back({f.name, find_builtin(f.name) != Builtin::None});
      continue;
    }
    (f.entry ? facts.kernels : facts.functions).push_back(facts_of(f));
    if (f.entry) entries.push_back(i);
  }
  TrialLinker linker(module, facts);
  for (std::size_t k = 0; k < entries.size(); ++k) linker.link(entries[k], facts.kernels[k]);
  std::stable_sort(facts.unsupported.begin(), facts.unsupported.end(), [](const auto& a, const auto& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  return facts;
}

}  // namespace heddle::exec
