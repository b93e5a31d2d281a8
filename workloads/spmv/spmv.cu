// Parboil's spmv: a sparse matrix in the JDS format times a vector, one thread per row.
//
// Rows are sorted by length, longest first, and the k-th entries of all rows lie side by side, so that a warp
// reads the matrix in whole lines; the vector is gathered.
#include "heddle_device.h"

constexpr int table_size = 5000;

__constant__ int jds_start[table_size];     // where the k-th entries begin
__constant__ int warp_entries[table_size];  // of the rows of a warp, which are padded to one length

// Software pipeline: in each round the entry before last is added, the last one's value and vector element
// are loaded, and the next one's column.
extern "C" __global__ void spmv_jds(float* product, const float* values, const int* columns,
                                    const int* row_of, const float* x, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int entries = warp_entries[row >> 5];
  float sum = 0.0f;
  int at = jds_start[0] + row;
  float value = values[at];
  float element = x[columns[at]];
  if (entries > 1) {
    at = jds_start[1] + row;
    int column = columns[at];
#pragma unroll 1  // unrolled, the loads of one entry would no longer overlap the sum of another
    for (int k = 2; k < entries; k++) {
      const float next_value = values[at];
      at = jds_start[k] + row;
      const int next_column = columns[at];
      const float next_element = x[column];
      sum += value * element;
      column = next_column;
      value = next_value;
      element = next_element;
    }
    const float last_value = values[at];
    const float last_element = x[column];
    sum += value * element;
    value = last_value;
    element = last_element;
  }
  sum += value * element;
  product[row_of[row]] = sum;
}
