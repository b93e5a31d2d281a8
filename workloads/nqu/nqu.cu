// P.-C. Chen's counting of N queens: the host places the first queens, a thread counts what follows from one
// such beginning. Threads search depth first without recursion, with stacks in shared memory; a CTA adds its
// threads' counts.
#include "heddle_device.h"

constexpr int cta_threads = 96, most_rows = 10;

// `rows` are left to place. Columns and diagonals in use before them come in three arrays, of which thread t
// of the grid takes entry t, if there is one.
extern "C" __global__ void count_queens(int n, int rows, const unsigned* columns,
                                        const unsigned* left_diagonals, const unsigned* right_diagonals,
                                        unsigned* counts, int beginnings) {
  // Of each thread and row: columns in use, diagonals in use as they meet the row, and all that is in use or
  // was tried.
  __shared__ unsigned used[cta_threads][most_rows], left[cta_threads][most_rows],
      right[cta_threads][most_rows], tried[cta_threads][most_rows];
  __shared__ unsigned sums[cta_threads];
  const int t = threadIdx.x, global = blockIdx.x * blockDim.x + t;
  const unsigned all = (1u << n) - 1;

  if (global < beginnings) {
    unsigned count = 0;
    int row = 0;
    used[t][0] = columns[global];
    left[t][0] = left_diagonals[global];
    right[t][0] = right_diagonals[global];
    tried[t][0] = used[t][0] | left[t][0] | right[t][0];
    while (row >= 0) {
      if ((tried[t][row] & all) == all) {
        --row;
        continue;
      }
      const unsigned place = (tried[t][row] + 1) & ~tried[t][row];  // the first that is free
      tried[t][row] |= place;
      if ((place & all) == 0) {
        --row;
      } else if (row + 1 == rows) {
        ++count;
        --row;
      } else {
        used[t][row + 1] = used[t][row] | place;
        left[t][row + 1] = (left[t][row] | place) << 1;
        right[t][row + 1] = (right[t][row] | place) >> 1;
        tried[t][row + 1] = used[t][row + 1] | left[t][row + 1] | right[t][row + 1];
        ++row;
      }
    }
    sums[t] = count;
  } else {
    sums[t] = 0;
  }
  __syncthreads();

  if (t < 64 && t + 64 < cta_threads) sums[t] += sums[t + 64];
  __syncthreads();
#pragma unroll
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) counts[blockIdx.x] = sums[0];
}
