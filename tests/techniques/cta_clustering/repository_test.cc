// Every kernel of the repository's PTX is rewritten or refused; what comes out is PTX.
#include <gtest/gtest.h>

#include <map>

#include "bench.h"
#include "ptx/parse/parse_module.h"
#include "ptx/rewrite/ptxas.h"
#include "ptx/rewrite/repository_texts.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;

struct Tally {
  std::size_t rewritten = 0;
  std::map<std::string, std::size_t> refused;
};

std::vector<std::string> kernels_of(const tree::Module& m) {
  std::vector<std::string> names;
  for (const tree::Statement& s : m.statements)
    if (const auto* f = s.as<tree::Function>(); f != nullptr && f->entry() && f->body)
      names.push_back(f->name.text);
  return names;
}

template <class MakePass>
std::string rewrite_all(const ptx::NamedText& text, const MakePass& make, Tally& tally) {
  tree::Module m = tree::read_module(text.text, text.name);
  for (const std::string& kernel : kernels_of(m)) {
    const tree::Pass pass = make(kernel);
    if (const auto refusal = tree::run_passes(m, {&pass, 1}))
      ++tally.refused[refusal->rule];
    else
      ++tally.rewritten;
  }
  return tree::print(m);
}

tree::Pass redirected(const std::string& kernel) {
  return redirect(kernel, {7, {Order::Tile, 3, 2}});
}
tree::Pass by_agents(const std::string& kernel) {
  return become_agents(kernel, {});
}

TEST(Repository, EveryKernelIsRewrittenOrRefused) {
  Tally redirections, agents;
  for (const ptx::NamedText& t : ptx::repository_texts()) {
    std::vector<ptx::Unsupported> unsupported;
    const std::string texts[] = {rewrite_all(t, redirected, redirections), rewrite_all(t, by_agents, agents)};
    for (const std::string& text : texts)
      EXPECT_NO_THROW(ptx::parse_module(text, t.name, {}, &unsupported)) << t.name;
  }
  EXPECT_GE(redirections.rewritten, 2700u);
  EXPECT_GE(agents.rewritten, 2690u);
  for (const auto& [rule, count] : redirections.refused) EXPECT_EQ(rule, "waits for other CTAs");
  EXPECT_EQ(redirections.refused["waits for other CTAs"], 9u);
  const std::map<std::string, std::size_t> by_rule = {{"barrier number", 1},
                                                      {"cooperative", 4},
                                                      {"divergent barrier", 1},
                                                      {"shared size", 2},
                                                      {"waits for other CTAs", 5}};
  EXPECT_EQ(agents.refused, by_rule);
}

// What is not among the workloads.
TEST(Repository, RewrittenTextsAssemble) {
  if (!ptx::Ptxas::installed()) GTEST_SKIP() << "ptxas is not installed";
  const ptx::Ptxas ptxas;
  std::size_t assembled = 0;
  Tally tally;
  for (const ptx::NamedText& t : ptx::repository_texts()) {
    const bool taken = t.name.starts_with("validation") || t.name.find(".90.") != std::string::npos;
    if (!taken || t.text.size() > 100'000 || !ptxas.assemble(t.text).ok) continue;
    for (const auto& text : {rewrite_all(t, redirected, tally), rewrite_all(t, by_agents, tally)}) {
      const auto result = ptxas.assemble(text);
      EXPECT_TRUE(result.ok) << t.name << "\n" << result.messages;
      ++assembled;
    }
  }
  EXPECT_GE(assembled, 40u);
}

}  // namespace
}  // namespace heddle::cta_clustering
