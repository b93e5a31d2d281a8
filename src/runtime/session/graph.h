// CUDA graphs: operations that are given once and launched many times.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/session/abi.h"

namespace heddle::runtime {

class Session;

enum class NodeType : int {
  Kernel = 0,
  Memcpy = 1,
  Memset = 2,
  Host = 3,
  Graph = 4,
  Empty = 5,
  EventWait = 6,
  EventRecord = 7,
  Alloc = 10,
  Free = 11,
  Conditional = 13
};

struct Graph;

// What a conditional node runs, and when.
enum class ConditionKind : int { If = 0, While = 1, Switch = 2 };
struct Condition {
  ConditionKind kind = ConditionKind::If;
  std::uint64_t handle = 0;  // the address of a word of the device
  std::vector<Graph*> bodies;
};

struct GraphNode {
  NodeType type = NodeType::Empty;
  std::function<void(Session&)> action;  // may be empty
  std::vector<GraphNode*> after;
  bool enabled = true;
  const GraphNode* cloned_from = nullptr;
  // What the program gave for a node that it added itself.
  cudaKernelNodeParams kernel{};
  cudaMemsetParams memset{};
  cudaHostNodeParams host{};
  cudaMemcpy3DParms copy{};
  cudaEvent_t event = nullptr;
  Graph* child = nullptr;
  Condition condition;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  // as added
  std::vector<GraphNode*> frontier;               // what a captured operation follows
  std::uint64_t id = 0;
  // Handles of conditions that get a value whenever the graph is launched.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> defaults;
  GraphNode& add(NodeType type, std::function<void(Session&)> action, std::vector<GraphNode*> after);
};

struct GraphExec {
  struct Step {
    GraphNode* node;  // of the graph it was made from; never followed
    NodeType type;
    std::function<void(Session&)> action;
    bool enabled = true;
  };
  std::vector<Step> steps;                                        // in an order that keeps every dependency
  std::vector<std::pair<std::uint64_t, std::uint32_t>> defaults;  // as Graph has them
  Step* find(const GraphNode* node);
};

// Owns all graphs of a program.
class GraphTable {
 public:
  Graph& create();
  Graph& find(cudaGraph_t handle);  // throws Failure
  void destroy(cudaGraph_t handle);
  Graph& graph_of(const GraphNode* node);  // throws Failure
  Graph& clone(const Graph& graph);
  // Throws Failure: dependencies in a circle.
  GraphExec& instantiate(const Graph& graph);
  static std::vector<GraphExec::Step> ordered(const Graph& graph);
  static void run(const std::vector<GraphExec::Step>& steps, Session& session);
  GraphExec& find(cudaGraphExec_t handle);
  void destroy(cudaGraphExec_t handle);
  void clear();

 private:
  std::uint64_t next_ = 1;
  std::map<const Graph*, std::unique_ptr<Graph>> graphs_;
  std::map<const GraphExec*, std::unique_ptr<GraphExec>> executables_;
};

}  // namespace heddle::runtime
