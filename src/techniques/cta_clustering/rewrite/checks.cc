#include "techniques/cta_clustering/rewrite/checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "ptx/rewrite/edit.h"
#include "techniques/cta_clustering/rewrite/early_exit.h"
#include "techniques/cta_clustering/rewrite/waiting.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using ptx::Op;
using tree::Refusal;

bool has_piece(const tree::Pieces& pieces, std::string_view beginning) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const tree::Piece& p) { return p.text.starts_with(beginning); });
}

std::optional<Refusal> refuse_clusters(const KernelCode& code) {
  static constexpr std::string_view kHeadings[] = {".reqnctapercluster", ".maxclusterrank",
                                                   ".explicitcluster", ".blocksareclusters"};
  const char* const reason = "it is made for clusters of CTAs, which the hardware starts together";
  for (const std::string_view d : kHeadings)
    if (has_piece(code.kernel().tree().performance, d))
      return tree::refuse("cluster launch", reason, code.kernel().name(), code.kernel().statement);
  for (const FunctionCode& f : code.functions)
    for (const tree::Statement* s : f.instructions) {
      const auto& i = *s->as<tree::Instruction>();
      bool cluster = i.root.is("mapa") || i.root.is("getctarank") || i.root.is("clusterlaunchcontrol") ||
                     (i.root.is("barrier") && tree::has_modifier(i, ".cluster"));
      for (const tree::Pieces& o : i.operands)
        cluster |=
            has_piece(o, "%cluster") || has_piece(o, "%nclusterid") || has_piece(o, "%is_explicit_cluster");
      if (cluster) return tree::refuse("cluster launch", reason, f.name(), s);
    }
  return {};
}

std::optional<Refusal> refuse_externals(const KernelCode& code) {
  static constexpr std::string_view kHarmless[] = {"vprintf", "malloc", "free", "__assertfail"};
  for (const std::string& name : code.externals) {
    if (std::find(std::begin(kHarmless), std::end(kHarmless), name) != std::end(kHarmless)) continue;
    if (name.starts_with("cudaCG"))
      return tree::refuse("cooperative", fmt::format("it synchronises grids ('{}')", name),
                          code.kernel().name(), code.kernel().statement);
    if (name.starts_with("cuda"))
      return tree::refuse("dynamic parallelism", fmt::format("it launches kernels ('{}')", name),
                          code.kernel().name(), code.kernel().statement);
    return tree::refuse("unknown function", fmt::format("it calls '{}', whose code is not here", name),
                        code.kernel().name(), code.kernel().statement);
  }
  return {};
}

std::optional<Refusal> refuse_special(const KernelCode& code, std::string_view special,
                                      const std::string& rule, const std::string& reason) {
  for (const FunctionCode& f : code.functions)
    for (const tree::Statement* s : f.instructions)
      if (names_special(*s, special)) return tree::refuse(rule, reason, f.name(), s);
  return {};
}

std::optional<Refusal> refuse_specials(const KernelCode& code) {
  const std::string grid = "it depends on the grid as it is launched (cooperative launches do)";
  const std::string shared = "it depends on the size of shared memory, which the task's variables change";
  for (const char* r : {"%gridid", "%envreg0", "%envreg1", "%envreg2"})
    if (auto no = refuse_special(code, r, "cooperative", grid)) return no;
  for (const char* r : {"%total_smem_size", "%aggr_smem_size"})
    if (auto no = refuse_special(code, r, "shared size", shared)) return no;
  return {};
}

std::optional<Refusal> refuse_instruction(const FunctionCode& f, std::size_t i, bool in_kernel) {
  const ptx::Instr& in = f.decoded->instrs[i];
  const auto no = [&](const char* rule, const char* reason) {
    return tree::refuse(rule, reason, f.name(), i < f.instructions.size() ? f.instructions[i] : nullptr);
  };
  switch (in.op) {
    case Op::Exit:
      if (in_kernel) return {};
      return no("exit in a function", "a function ends the thread, which has further tasks");
    case Op::Mbarrier:
      return no("mbarrier", "the next task would make an mbarrier where one is in use");
    case Op::CpAsyncBulk:
      return no("bulk copy", "a bulk copy may still use shared memory when the next task does");
    case Op::BarArrive:
      return no("bar.arrive", "arrivals that nobody waits for would count in the next task");
    case Op::BarSync:
    case Op::BarRed:
      if (in.src[0].kind != ptx::Operand::Kind::Imm)
        return no("barrier number", "which barrier it uses is not known before it runs");
      return {};
    default:
      return {};
  }
}

}  // namespace

std::optional<Refusal> refuse_another_order(const KernelCode& code) {
  if (auto no = refuse_clusters(code)) return no;
  if (auto no = refuse_externals(code)) return no;
  return refuse_waiting(code);
}

std::optional<Refusal> refuse_tasks(const KernelCode& code) {
  if (auto no = refuse_specials(code)) return no;
  if (auto no = refuse_another_order(code)) return no;
  if (code.address_taken.contains(code.kernel().name()))
    return tree::refuse("dynamic parallelism",
                        "device code takes its address to launch it, without the agents' parameters",
                        code.kernel().name(), code.kernel().statement);
  for (const FunctionCode& f : code.functions) {
    for (std::size_t i = 0; i < f.decoded->instrs.size(); ++i)
      if (auto no = refuse_instruction(f, i, &f == &code.kernel())) return no;
    for (const tree::Statement* s : f.instructions) {
      const tree::Piece& root = s->as<tree::Instruction>()->root;
      if (root.is("griddepcontrol"))
        return tree::refuse("dependent launch", "grids that depend on each other count its CTAs", f.name(),
                            s);
      if (root.is("setmaxnreg"))
        return tree::refuse("setmaxnreg", "the next task would begin with other registers than a CTA does",
                            f.name(), s);
    }
  }
  return refuse_early_exit(code);
}

int free_barrier(const KernelCode& code) {
  bool used[16] = {};
  for (const FunctionCode& f : code.functions)
    for (const ptx::Instr& in : f.decoded->instrs)
      if ((in.op == Op::BarSync || in.op == Op::BarRed) && in.src[0].value < 16) used[in.src[0].value] = true;
  const auto* const it = std::find(std::begin(used), std::end(used), false);
  return it == std::end(used) ? -1 : static_cast<int>(it - used);
}

}  // namespace heddle::cta_clustering
