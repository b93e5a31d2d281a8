// Graphs: nodes of further kinds, what nodes were given, how they depend on each other, memory of graphs.
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "runtime/cudart/graph_entry.h"

namespace heddle::runtime {

// A reference count for what a graph needs; the program's function runs when nobody holds it.
struct UserObject {
  void* data = nullptr;
  cudaHostFn_t destroy = nullptr;
  unsigned references = 0;
};

// ---- events, symbols ------------------------------------------------------------------------------------

HEDDLE_ENTRY(cudaGraphAddEventRecordNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, cudaEvent_t event) {
  return add_node(node, graph, after, n, NodeType::EventRecord, [&](Session& s) -> Action {
    s.event(event);
    return [event](Session& session) {
      Event& e = session.event(event);
      e.recorded = true;
      e.at = session.simulator().now();
    };
  });
}
// Nothing waits: what the event stands for has ended.
HEDDLE_ENTRY(cudaGraphAddEventWaitNode)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, cudaEvent_t event) {
  return add_node(node, graph, after, n, NodeType::EventWait, [&](Session& s) -> Action {
    s.event(event);
    return {};
  });
}
HEDDLE_ENTRY(cudaGraphAddMemcpyNodeToSymbol)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, const void* symbol, const void* from,
 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return add_node(node, graph, after, n, NodeType::Memcpy, [&](Session& s) -> Action {
    std::uint64_t size = 0;
    const Address a = s.modules().address(s.modules().variable(symbol), s.simulator(), &size);
    require(offset + bytes <= size, cudaErrorInvalidValue);
    return [=](Session& session) { session.copy(reinterpret_cast<void*>(a + offset), from, bytes, kind); };
  });
}
HEDDLE_ENTRY(cudaGraphAddMemcpyNodeFromSymbol)
(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, void* to, const void* symbol,
 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return add_node(node, graph, after, n, NodeType::Memcpy, [&](Session& s) -> Action {
    std::uint64_t size = 0;
    const Address a = s.modules().address(s.modules().variable(symbol), s.simulator(), &size);
    require(offset + bytes <= size, cudaErrorInvalidValue);
    return
        [=](Session& session) { session.copy(to, reinterpret_cast<const void*>(a + offset), bytes, kind); };
  });
}

// ---- what nodes were given
// ---------------------------------------------------------------------------------

HEDDLE_ENTRY(cudaGraphMemsetNodeGetParams)(cudaGraphNode_t node, cudaMemsetParams* p) {
  return entry([&](Session&) {
    require(node->type == NodeType::Memset && node->memset.dst != nullptr, cudaErrorInvalidValue);
    *p = node->memset;
  });
}
HEDDLE_ENTRY(cudaGraphMemsetNodeSetParams)(cudaGraphNode_t node, const cudaMemsetParams* p) {
  return entry([&](Session&) {
    require(node->type == NodeType::Memset, cudaErrorInvalidValue);
    node->memset = *p;
    node->action = memset_action(*p);
  });
}
HEDDLE_ENTRY(cudaGraphHostNodeGetParams)(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return entry([&](Session&) {
    require(node->type == NodeType::Host && node->host.fn != nullptr, cudaErrorInvalidValue);
    *p = node->host;
  });
}
HEDDLE_ENTRY(cudaGraphHostNodeSetParams)(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return entry([&](Session&) {
    require(node->type == NodeType::Host, cudaErrorInvalidValue);
    node->host = *p;
    node->action = host_action(*p);
  });
}
HEDDLE_ENTRY(cudaGraphMemcpyNodeGetParams)(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return entry([&](Session&) {
    require(node->type == NodeType::Memcpy && node->copy.extent.width != 0, cudaErrorInvalidValue);
    *p = node->copy;
  });
}
HEDDLE_ENTRY(cudaGraphMemcpyNodeSetParams)(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return entry([&](Session&) {
    require(node->type == NodeType::Memcpy, cudaErrorInvalidValue);
    node->copy = *p;
    node->action = copy_action(*p);
  });
}
HEDDLE_ENTRY(cudaGraphMemcpyNodeSetParams1D)
(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return entry([&](Session&) {
    require(node->type == NodeType::Memcpy, cudaErrorInvalidValue);
    node->action = [=](Session& session) { session.copy(to, from, bytes, kind); };
  });
}
HEDDLE_ENTRY(cudaGraphChildGraphNodeGetGraph)(cudaGraphNode_t node, cudaGraph_t* graph) {
  return entry([&](Session&) {
    require(node->type == NodeType::Graph && node->child != nullptr, cudaErrorInvalidValue);
    *graph = node->child;
  });
}
HEDDLE_ENTRY(cudaGraphNodeGetEnabled)(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return entry([&](Session& s) {
    const GraphExec::Step* step = s.graphs().find(exec).find(node);
    require(step != nullptr, cudaErrorInvalidValue);
    *enabled = step->enabled ? 1 : 0;
  });
}
// Attributes of kernel nodes (priority, access policy) change no result.
HEDDLE_ENTRY(cudaGraphKernelNodeSetAttribute)(cudaGraphNode_t, int, const void*) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaGraphKernelNodeCopyAttributes)(cudaGraphNode_t, cudaGraphNode_t) {
  return cudaSuccess;
}

// ---- structure
// ------------------------------------------------------------------------------------------------

HEDDLE_ENTRY(cudaGraphGetEdges)
(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, void*, std::size_t* n) {
  return entry([&](Session& s) {
    std::size_t count = 0;
    for (const auto& node : s.graphs().find(graph).nodes)
      for (GraphNode* before : node->after) {
        if (from != nullptr && to != nullptr && count < *n) {
          from[count] = before;
          to[count] = node.get();
        }
        ++count;
      }
    *n = count;
  });
}
HEDDLE_ENTRY(cudaGraphNodeGetDependencies)
(cudaGraphNode_t node, cudaGraphNode_t* nodes, void*, std::size_t* n) {
  return entry([&](Session&) {
    if (nodes != nullptr) std::copy_n(node->after.begin(), std::min(*n, node->after.size()), nodes);
    *n = node->after.size();
  });
}
HEDDLE_ENTRY(cudaGraphNodeGetDependentNodes)
(cudaGraphNode_t node, cudaGraphNode_t* nodes, void*, std::size_t* n) {
  return entry([&](Session& s) {
    std::size_t count = 0;
    for (const auto& other : s.graphs().graph_of(node).nodes) {
      if (std::find(other->after.begin(), other->after.end(), node) == other->after.end()) continue;
      if (nodes != nullptr && count < *n) nodes[count] = other.get();
      ++count;
    }
    *n = count;
  });
}
HEDDLE_ENTRY(cudaGraphRemoveDependencies)
(cudaGraph_t graph, Nodes from, Nodes to, const void*, std::size_t n) {
  return entry([&](Session& s) {
    s.graphs().find(graph);
    for (std::size_t i = 0; i < n; ++i) std::erase(to[i]->after, from[i]);
  });
}
// As CUDA 11 and 12 have them: without data of the edges.
HEDDLE_ENTRY(cudaGraphGetEdges_v11)
(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* n) {
  return heddle_cudaGraphGetEdges(graph, from, to, nullptr, n);
}
HEDDLE_ENTRY(cudaGraphNodeGetDependencies_v11)(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* n) {
  return heddle_cudaGraphNodeGetDependencies(node, nodes, nullptr, n);
}
HEDDLE_ENTRY(cudaGraphNodeGetDependentNodes_v11)
(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* n) {
  return heddle_cudaGraphNodeGetDependentNodes(node, nodes, nullptr, n);
}
HEDDLE_ENTRY(cudaGraphRemoveDependencies_v11)(cudaGraph_t graph, Nodes from, Nodes to, std::size_t n) {
  return heddle_cudaGraphRemoveDependencies(graph, from, to, nullptr, n);
}
HEDDLE_ENTRY(cudaGraphDestroyNode)(cudaGraphNode_t node) {
  return entry([&](Session& s) {
    Graph& g = s.graphs().graph_of(node);
    for (const auto& other : g.nodes) std::erase(other->after, node);
    std::erase(g.frontier, node);
    std::erase_if(g.nodes, [&](const auto& x) { return x.get() == node; });
  });
}
HEDDLE_ENTRY(cudaGraphNodeFindInClone)(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return entry([&](Session& s) {
    *node = nullptr;
    for (const auto& n : s.graphs().find(clone).nodes)
      if (n->cloned_from == original) *node = n.get();
    require(*node != nullptr, cudaErrorInvalidValue);
  });
}
HEDDLE_ENTRY(cudaGraphDebugDotPrint)(cudaGraph_t graph, const char* path, unsigned) {
  constexpr auto kFailed = static_cast<cudaError_t>(304);  // cudaErrorOperatingSystem
  return entry([&](Session& s) {
    std::string text = "digraph dot {\n";
    std::map<const GraphNode*, std::size_t> number;
    for (const auto& n : s.graphs().find(graph).nodes) {
      const std::size_t i = number.emplace(n.get(), number.size()).first->second;
      text += fmt::format("  node{} [label=\"{} (type {})\"];\n", i, i, static_cast<int>(n->type));
    }
    for (const auto& n : s.graphs().find(graph).nodes)
      for (const GraphNode* before : n->after)
        text += fmt::format("  node{} -> node{};\n", number[before], number[n.get()]);
    std::FILE* const file = std::fopen(path, "w");
    require(file != nullptr, kFailed);
    std::fputs((text + "}\n").c_str(), file);
    std::fclose(file);
  });
}

// ---- memory, objects
// ----------------------------------------------------------------------------------------

HEDDLE_ENTRY(cudaDeviceGetGraphMemAttribute)(int device, int number, void* value) {
  return entry([&](Session& s) {
    const Session::GraphMemoryUse& g = s.graph_memory();
    const std::uint64_t values[] = {g.used, g.most_used, g.reserved, g.most_reserved};
    require_device(device);
    require(value != nullptr && number >= 0 && number < 4, cudaErrorInvalidValue);
    *static_cast<std::uint64_t*>(value) = values[number];
  });
}
// Only the two highest values may be set, to zero.
HEDDLE_ENTRY(cudaDeviceSetGraphMemAttribute)(int device, int number, void* value) {
  return entry([&](Session& s) {
    require_device(device);
    require((number == 1 || number == 3) && *static_cast<std::uint64_t*>(value) == 0, cudaErrorInvalidValue);
    Session::GraphMemoryUse& g = s.graph_memory();
    (number == 1 ? g.most_used : g.most_reserved) = number == 1 ? g.used : g.reserved;
  });
}
HEDDLE_ENTRY(cudaDeviceGraphMemTrim)(int device) {
  return entry([&](Session& s) {
    require_device(device);
    s.graph_memory().reserved = s.graph_memory().used;
  });
}
HEDDLE_ENTRY(cudaUserObjectCreate)
(UserObject** object, void* data, cudaHostFn_t destroy, unsigned references, unsigned) {
  return entry([&](Session&) {
    require(object != nullptr && references != 0, cudaErrorInvalidValue);
    *object = new UserObject{data, destroy, references};
  });
}
HEDDLE_ENTRY(cudaUserObjectRetain)(UserObject* object, unsigned count) {
  return entry([&](Session&) { object->references += count; });
}
HEDDLE_ENTRY(cudaUserObjectRelease)(UserObject* object, unsigned count) {
  return entry([&](Session&) {
    require(object->references >= count, cudaErrorInvalidValue);
    object->references -= count;
    if (object->references != 0) return;
    if (object->destroy != nullptr) object->destroy(object->data);
    delete object;
  });
}
// Graphs hold nothing that could go away; a reference that was moved to one is dropped when the program ends.
HEDDLE_ENTRY(cudaGraphRetainUserObject)
(cudaGraph_t graph, UserObject* object, unsigned count, unsigned flags) {
  constexpr unsigned kMove = 1;
  return entry([&](Session& s) {
    s.graphs().find(graph);
    if (flags != kMove) object->references += count;
  });
}
HEDDLE_ENTRY(cudaGraphReleaseUserObject)(cudaGraph_t, UserObject* object, unsigned count) {
  return heddle_cudaUserObjectRelease(object, count);
}

}  // namespace heddle::runtime
