// What the entry points of graphs share: nodes, and what they do when the graph is launched.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/session/copies.h"
#include "runtime/session/entry.h"

namespace heddle::runtime {

using Nodes = const cudaGraphNode_t*;

inline std::vector<GraphNode*> list(Nodes nodes, std::size_t n) {
  return nodes == nullptr ? std::vector<GraphNode*>{} : std::vector<GraphNode*>(nodes, nodes + n);
}

template <class Make>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, Nodes after, std::size_t n, NodeType type,
                     Make&& make) {
  return entry([&](Session& s) {
    require(node != nullptr, cudaErrorInvalidValue);
    Graph& g = s.graphs().find(graph);
    *node = &g.add(type, make(s), list(after, n));
  });
}

using Action = std::function<void(Session&)>;

inline Action kernel_action(Session& s, const cudaKernelNodeParams& p) {
  const Session::LaunchShape shape{p.gridDim, p.blockDim, p.sharedMemBytes, false};
  workload::Launch l = s.prepare(s.modules().kernel(p.func), shape, p.kernelParams);
  return [l = std::move(l)](Session& session) { session.run(l); };
}

inline Action memset_action(const cudaMemsetParams& p) {
  return [p](Session& s) {
    const Box bytes{p.width * p.elementSize, p.height};
    const bool same = p.elementSize == 1;
    if (same) return fill_box(s, rows(p.dst, p.pitch), static_cast<int>(p.value), bytes);
    std::vector<char> row(bytes.width);
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = static_cast<char>(p.value >> (8 * (i % p.elementSize)));
    for (std::size_t y = 0; y < std::max<std::size_t>(p.height, 1); ++y)
      s.copy(static_cast<char*>(p.dst) + y * p.pitch, row.data(), row.size(), cudaMemcpyHostToDevice);
  };
}

inline Action host_action(const cudaHostNodeParams& p) {
  return [p](Session& s) {
    s.synchronize();
    p.fn(p.userData);
  };
}

inline Action copy_action(const cudaMemcpy3DParms& p) {
  return [p](Session& s) { copy_3d(s, p); };
}

inline void set_step(Session& s, cudaGraphExec_t exec, cudaGraphNode_t node, Action action) {
  GraphExec::Step* step = s.graphs().find(exec).find(node);
  require(step != nullptr, cudaErrorInvalidValue);
  step->action = std::move(action);
}

}  // namespace heddle::runtime
