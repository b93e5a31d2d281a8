#include "techniques/cta_clustering/rewrite/rewritten_modules.h"

#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"

namespace heddle::cta_clustering {

namespace tree = ptx::tree;

std::string RewrittenModules::add(std::string_view ptx_text, std::string_view file) {
  tree::Module module = tree::read_module(std::string(ptx_text), std::string(file));
  std::vector<std::string> names;
  for (const tree::Statement& s : module.statements)
    if (const auto* f = s.as<tree::Function>(); f != nullptr && f->entry() && f->body)
      names.push_back(f->name.text);
  auto& kernels = kernels_.emplace_back();
  for (const std::string& name : names) {
    const std::vector<tree::Pass> passes = passes_(name);
    auto refusal = tree::run_passes(module, passes);
    kernels[name] = !refusal;
    if (refusal)
      refused_.push_back(std::move(*refusal));
    else
      rewritten_.push_back(name);
  }
  return tree::print(module);
}

bool RewrittenModules::has(const workload::Launch& launch) const {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (launch.module != workload::Launch::kAnyModule && launch.module != i) continue;
    if (const auto it = kernels_[i].find(launch.kernel); it != kernels_[i].end()) return it->second;
  }
  return false;
}

}  // namespace heddle::cta_clustering
