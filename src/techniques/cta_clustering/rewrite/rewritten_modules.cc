#include "techniques/cta_clustering/rewrite/rewritten_modules.h"

#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;

tree::Statement copy_of(const tree::Module& module, const std::string& kernel, const std::string& name) {
  for (const tree::Statement& s : module.statements) {
    const auto* f = s.as<tree::Function>();
    if (f == nullptr || !f->body || !f->name.is(kernel)) continue;
    tree::Statement copy = s;
    copy.as<tree::Function>()->name.text = name;
    return copy;
  }
  return {};
}

}  // namespace

std::string RewrittenModules::add(std::string_view ptx_text, std::string_view file) {
  tree::Module module = tree::read_module(std::string(ptx_text), std::string(file));
  std::vector<std::string> names;
  for (const tree::Statement& s : module.statements)
    if (const auto* f = s.as<tree::Function>(); f != nullptr && f->entry() && f->body)
      names.push_back(f->name.text);
  Module& m = modules_.emplace_back();
  if (keep_) m.kept = tree::Names(module).fresh_prefix("hd_original");
  std::vector<tree::Statement> originals;
  for (const std::string& name : names) {
    tree::Statement original;
    if (keep_) original = copy_of(module, name, m.kept + "_" + name);
    const std::vector<tree::Pass> passes = passes_(name);
    auto refusal = tree::run_passes(module, passes);
    m.kernels[name] = !refusal;
    if (refusal) {
      refused_.push_back(std::move(*refusal));
      continue;
    }
    rewritten_.push_back(name);
    if (keep_) originals.push_back(std::move(original));
  }
  // At the end everything that they name is declared.
  for (tree::Statement& s : originals) module.statements.push_back(std::move(s));
  return tree::print(module);
}

const RewrittenModules::Module* RewrittenModules::module_of(const workload::Launch& launch) const {
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (launch.module != workload::Launch::kAnyModule && launch.module != i) continue;
    if (modules_[i].kernels.contains(launch.kernel)) return &modules_[i];
  }
  return nullptr;
}

bool RewrittenModules::has(const workload::Launch& launch) const {
  const Module* const m = module_of(launch);
  return m != nullptr && m->kernels.at(launch.kernel);
}

workload::Launch RewrittenModules::original(const workload::Launch& launch) const {
  workload::Launch original = launch;
  original.kernel = module_of(launch)->kept + "_" + launch.kernel;
  return original;
}

}  // namespace heddle::cta_clustering
