#include "runtime/session/graph.h"

#include <algorithm>
#include <set>

#include "runtime/session/failure.h"
#include "runtime/session/session.h"

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

// Bodies of conditional nodes go with their graph.
void GraphTable::destroy(cudaGraph_t handle) {
  for (const auto& n : find(handle).nodes)
    for (Graph* body : n->condition.bodies) destroy(body);
  graphs_.erase(handle);
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
    for (Graph*& body : c.condition.bodies) body = &clone(*body);
    twin[n.get()] = &c;
  }
  copy.defaults = graph.defaults;
  for (const auto& c : copy.nodes)
    for (GraphNode*& d : c->after) d = twin.at(d);
  return copy;
}

void GraphTable::run(const std::vector<GraphExec::Step>& steps, Session& session) {
  for (const GraphExec::Step& step : steps)
    if (step.enabled && step.action) step.action(session);
}

// Bodies are taken as they are now: the graph may be gone when this runs.
static std::function<void(Session&)> conditional_action(const Condition& condition) {
  std::vector<std::vector<GraphExec::Step>> bodies;
  for (const Graph* body : condition.bodies) bodies.push_back(GraphTable::ordered(*body));
  return [bodies = std::move(bodies), kind = condition.kind, handle = condition.handle](Session& session) {
    auto value = [&] {
      std::uint64_t v = 0;
      session.copy(&v, reinterpret_cast<const void*>(handle), sizeof v, cudaMemcpyDeviceToHost);
      return v;
    };
    if (kind == ConditionKind::While) {
      while (value() != 0) GraphTable::run(bodies[0], session);
      return;
    }
    const std::uint64_t v = value();
    const std::uint64_t chosen = kind == ConditionKind::Switch ? v : v != 0 ? 0 : 1;
    if (chosen < bodies.size()) GraphTable::run(bodies[chosen], session);
  };
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
      const bool conditional = n->type == NodeType::Conditional;
      steps.push_back(
          {n.get(), n->type, conditional ? conditional_action(n->condition) : n->action, n->enabled});
    }
    require(done.size() != before, cudaErrorInvalidValue);  // in a circle
  }
  return steps;
}

GraphExec& GraphTable::instantiate(const Graph& graph) {
  auto e = std::make_unique<GraphExec>();
  e->steps = ordered(graph);
  e->defaults = graph.defaults;
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
