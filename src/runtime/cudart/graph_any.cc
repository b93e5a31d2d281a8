// Graphs: nodes of a kind that is told by number, and nodes that run graphs under a condition.
#include "runtime/cudart/graph_entry.h"

namespace heddle::runtime {

HEDDLE_ENTRY(cudaGraphAddKernelNode)
(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, const cudaKernelNodeParams*);
HEDDLE_ENTRY(cudaGraphAddMemcpyNode)
(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, const cudaMemcpy3DParms*);
HEDDLE_ENTRY(cudaGraphAddMemsetNode)
(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, const cudaMemsetParams*);
HEDDLE_ENTRY(cudaGraphAddHostNode)
(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, const cudaHostNodeParams*);
HEDDLE_ENTRY(cudaGraphAddEmptyNode)(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t);
HEDDLE_ENTRY(cudaGraphAddChildGraphNode)(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, cudaGraph_t);
HEDDLE_ENTRY(cudaGraphAddEventWaitNode)(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, cudaEvent_t);
HEDDLE_ENTRY(cudaGraphAddEventRecordNode)(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, cudaEvent_t);
HEDDLE_ENTRY(cudaGraphAddMemAllocNode)
(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, cudaMemAllocNodeParams*);
HEDDLE_ENTRY(cudaGraphAddMemFreeNode)(cudaGraphNode_t*, cudaGraph_t, Nodes, std::size_t, void*);

// ---- conditions -----------------------------------------------------------------------------------------

// A handle is the address of its value; kernels set it (exec/builtins/builtins_launch.cc).
HEDDLE_ENTRY(cudaGraphConditionalHandleCreate)
(unsigned long long* handle, cudaGraph_t graph, unsigned value, unsigned flags) {
  constexpr unsigned kAssignDefault = 1;
  return entry([&](Session& s) {
    require(handle != nullptr, cudaErrorInvalidValue);
    Graph& g = s.graphs().find(graph);
    const std::uint64_t none = 0;
    void* const word = s.allocate(sizeof none, MemoryKind::Device, "condition of a graph");
    s.copy(word, &none, sizeof none, cudaMemcpyHostToDevice);
    *handle = reinterpret_cast<std::uintptr_t>(word);
    if ((flags & kAssignDefault) != 0) g.defaults.emplace_back(*handle, value);
  });
}

// Its graphs are empty at first: the program fills them before the graph is instantiated.
static cudaError_t add_conditional_node(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n,
                                        cudaConditionalNodeParams& p) {
  const cudaError_t code = add_node(node, graph, after, n, NodeType::Conditional, [&](Session& s) -> Action {
    const auto kind = static_cast<ConditionKind>(p.type);
    const unsigned most = kind == ConditionKind::If ? 2 : kind == ConditionKind::While ? 1 : 1u << 16;
    require(p.type >= 0 && p.type <= 2 && p.size >= 1 && p.size <= most, cudaErrorInvalidValue);
    require(s.memory_of(reinterpret_cast<const void*>(p.handle)) != nullptr, cudaErrorInvalidValue);
    return {};
  });
  if (code != cudaSuccess) return code;
  return entry([&](Session& s) {
    Condition& c = (*node)->condition;
    c.kind = static_cast<ConditionKind>(p.type);
    c.handle = p.handle;
    for (unsigned i = 0; i < p.size; ++i) c.bodies.push_back(&s.graphs().create());
    p.phGraph_out = c.bodies.data();
  });
}

// ---- any node -------------------------------------------------------------------------------------------

HEDDLE_ENTRY(cudaGraphAddNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, const void*, std::size_t n, cudaGraphNodeParams* p) {
  switch (static_cast<NodeType>(p->type)) {
    case NodeType::Kernel:
      return heddle_cudaGraphAddKernelNode(node, graph, after, n, &p->kernel);
    case NodeType::Memcpy:
      return heddle_cudaGraphAddMemcpyNode(node, graph, after, n, &p->memcpy.copyParams);
    case NodeType::Memset:
      return heddle_cudaGraphAddMemsetNode(node, graph, after, n, &p->memset);
    case NodeType::Host:
      return heddle_cudaGraphAddHostNode(node, graph, after, n, &p->host);
    case NodeType::Empty:
      return heddle_cudaGraphAddEmptyNode(node, graph, after, n);
    case NodeType::Graph:
      return heddle_cudaGraphAddChildGraphNode(node, graph, after, n, p->child.graph);
    case NodeType::EventWait:
      return heddle_cudaGraphAddEventWaitNode(node, graph, after, n, p->event.event);
    case NodeType::EventRecord:
      return heddle_cudaGraphAddEventRecordNode(node, graph, after, n, p->event.event);
    case NodeType::Alloc:
      return heddle_cudaGraphAddMemAllocNode(node, graph, after, n, &p->alloc);
    case NodeType::Free:
      return heddle_cudaGraphAddMemFreeNode(node, graph, after, n, p->free.dptr);
    case NodeType::Conditional:
      return add_conditional_node(node, graph, after, n, p->conditional);
  }
  return entry([](Session&) {
    throw Failure{cudaErrorNotSupported, "cudaGraphAddNode: nodes of this type are not supported"};
  });
}
// As CUDA 12 has it: without data of the edges.
HEDDLE_ENTRY(cudaGraphAddNode_v11)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, cudaGraphNodeParams* p) {
  return heddle_cudaGraphAddNode(node, graph, after, nullptr, n, p);
}

}  // namespace heddle::runtime
