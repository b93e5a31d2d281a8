#include <algorithm>

#include "ptx/rewrite/edit.h"
#include "techniques/cta_clustering/rewrite/passes.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using tree::Refusal;

// Why this ld.global cannot have .cg; nullptr: it can.
const char* hindrance(const tree::Instruction& load) {
  for (const tree::Piece& m : load.modifiers) {
    for (const char* cache : {".ca", ".cg", ".cs", ".lu", ".cv"})
      if (m.is(cache)) return "it says already how it uses caches";
    for (const char* order : {".volatile", ".relaxed", ".acquire", ".mmio"})
      if (m.is(order)) return "an ordered load takes no cache operator";
    if (m.text.starts_with(".L1::") || m.text.starts_with(".L2::evict"))
      return "it has a priority for its line";
  }
  return nullptr;
}

std::optional<Refusal> apply(tree::Module& module, const std::string& kernel, const Bypass& options) {
  tree::Function* f = tree::find_function(module, kernel);
  if (f == nullptr || !f->body || !f->entry())
    return tree::refuse("no kernel", "the module has no kernel of this name", kernel, nullptr);
  std::uint32_t number = 0;
  for (tree::Statement* s : tree::instructions(*f->body)) {
    auto& i = *s->as<tree::Instruction>();
    if (!i.root.is("ld") || !tree::has_modifier(i, ".global")) continue;
    const std::uint32_t n = number++;
    if (options.loads && !options.loads->contains(n)) continue;
    if (const char* why = hindrance(i)) {
      if (options.loads) return tree::refuse("bypass", why, kernel, s);
      continue;
    }
    const auto space = std::find_if(i.modifiers.begin(), i.modifiers.end(),
                                    [](const tree::Piece& p) { return p.is(".global"); });
    i.modifiers.insert(space + 1, tree::Piece{ptx::Tok::Dot, tree::Gap::None, ".cg"});
  }
  if (options.loads && !options.loads->empty() && *options.loads->rbegin() >= number)
    return tree::refuse("bypass", "it has fewer global loads than the numbers given", kernel, nullptr);
  return {};
}

}  // namespace

tree::Pass bypass_l1(std::string kernel, const Bypass& options) {
  return {"bypass",
          [kernel = std::move(kernel), options](tree::Module& m) { return apply(m, kernel, options); }};
}

}  // namespace heddle::cta_clustering
