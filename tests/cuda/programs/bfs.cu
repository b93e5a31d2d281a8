// Breadth-first search level by level, in the style of Rodinia: structures of nodes, a flag that the host
// reads each turn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS_PER_BLOCK 128

struct Node {
  int starting;
  int no_of_edges;
};

__global__ void Kernel(Node* nodes, int* edges, bool* mask, bool* updating_mask, bool* visited, int* cost,
                       int no_of_nodes) {
  int tid = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
  if (tid < no_of_nodes && mask[tid]) {
    mask[tid] = false;
    for (int i = nodes[tid].starting; i < (nodes[tid].no_of_edges + nodes[tid].starting); i++) {
      int id = edges[i];
      if (!visited[id]) {
        cost[id] = cost[tid] + 1;
        updating_mask[id] = true;
      }
    }
  }
}

__global__ void Kernel2(bool* mask, bool* updating_mask, bool* visited, bool* over, int no_of_nodes) {
  int tid = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
  if (tid < no_of_nodes && updating_mask[tid]) {
    mask[tid] = true;
    visited[tid] = true;
    *over = true;
    updating_mask[tid] = false;
  }
}

static unsigned state = 2024;
static unsigned next(void) {
  return (state = state * 1664525u + 1013904223u) >> 10;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 2000, source = 0, edge_count = 0, k = 0;
  Node* h_nodes = (Node*)malloc(sizeof(Node) * n);
  for (int i = 0; i < n; i++) {
    h_nodes[i].starting = edge_count;
    h_nodes[i].no_of_edges = next() % 6;
    edge_count += h_nodes[i].no_of_edges;
  }
  int* h_edges = (int*)malloc(sizeof(int) * edge_count);
  for (int i = 0; i < edge_count; i++) h_edges[i] = next() % n;
  bool *h_mask = (bool*)calloc(n, 1), *h_visited = (bool*)calloc(n, 1);
  int* h_cost = (int*)malloc(sizeof(int) * n);
  for (int i = 0; i < n; i++) h_cost[i] = -1;
  h_mask[source] = h_visited[source] = true;
  h_cost[source] = 0;
  printf("Read File\n");

  Node* d_nodes;
  int *d_edges, *d_cost;
  bool *d_mask, *d_updating, *d_visited, *d_over, stop;
  cudaMalloc((void**)&d_nodes, sizeof(Node) * n);
  cudaMalloc((void**)&d_edges, sizeof(int) * edge_count);
  cudaMalloc((void**)&d_cost, sizeof(int) * n);
  cudaMalloc((void**)&d_mask, n);
  cudaMalloc((void**)&d_updating, n);
  cudaMalloc((void**)&d_visited, n);
  cudaMalloc((void**)&d_over, sizeof(bool));
  cudaMemcpy(d_nodes, h_nodes, sizeof(Node) * n, cudaMemcpyHostToDevice);
  cudaMemcpy(d_edges, h_edges, sizeof(int) * edge_count, cudaMemcpyHostToDevice);
  cudaMemcpy(d_cost, h_cost, sizeof(int) * n, cudaMemcpyHostToDevice);
  cudaMemcpy(d_mask, h_mask, n, cudaMemcpyHostToDevice);
  cudaMemset(d_updating, 0, n);
  cudaMemcpy(d_visited, h_visited, n, cudaMemcpyHostToDevice);
  printf("Copied Everything to GPU memory\n");
  dim3 grid((n + MAX_THREADS_PER_BLOCK - 1) / MAX_THREADS_PER_BLOCK, 1, 1),
      threads(MAX_THREADS_PER_BLOCK, 1, 1);
  do {
    stop = false;
    cudaMemcpy(d_over, &stop, sizeof(bool), cudaMemcpyHostToDevice);
    Kernel<<<grid, threads, 0>>>(d_nodes, d_edges, d_mask, d_updating, d_visited, d_cost, n);
    Kernel2<<<grid, threads, 0>>>(d_mask, d_updating, d_visited, d_over, n);
    cudaMemcpy(&stop, d_over, sizeof(bool), cudaMemcpyDeviceToHost);
    k++;
  } while (stop);
  printf("Kernel Executed %d times\n", k);
  int* costs = (int*)malloc(sizeof(int) * n);
  cudaMemcpy(costs, d_cost, sizeof(int) * n, cudaMemcpyDeviceToHost);

  // The host's own search.
  int *queue = (int*)malloc(sizeof(int) * n), head = 0, tail = 0, bad = 0, reached = 0;
  for (int i = 0; i < n; i++) h_cost[i] = i == source ? 0 : -1;
  queue[tail++] = source;
  while (head < tail) {
    const int at = queue[head++];
    for (int e = h_nodes[at].starting; e < h_nodes[at].starting + h_nodes[at].no_of_edges; e++)
      if (h_cost[h_edges[e]] < 0) {
        h_cost[h_edges[e]] = h_cost[at] + 1;
        queue[tail++] = h_edges[e];
      }
  }
  for (int i = 0; i < n; i++) {
    bad += costs[i] != h_cost[i];
    reached += costs[i] >= 0;
  }
  printf("%d of %d nodes reached, %d wrong\n%s\n", reached, n, bad, bad == 0 ? "PASSED" : "FAILED");
  return bad != 0;
}
