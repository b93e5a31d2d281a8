// Rodinia's b+tree: one CTA per query, one thread per key of a node. All threads compare their key; the one
// whose interval holds the query names the child. State lives in global memory between levels, as in the
// original.
#include "heddle_device.h"

constexpr int order = 256;

struct Node {
  int location;
  int indices[order + 1];  // children, or records in a leaf
  int keys[order + 1];     // ascending; the unused ones are the largest int
  int is_leaf;
  int num_keys;
};

// For each query the record's value, or what `answers` held when the key is absent.
extern "C" __global__ void findK(int height, const Node* nodes, int node_count, const int* records,
                                 int* current, int* offset, const int* keys, int* answers) {
  const int thread = threadIdx.x;
  const int query = blockIdx.x;
  for (int level = 0; level < height; level++) {
    if (nodes[current[query]].keys[thread] <= keys[query] &&
        nodes[current[query]].keys[thread + 1] > keys[query]) {
      // Leaves repeat their own location below the tree's last level in Rodinia; here the loop ends there.
      if (nodes[offset[query]].indices[thread] < node_count)
        offset[query] = nodes[offset[query]].indices[thread];
    }
    __syncthreads();
    if (thread == 0) current[query] = offset[query];
    __syncthreads();
  }
  if (nodes[current[query]].keys[thread] == keys[query])
    answers[query] = records[nodes[current[query]].indices[thread]];
}

// For each range of keys [start, end] the first record and the number of records.
extern "C" __global__ void findRangeK(int height, const Node* nodes, int node_count, int* current,
                                      int* offset, int* last, int* offset_2, const int* start, const int* end,
                                      int* record_start, int* record_length) {
  const int thread = threadIdx.x;
  const int query = blockIdx.x;
  for (int level = 0; level < height; level++) {
    if (nodes[current[query]].keys[thread] <= start[query] &&
        nodes[current[query]].keys[thread + 1] > start[query]) {
      if (nodes[current[query]].indices[thread] < node_count)
        offset[query] = nodes[current[query]].indices[thread];
    }
    if (nodes[last[query]].keys[thread] <= end[query] && nodes[last[query]].keys[thread + 1] > end[query]) {
      if (nodes[last[query]].indices[thread] < node_count)
        offset_2[query] = nodes[last[query]].indices[thread];
    }
    __syncthreads();
    if (thread == 0) {
      current[query] = offset[query];
      last[query] = offset_2[query];
    }
    __syncthreads();
  }
  if (nodes[current[query]].keys[thread] == start[query])
    record_start[query] = nodes[current[query]].indices[thread];
  __syncthreads();
  if (nodes[last[query]].keys[thread] == end[query])
    record_length[query] = nodes[last[query]].indices[thread] - record_start[query] + 1;
}
