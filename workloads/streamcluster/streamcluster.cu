// Rodinia's streamcluster: what each point would gain if a centre were opened at point x, one thread per
// point.
#include "heddle_device.h"

struct Point {
  float weight;
  const float* coordinates;  // of the host
  long assign;               // the point that is its centre
  float cost;                // of that assignment
};

// Coordinates lie dimension after dimension. `lower` has a row for each point: what closing each of the
// `centres` centres saves, then what opening x saves.
extern "C" __global__ void compute_cost(int count, int dimensions, long x, const Point* points, int centres,
                                        int row_length, const float* coordinates, float* lower,
                                        const int* centre_number, bool* switches) {
  const int cta = blockIdx.x + gridDim.x * blockIdx.y;
  const int point = blockDim.x * cta + threadIdx.x;
  if (point >= count) return;
  float* row = &lower[point * row_length];
  float distance = 0.0f;
  for (int i = 0; i < dimensions; i++) {
    const float diff = coordinates[i * count + point] - coordinates[i * count + x];
    distance += diff * diff;
  }
  const float cost = distance * points[point].weight;
  if (cost < points[point].cost) {
    switches[point] = true;
    row[centres] += cost - points[point].cost;
  } else {
    row[centre_number[points[point].assign]] += points[point].cost - cost;
  }
}
