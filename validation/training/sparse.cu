// Sparse matrices and graphs, rows of very different lengths.
#include "training.cuh"

KERNEL csr_scalar(const int* begin, const int* column, const float* value, const float* x, float* y,
                  int rows) {
  const int r = global_id();
  if (r >= rows) return;
  float s = 0;
  for (int k = begin[r]; k < begin[r + 1]; ++k) s += value[k] * x[column[k]];
  y[r] = s;
}
KERNEL csr_vector(const int* begin, const int* column, const float* value, const float* x, float* y,
                  int rows) {
  const int r = global_id() / 32, lane = threadIdx.x & 31;
  if (r >= rows) return;
  float s = 0;
  for (int k = begin[r] + lane; k < begin[r + 1]; k += 32) s += value[k] * x[column[k]];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (lane == 0) y[r] = s;
}
KERNEL ell_columns(const int* column, const float* value, const float* x, float* y, int rows, int width) {
  const int r = global_id();
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < width; ++k) {
    const int c = column[k * rows + r];
    if (c >= 0) s += value[k * rows + r] * x[c];
  }
  y[r] = s;
}
KERNEL coo_atomic(const int* row, const int* column, const unsigned* value, const unsigned* x, unsigned* y,
                  int n) {
  const int i = global_id();
  if (i < n) atomicAdd(&y[row[i]], (value[i] & 15) * (x[column[i]] & 15));
}
KERNEL csr_dense(const int* begin, const int* column, const float* value, const float* b, float* c,
                 int rows) {  // times 32 columns
  const int r = global_id() / 32, lane = threadIdx.x & 31;
  if (r >= rows) return;
  float s = 0;
  for (int k = begin[r]; k < begin[r + 1]; ++k) s += value[k] * b[column[k] * 32 + lane];
  c[r * 32 + lane] = s;
}
// One level of a breadth-first search, all vertices looked at (Rodinia).
KERNEL bfs_level(const int* begin, const int* edge, int* level, int vertices, int now) {
  const int v = global_id();
  if (v >= vertices || level[v] != now) return;
  for (int k = begin[v]; k < begin[v + 1]; ++k) {
    const int u = edge[k];
    if (level[u] < 0) level[u] = now + 1;
  }
}
// The same from a queue, by warps.
KERNEL bfs_queue(const int* begin, const int* edge, const int* queue, int size, int* level,
                 unsigned* next_count, int now) {
  const int warp = global_id() / 32, lane = threadIdx.x & 31;
  if (warp >= size) return;
  const int v = queue[warp];
  for (int k = begin[v] + lane; k < begin[v + 1]; k += 32)
    if (atomicCAS(&level[edge[k]], -1, now + 1) == -1) atomicAdd(next_count, 1u);
}
KERNEL pagerank_pull(const int* begin, const int* edge, const float* rank, const int* degree, float* out,
                     int vertices) {
  const int v = global_id();
  if (v >= vertices) return;
  float s = 0;
  for (int k = begin[v]; k < begin[v + 1]; ++k) {
    const int u = edge[k];
    s += rank[u] / degree[u];
  }
  out[v] = 0.15f + 0.85f * s;
}
KERNEL sssp_relax(const int* begin, const int* edge, const unsigned* weight, const unsigned* from,
                  unsigned* distance, int vertices) {
  const int v = global_id();
  if (v >= vertices) return;
  const unsigned d = from[v];
  if (d == ~0u) return;
  for (int k = begin[v]; k < begin[v + 1]; ++k) {
    const unsigned nd = d + (weight[k] & 255) + 1;
    if (nd < distance[edge[k]]) atomicMin(&distance[edge[k]], nd);
  }
}
// Neighbours that two ends of an edge share; the lists are sorted.
KERNEL triangles(const int* begin, const int* edge, const int* source, unsigned* count, int edges) {
  const int e = global_id();
  if (e >= edges) return;
  const int u = source[e], v = edge[e];
  int i = begin[u], j = begin[v], c = 0;
  const int iend = begin[u + 1], jend = begin[v + 1];
  while (i < iend && j < jend) {
    const int a = edge[i], b = edge[j];
    if (a == b)
      ++c, ++i, ++j;
    else if (a < b)
      ++i;
    else
      ++j;
  }
  count[e] = c;
}
// The least label of the neighbours.
KERNEL label_hook(const int* begin, const int* edge, const int* label, int* out, int vertices) {
  const int v = global_id();
  if (v >= vertices) return;
  int least = label[v];
  for (int k = begin[v]; k < begin[v + 1]; ++k) least = min(least, label[edge[k]]);
  while (label[least] < least) least = label[least];
  out[v] = least;
}
// Colouring: the first colour that no neighbour has, in a bit mask.
KERNEL first_colour(const int* begin, const int* edge, const int* colour, int* out, int vertices) {
  const int v = global_id();
  if (v >= vertices) return;
  unsigned used = 0;
  for (int k = begin[v]; k < begin[v + 1]; ++k)
    if (edge[k] < v) used |= 1u << (colour[edge[k]] & 31);
  out[v] = __ffs(~used) - 1;
}
