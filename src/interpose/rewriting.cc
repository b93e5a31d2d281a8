#include "interpose/rewriting.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "ptx/parse/parse_module.h"
#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"
#include "techniques/cta_clustering/rewrite/passes.h"

namespace heddle::interpose {
namespace {

namespace tree = ptx::tree;
using namespace cta_clustering;

Partition partition_of(const Options& o) {
  if (o.partition == "row") return {Order::Row, o.tile_width, o.tile_height};
  if (o.partition == "column") return {Order::Column, o.tile_width, o.tile_height};
  if (o.partition == "tile") return {Order::Tile, o.tile_width, o.tile_height};
  throw Error(fmt::format("partition '{}': expected row, column or tile", o.partition));
}

std::vector<tree::Pass> passes(const std::string& kernel, const Options& o, std::uint32_t sms) {
  std::vector<tree::Pass> all;
  if (o.bypass) all.push_back(bypass_l1(kernel, {}));
  all.push_back(o.agents ? become_agents(kernel, Agents{partition_of(o)})
                         : redirect(kernel, Redirection{sms, partition_of(o)}));
  return all;
}

std::vector<std::string> kernel_names(const tree::Module& module) {
  std::vector<std::string> names;
  for (const tree::Statement& s : module.statements)
    if (const auto* f = s.as<tree::Function>(); f != nullptr && f->entry() && f->body)
      names.push_back(f->name.text);
  return names;
}

// At the module's end: there everything that the kernel names is declared.
void add_copy(tree::Module& module, const std::string& kernel, const std::string& name) {
  for (const tree::Statement& s : module.statements) {
    const auto* f = s.as<tree::Function>();
    if (f == nullptr || !f->body || !f->name.is(kernel)) continue;
    tree::Statement copy = s;
    copy.as<tree::Function>()->name.text = name;
    module.statements.push_back(std::move(copy));
    return;
  }
}

std::string text_of(const tree::Refusal& no) {
  const std::string where = no.instruction.empty() ? "" : fmt::format(" ('{}')", no.instruction);
  return fmt::format("{}: {}{}", no.rule, no.reason, where);
}

}  // namespace

RewrittenModule rewrite(const std::string& ptx, const std::string& name, const Options& options,
                        std::uint32_t sms) {
  tree::Module module = tree::read_module(ptx, name);
  const std::string prefix = tree::Names(module).fresh_prefix("heddle_clustered");
  RewrittenModule result;
  bool any = false;
  for (const std::string& kernel : kernel_names(module)) {
    KernelPlan& plan = result.kernels[kernel];
    if (!options.kernels.empty() &&
        std::find(options.kernels.begin(), options.kernels.end(), kernel) == options.kernels.end()) {
      plan.reason = "it was not among the kernels to rewrite";
      continue;
    }
    const std::string copy = prefix + "_" + kernel;
    add_copy(module, kernel, copy);
    const auto refusal = tree::run_passes(module, passes(copy, options, sms));
    if (refusal) {
      module.statements.pop_back();
      plan.reason = text_of(*refusal);
      continue;
    }
    plan.rewritten = copy;
    any = true;
  }
  if (!any) return result;
  result.text = tree::print(module);
  std::vector<ptx::Unsupported> unsupported;
  const ptx::Module decoded = ptx::parse_module(result.text, name, {}, &unsupported);
  for (auto& [kernel, plan] : result.kernels) {
    const ptx::Function* f = decoded.find_function(kernel);
    if (f == nullptr) continue;
    plan.parameters = static_cast<std::uint32_t>(f->params.size());
    plan.parameter_bytes = f->param_bytes;
  }
  return result;
}

}  // namespace heddle::interpose
