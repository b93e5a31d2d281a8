#include "study/clustering/advice.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ptx/parse/parse_module.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"
#include "techniques/cta_clustering/rewrite/passes.h"

namespace heddle::study {
namespace {

using cta_clustering::Category;
using Way = ClusteringTrial::Way;

const KernelEffect* effect(const TriedOut& t, const std::string& kernel) {
  const auto at = t.effects.of.find(kernel);
  return at == t.effects.of.end() ? nullptr : &at->second;
}

double change(std::uint64_t now, std::uint64_t before) {
  return before == 0 ? 0 : static_cast<double>(now) / static_cast<double>(before) - 1;
}

std::string percent(double x) {
  return fmt::format("{:+.0f}%", 100 * x);
}

cta_clustering::Partition partition_of(const ClusteringTrial& t) {
  cta_clustering::Partition p;
  p.order = t.partition == "column"  ? cta_clustering::Order::Column
            : t.partition == "tile"  ? cta_clustering::Order::Tile
            : t.partition == "graph" ? cta_clustering::Order::Table
                                     : cta_clustering::Order::Row;
  return p;
}

std::vector<ptx::tree::Pass> passes_of(const std::string& kernel, const ClusteringTrial& t,
                                       std::uint32_t sms) {
  std::vector<ptx::tree::Pass> all;
  if (t.way == Way::Bypassing) all.push_back(cta_clustering::bypass_l1(kernel, {}));
  if (t.way == Way::Redirection)
    all.push_back(cta_clustering::redirect(kernel, {sms, partition_of(t)}));
  else
    all.push_back(cta_clustering::become_agents(kernel, {partition_of(t), t.way == Way::Prefetching}));
  return all;
}

// Why agents cannot have it; empty: they can.
std::string refusal(const LoadedModule& module, const std::string& kernel) {
  try {
    ptx::tree::Module tree = ptx::tree::read_module(module.text, module.file);
    const std::vector<ptx::tree::Pass> passes = {cta_clustering::become_agents(kernel, {})};
    const auto no = ptx::tree::run_passes(tree, passes);
    return no ? fmt::format("{}: {}", no->rule, no->reason) : "";
  } catch (const Error& e) {
    return e.message();
  }
}

}  // namespace

cta_clustering::StaticReport text_of(const ProgramCode& code, const LaunchedKernel& k,
                                     std::uint32_t line_bytes) {
  const LoadedModule& module = code.modules.at(k.module);
  const ptx::Module decoded = ptx::parse_module(module.text, module.file);
  const ptx::Function* f = decoded.find_function(k.function);
  cta_clustering::StaticReport none;
  none.kernel = k.function;
  if (f == nullptr) return none;
  cta_clustering::Circumstances c = cta_clustering::circumstances(decoded, *f, k.first);
  c.line_bytes = line_bytes;
  return cta_clustering::static_report(decoded, *f, c);
}

MeasuredClass measured_class(const std::vector<TriedOut>& tried, const std::string& kernel,
                             const cta_clustering::StaticClass& text) {
  MeasuredClass m;
  const KernelEffect* const before = effect(tried.front(), kernel);
  if (before == nullptr || before->l2_reads == 0) return m;
  double most = 0, without_l1 = 0;  // changes of L2 reads
  const ClusteringTrial* by = nullptr;
  for (const TriedOut& t : tried) {
    const KernelEffect* const e = effect(t, kernel);
    if (e == nullptr) continue;
    const double reads = change(e->l2_reads, before->l2_reads);
    if (t.trial.way == Way::WithoutL1) without_l1 = reads;
    // Agents read and count on their own account: of them only a fall tells of the kernel.
    const bool told = t.trial.way == Way::Redirection || (t.trial.way == Way::Agents && reads < 0);
    if (told && std::abs(reads) > std::abs(most)) {
      most = reads;
      by = &t.trial;
    }
  }
  if (by != nullptr && std::abs(most) > kMarked) {
    m.reasons.push_back(fmt::format("L2 reads {} with {}", percent(most), by->name()));
    const bool lines = without_l1 < -kLinesBring;
    m.category = lines ? Category::CacheLine : Category::Algorithm;
    m.reasons.push_back(fmt::format("L2 reads {} without an L1: its lines bring {}", percent(without_l1),
                                    lines ? "what nobody asked for" : "what is asked for"));
    return m;
  }
  m.reasons.emplace_back("no order of CTAs changes L2 reads much");
  if (!text.evidence.written_by_neighbours.empty()) {
    m.category = Category::Write;
    m.reasons.emplace_back("it reads what neighbours write");
    return m;
  }
  if (before->loads == 0) {
    m.category = Category::Streaming;
    m.reasons.emplace_back("no loads of global memory");
    return m;
  }
  const double lines = before->lines_per_load(), sectors = before->sectors_per_line();
  const bool scattered = lines >= kScatteredLines && sectors < kScatteredSectors;
  m.category = scattered ? Category::Data : Category::Streaming;
  m.reasons.push_back(fmt::format("{:.1f} lines per load, {:.1f} sectors of each: {}", lines, sectors,
                                  scattered ? "scattered" : "coalesced"));
  return m;
}

const ClusteringTrial* best_agents(const std::vector<TriedOut>& tried, const std::string& kernel) {
  const ClusteringTrial* best = nullptr;
  std::uint64_t cycles = 0;
  for (const TriedOut& t : tried) {
    const KernelEffect* const e = effect(t, kernel);
    if (t.trial.way != Way::Agents || t.trial.active != 0 || e == nullptr || e->rewritten == 0) continue;
    if (best == nullptr || e->cycles < cycles) {
      best = &t.trial;
      cycles = e->cycles;
    }
  }
  return best;
}

std::vector<KernelAdvice> advise(const ProgramCode& code, const std::vector<TriedOut>& tried,
                                 std::uint32_t line_bytes) {
  std::vector<KernelAdvice> all;
  for (const LaunchedKernel& k : code.kernels) {
    KernelAdvice a;
    a.kernel = k.function;
    a.launched = k;
    const LoadedModule& module = code.modules.at(k.module);
    a.text = text_of(code, k, line_bytes);
    a.refused = refusal(module, k.function);
    a.category = a.text.found.category;
    for (const TriedOut& t : tried)
      if (const KernelEffect* e = effect(t, k.function)) a.tried.emplace_back(t.trial, *e);
    if (!tried.empty()) {
      a.measured = measured_class(tried, k.function, a.text.found);
      // Whether an order of CTAs changes anything is a fact; what of, the text may know better.
      const bool both = cta_clustering::exploitable(a.measured.category) && a.category == Category::CacheLine;
      if (!both && (cta_clustering::exploitable(a.measured.category) || a.category == Category::Unknown))
        a.category = a.measured.category;
    }
    for (const auto& [trial, e] : a.tried) {
      const double gain = static_cast<double>(a.as_it_is().cycles) / static_cast<double>(e.cycles);
      if (trial.way == Way::WithoutL1 || gain < 1 + kWorthwhile || gain <= a.speed_up) continue;
      a.take = trial;
      a.speed_up = gain;
    }
    all.push_back(std::move(a));
  }
  return all;
}

std::string rewritten_module(const ProgramCode& code, const KernelAdvice& advice, std::uint32_t sms) {
  const LoadedModule& module = code.modules.at(advice.launched.module);
  if (!advice.take || !advice.take->clusters()) return module.text;
  ptx::tree::Module tree = ptx::tree::read_module(module.text, module.file);
  const auto passes = passes_of(advice.kernel, *advice.take, sms);
  if (const auto no = ptx::tree::run_passes(tree, passes)) throw ptx::tree::error_of(*no, tree);
  return ptx::tree::print(tree);
}

std::string launch_code(const KernelAdvice& a) {
  const bool graph = a.take->partition == "graph";
  const std::string order = a.take->partition == "column" ? "hc::ColumnMajor()"
                            : a.take->partition == "tile" ? "hc::Tiles(2, 2)"
                            : graph                       ? a.kernel + "_by_order{table}"
                                                          : "hc::RowMajor()";
  std::string text =
      fmt::format("// {}: {}, {:.2f} times as fast in the simulator\n", a.kernel, a.take->name(), a.speed_up);
  if (a.take->way == Way::Throttling)
    return text + "// ask for so much dynamic shared memory that fewer CTAs fit on an SM\n";
  text +=
      "#include <heddle/cta_clustering.cuh>  // the kernel as HEDDLE_CLUSTERED_KERNEL, "
      "docs/cta_clustering.md\n";
  text += "namespace hc = heddle::clustering;\n";
  if (a.take->way == Way::Redirection)
    return text + fmt::format("hc::launch_redirected(hc::Launch(grid, block), {}, kernel(), arguments...);\n",
                              order);
  if (graph)
    text += fmt::format(
        "#include \"{0}.order.h\"  // for this grid and as many clusters as the simulated machine has SMs\n"
        "unsigned* table;\n"
        "cudaMalloc(&table, sizeof {0}_order);\n"
        "cudaMemcpy(table, {0}_order, sizeof {0}_order, cudaMemcpyHostToDevice);\n",
        a.kernel);
  text += "hc::Launch how(grid, block);\n";
  if (a.take->active != 0) text += fmt::format("how.active_agents = {};\n", a.take->active);
  if (a.take->way == Way::Bypassing) text += "// loads of what is read once: hc::load_streaming(pointer)\n";
  if (a.take->way == Way::Prefetching) text += "// kernel(): hc::with_prefetch(kernel(), hook)\n";
  return text + fmt::format("hc::launch(how, workspace, {}, kernel(), arguments...);\n", order);
}

}  // namespace heddle::study
