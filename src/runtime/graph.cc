#include "runtime/graph.h"

#include <algorithm>
#include <set>

#include "runtime/failure.h"

namespace heddle::runtime {

GraphNode& Graph::add(NodeType type, std::function<void(Session&)> action, std::vector<GraphNode*> after) {
  GraphNode& n = *nodes.emplace_back(std::make_unique<GraphNode>());
  n.type = type;
  n.action = std::move(action);
  n.after = std::move(after);
  return n;
}

GraphExec::Step* GraphExec::find(const GraphNode* node) {
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.node == node; });
  return at == steps.end() ? nullptr : &*at;
}

Graph& GraphTable::create() {
  auto g = std::make_unique<Graph>();
  g->id = next_++;
  Graph& graph = *g;
  graphs_[&graph] = std::move(g);
  return graph;
}

Graph& GraphTable::find(cudaGraph_t handle) {
  const auto at = graphs_.find(handle);
  if (at == graphs_.end()) throw Failure{cudaErrorInvalidValue, {}};
  return *at->second;
}

void GraphTable::destroy(cudaGraph_t handle) {
  if (graphs_.erase(handle) == 0) throw Failure{cudaErrorInvalidValue, {}};
}

Graph& GraphTable::graph_of(const GraphNode* node) {
  for (const auto& [handle, g] : graphs_)
    if (std::any_of(g->nodes.begin(), g->nodes.end(), [&](const auto& n) { return n.get() == node; }))
      return *g;
  throw Failure{cudaErrorInvalidValue, {}};
}

Graph& GraphTable::clone(const Graph& graph) {
  Graph& copy = create();
  std::map<const GraphNode*, GraphNode*> twin;
  for (const auto& n : graph.nodes) {
    GraphNode& c = *copy.nodes.emplace_back(std::make_unique<GraphNode>(*n));
    c.cloned_from = n.get();
    twin[n.get()] = &c;
  }
  for (const auto& c : copy.nodes)
    for (GraphNode*& d : c->after) d = twin.at(d);
  return copy;
}

// Nodes as they were added, each after those it depends on.
std::vector<GraphExec::Step> GraphTable::ordered(const Graph& graph) {
  std::vector<GraphExec::Step> steps;
  std::set<const GraphNode*> done;
  while (done.size() < graph.nodes.size()) {
    const std::size_t before = done.size();
    for (const auto& n : graph.nodes) {
      if (done.contains(n.get())) continue;
      if (!std::all_of(n->after.begin(), n->after.end(),
                       [&](const GraphNode* d) { return done.contains(d); }))
        continue;
      done.insert(n.get());
      steps.push_back({n.get(), n->type, n->action, n->enabled});
    }
    require(done.size() != before, cudaErrorInvalidValue);  // in a circle
  }
  return steps;
}

GraphExec& GraphTable::instantiate(const Graph& graph) {
  auto e = std::make_unique<GraphExec>();
  e->steps = ordered(graph);
  GraphExec& executable = *e;
  executables_[&executable] = std::move(e);
  return executable;
}

GraphExec& GraphTable::find(cudaGraphExec_t handle) {
  const auto at = executables_.find(handle);
  if (at == executables_.end()) throw Failure{cudaErrorInvalidValue, {}};
  return *at->second;
}

void GraphTable::destroy(cudaGraphExec_t handle) {
  if (executables_.erase(handle) == 0) throw Failure{cudaErrorInvalidValue, {}};
}

void GraphTable::clear() {
  graphs_.clear();
  executables_.clear();
}

}  // namespace heddle::runtime
