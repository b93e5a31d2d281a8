// Rodinia's bfs: breadth-first search level by level, one thread per node.
#include "heddle_device.h"

struct Node {
  int starting;  // first of its edges
  int no_of_edges;
};

// Every node of the frontier reaches its neighbours. Several threads may write one neighbour's cost, all the
// same.
extern "C" __global__ void bfs_expand(const Node* nodes, const int* edges, bool* mask, bool* updating_mask,
                                      const bool* visited, int* cost, int node_count) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= node_count || !mask[node]) return;
  mask[node] = false;
  for (int e = nodes[node].starting; e < nodes[node].starting + nodes[node].no_of_edges; e++) {
    const int neighbour = edges[e];
    if (!visited[neighbour]) {
      cost[neighbour] = cost[node] + 1;
      updating_mask[neighbour] = true;
    }
  }
}

// What was reached becomes the next frontier; `more` tells the host that there is one.
extern "C" __global__ void bfs_update(bool* mask, bool* updating_mask, bool* visited, bool* more,
                                      int node_count) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= node_count || !updating_mask[node]) return;
  mask[node] = true;
  visited[node] = true;
  *more = true;
  updating_mask[node] = false;
}
