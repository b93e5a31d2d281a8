// Graphs: captured from streams, or built node by node.
#include "runtime/cudart/graph_entry.h"

namespace heddle::runtime {
HEDDLE_ENTRY(cudaStreamBeginCapture)(cudaStream_t stream, int) {
  return entry([&](Session& s) {
    Stream& t = s.stream(stream);
    require(stream != nullptr, cudaErrorStreamCaptureUnsupported);
    require(t.capture == nullptr, cudaErrorInvalidValue);
    t.capture = &s.graphs().create();
    t.capture_origin = true;
  });
}
HEDDLE_ENTRY(cudaStreamBeginCaptureToGraph)
(cudaStream_t stream, cudaGraph_t graph, Nodes after, const void*, std::size_t n, int) {
  return entry([&](Session& s) {
    Stream& t = s.stream(stream);
    require(t.capture == nullptr, cudaErrorInvalidValue);
    t.capture = &s.graphs().find(graph);
    t.capture->frontier = list(after, n);
    t.capture_origin = true;
  });
}
HEDDLE_ENTRY(cudaStreamEndCapture)(cudaStream_t stream, cudaGraph_t* graph) {
  return entry([&](Session& s) {
    Stream& t = s.stream(stream);
    require(t.capture != nullptr, cudaErrorInvalidValue);
    require(t.capture_origin, cudaErrorStreamCaptureUnmatched);
    if (graph != nullptr) *graph = t.capture;
    s.end_capture(*t.capture);
  });
}
HEDDLE_ENTRY(cudaStreamIsCapturing)(cudaStream_t stream, int* status) {
  return entry([&](Session& s) { *status = s.stream(stream).capture != nullptr ? 1 : 0; });
}
HEDDLE_ENTRY(cudaStreamGetCaptureInfo)
(cudaStream_t stream, int* status, unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes,
 const void**, std::size_t* n) {
  return entry([&](Session& s) {
    Graph* g = s.stream(stream).capture;
    *status = g != nullptr ? 1 : 0;
    if (g == nullptr) return;
    if (id != nullptr) *id = g->id;
    if (graph != nullptr) *graph = g;
    if (nodes != nullptr) *nodes = g->frontier.data();
    if (n != nullptr) *n = g->frontier.size();
  });
}
HEDDLE_ENTRY(cudaStreamUpdateCaptureDependencies)
(cudaStream_t stream, cudaGraphNode_t* nodes, const void*, std::size_t n, unsigned flags) {
  return entry([&](Session& s) {
    Graph* g = s.stream(stream).capture;
    require(g != nullptr, cudaErrorInvalidValue);
    const std::vector<GraphNode*> more = list(nodes, n);
    if (flags == 1) g->frontier.clear();  // replace; 0: add
    g->frontier.insert(g->frontier.end(), more.begin(), more.end());
  });
}
// As CUDA 11 and 12 have them: without data of the edges.
HEDDLE_ENTRY(cudaStreamGetCaptureInfo_v11)(cudaStream_t stream, int* status, unsigned long long* id) {
  return heddle_cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
HEDDLE_ENTRY(cudaStreamGetCaptureInfo_v12)
(cudaStream_t stream, int* status, unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes,
 std::size_t* n) {
  return heddle_cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, n);
}
HEDDLE_ENTRY(cudaStreamUpdateCaptureDependencies_v11)
(cudaStream_t stream, cudaGraphNode_t* nodes, std::size_t n, unsigned flags) {
  return heddle_cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, n, flags);
}
HEDDLE_ENTRY(cudaThreadExchangeStreamCaptureMode)(int*) {
  return cudaSuccess;
}

HEDDLE_ENTRY(cudaGraphCreate)(cudaGraph_t* graph, unsigned) {
  return entry([&](Session& s) { *graph = &s.graphs().create(); });
}
HEDDLE_ENTRY(cudaGraphDestroy)(cudaGraph_t graph) {
  return entry([&](Session& s) { s.graphs().destroy(graph); });
}
HEDDLE_ENTRY(cudaGraphClone)(cudaGraph_t* clone, cudaGraph_t graph) {
  return entry([&](Session& s) { *clone = &s.graphs().clone(s.graphs().find(graph)); });
}
HEDDLE_ENTRY(cudaGraphGetNodes)(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* n) {
  return entry([&](Session& s) {
    const Graph& g = s.graphs().find(graph);
    if (nodes != nullptr)
      for (std::size_t i = 0; i < std::min(*n, g.nodes.size()); ++i) nodes[i] = g.nodes[i].get();
    *n = g.nodes.size();
  });
}
HEDDLE_ENTRY(cudaGraphGetRootNodes)(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* n) {
  return entry([&](Session& s) {
    std::size_t count = 0;
    for (const auto& node : s.graphs().find(graph).nodes) {
      if (!node->after.empty()) continue;
      if (nodes != nullptr && count < *n) nodes[count] = node.get();
      ++count;
    }
    *n = count;
  });
}
HEDDLE_ENTRY(cudaGraphNodeGetType)(cudaGraphNode_t node, int* type) {
  return entry([&](Session&) { *type = static_cast<int>(node->type); });
}
HEDDLE_ENTRY(cudaGraphAddDependencies)
(cudaGraph_t graph, Nodes from, Nodes to, const void*, std::size_t n) {
  return entry([&](Session& s) {
    s.graphs().find(graph);
    for (std::size_t i = 0; i < n; ++i) to[i]->after.push_back(from[i]);
  });
}
// As CUDA 11 and 12 have it.
HEDDLE_ENTRY(cudaGraphAddDependencies_v11)(cudaGraph_t graph, Nodes from, Nodes to, std::size_t n) {
  return heddle_cudaGraphAddDependencies(graph, from, to, nullptr, n);
}

HEDDLE_ENTRY(cudaGraphAddKernelNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, const cudaKernelNodeParams* p) {
  const cudaError_t code =
      add_node(node, graph, after, n, NodeType::Kernel, [&](Session& s) { return kernel_action(s, *p); });
  if (code == cudaSuccess) (*node)->kernel = *p;
  return code;
}
HEDDLE_ENTRY(cudaGraphAddMemcpyNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, const cudaMemcpy3DParms* p) {
  const cudaError_t code =
      add_node(node, graph, after, n, NodeType::Memcpy, [&](Session&) { return copy_action(*p); });
  if (code == cudaSuccess) (*node)->copy = *p;
  return code;
}
HEDDLE_ENTRY(cudaGraphAddMemcpyNode1D)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, void* to, const void* from,
 std::size_t bytes, cudaMemcpyKind kind) {
  return add_node(node, graph, after, n, NodeType::Memcpy,
                  [&](Session&) -> Action { return [=](Session& s) { s.copy(to, from, bytes, kind); }; });
}
HEDDLE_ENTRY(cudaGraphAddMemsetNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, const cudaMemsetParams* p) {
  const cudaError_t code =
      add_node(node, graph, after, n, NodeType::Memset, [&](Session&) { return memset_action(*p); });
  if (code == cudaSuccess) (*node)->memset = *p;
  return code;
}
HEDDLE_ENTRY(cudaGraphAddHostNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, const cudaHostNodeParams* p) {
  const cudaError_t code =
      add_node(node, graph, after, n, NodeType::Host, [&](Session&) { return host_action(*p); });
  if (code == cudaSuccess) (*node)->host = *p;
  return code;
}
HEDDLE_ENTRY(cudaGraphAddEmptyNode)(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n) {
  return add_node(node, graph, after, n, NodeType::Empty, [&](Session&) { return Action{}; });
}
HEDDLE_ENTRY(cudaGraphAddChildGraphNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, cudaGraph_t child) {
  const cudaError_t code = add_node(node, graph, after, n, NodeType::Graph, [&](Session& s) -> Action {
    return [steps = GraphTable::ordered(s.graphs().find(child))](Session& session) {
      GraphTable::run(steps, session);
    };
  });
  if (code == cudaSuccess) (*node)->child = child;
  return code;
}
HEDDLE_ENTRY(cudaGraphAddMemAllocNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, cudaMemAllocNodeParams* p) {
  return add_node(node, graph, after, n, NodeType::Alloc, [&](Session& s) -> Action {
    require(p != nullptr && p->bytesize != 0, cudaErrorInvalidValue);
    void* const memory = s.allocate(p->bytesize, MemoryKind::Graph, "graph memory");
    p->dptr = memory;
    return [memory](Session& session) { session.occupy_graph_memory(memory); };
  });
}
HEDDLE_ENTRY(cudaGraphAddMemFreeNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, void* memory) {
  return add_node(node, graph, after, n, NodeType::Free, [&](Session& s) -> Action {
    require(s.memory_of(memory) != nullptr, cudaErrorInvalidValue);
    return
        [memory](Session& session) { session.release(memory, {MemoryKind::Device}, cudaErrorInvalidValue); };
  });
}
HEDDLE_ENTRY(cudaGraphInstantiate)(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return entry([&](Session& s) {
    require(exec != nullptr, cudaErrorInvalidValue);
    *exec = &s.graphs().instantiate(s.graphs().find(graph));
  });
}
HEDDLE_ENTRY(cudaGraphInstantiateWithFlags)
(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return heddle_cudaGraphInstantiate(exec, graph, flags);
}
// As CUDA 11 has it; the node of an error is not told.
HEDDLE_ENTRY(cudaGraphInstantiate_v11)
(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*, std::size_t) {
  return heddle_cudaGraphInstantiate(exec, graph, 0);
}
struct cudaGraphInstantiateParams {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  int result_out;
};
HEDDLE_ENTRY(cudaGraphInstantiateWithParams)
(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphInstantiateParams* p) {
  const cudaError_t code = heddle_cudaGraphInstantiate(exec, graph, p->flags);
  p->errNode_out = nullptr;
  p->result_out = code == cudaSuccess ? 0 : 1;
  return code;
}
HEDDLE_ENTRY(cudaGraphExecGetFlags)(cudaGraphExec_t exec, unsigned long long* flags) {
  return entry([&](Session& s) {
    s.graphs().find(exec);
    *flags = 0;
  });
}
HEDDLE_ENTRY(cudaGraphExecDestroy)(cudaGraphExec_t exec) {
  return entry([&](Session& s) { s.graphs().destroy(exec); });
}
HEDDLE_ENTRY(cudaGraphLaunch)(cudaGraphExec_t exec, cudaStream_t stream) {
  return launch_entry([&](Session& s) {
    const GraphExec& e = s.graphs().find(exec);
    s.submit(stream, NodeType::Graph, [steps = e.steps, defaults = e.defaults](Session& session) {
      for (const auto& [handle, value] : defaults) {
        const std::uint64_t word = value;
        session.copy(reinterpret_cast<void*>(handle), &word, sizeof word, cudaMemcpyHostToDevice);
      }
      GraphTable::run(steps, session);
    });
  });
}
HEDDLE_ENTRY(cudaGraphUpload)(cudaGraphExec_t exec, cudaStream_t) {
  return entry([&](Session& s) { s.graphs().find(exec); });
}
HEDDLE_ENTRY(cudaGraphExecUpdate)
(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  return entry([&](Session& s) {
    GraphExec& e = s.graphs().find(exec);
    std::vector<GraphExec::Step> steps = GraphTable::ordered(s.graphs().find(graph));
    bool same = steps.size() == e.steps.size();
    for (std::size_t i = 0; same && i < steps.size(); ++i) same = steps[i].type == e.steps[i].type;
    constexpr int kTopologyChanged = 2;
    constexpr auto kUpdateFailure = static_cast<cudaError_t>(910);
    if (info != nullptr) *info = {same ? 0 : kTopologyChanged, nullptr, nullptr};
    require(same, kUpdateFailure);
    // Programs go on naming the nodes of the first graph.
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].node = e.steps[i].node;
    e.steps = std::move(steps);
  });
}
HEDDLE_ENTRY(cudaGraphKernelNodeGetParams)(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  return entry([&](Session&) {
    require(node->type == NodeType::Kernel && node->kernel.func != nullptr, cudaErrorInvalidValue);
    *p = node->kernel;
  });
}
HEDDLE_ENTRY(cudaGraphKernelNodeSetParams)(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return entry([&](Session& s) {
    node->action = kernel_action(s, *p);
    node->kernel = *p;
  });
}
HEDDLE_ENTRY(cudaGraphExecKernelNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return entry([&](Session& s) { set_step(s, exec, node, kernel_action(s, *p)); });
}
HEDDLE_ENTRY(cudaGraphExecMemsetNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* p) {
  return entry([&](Session& s) { set_step(s, exec, node, memset_action(*p)); });
}
HEDDLE_ENTRY(cudaGraphExecHostNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return entry([&](Session& s) { set_step(s, exec, node, host_action(*p)); });
}
HEDDLE_ENTRY(cudaGraphExecMemcpyNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return entry([&](Session& s) { set_step(s, exec, node, copy_action(*p)); });
}
HEDDLE_ENTRY(cudaGraphExecMemcpyNodeSetParams1D)
(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from, std::size_t bytes,
 cudaMemcpyKind kind) {
  return entry([&](Session& s) {
    set_step(s, exec, node, [=](Session& session) { session.copy(to, from, bytes, kind); });
  });
}
HEDDLE_ENTRY(cudaGraphNodeSetEnabled)(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return entry([&](Session& s) {
    GraphExec::Step* step = s.graphs().find(exec).find(node);
    require(step != nullptr, cudaErrorInvalidValue);
    step->enabled = enabled != 0;
  });
}

}  // namespace heddle::runtime
