// Rodinia's kmeans: each point joins the nearest of the cluster centres, one thread per point. The host
// averages the centres anew between launches.
#include "heddle_device.h"

constexpr int most_clusters = 32, most_features = 34;

__constant__ float centres[most_clusters * most_features];  // centre after centre

// From point after point to feature after feature.
extern "C" __global__ void invert_mapping(const float* by_point, float* by_feature, int points,
                                          int features) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  for (int i = 0; i < features; i++) by_feature[point + points * i] = by_point[point * features + i];
}

// Every centre reads the point's features anew, through the texture cache.
extern "C" __global__ void kmeans_point(cudaTextureObject_t by_feature, int features, int points,
                                        int clusters, int* membership) {
  const int cta = gridDim.x * blockIdx.y + blockIdx.x;
  const int point = cta * blockDim.x * blockDim.y + threadIdx.x;
  if (point >= points) return;
  int nearest = -1;
  float least = 3.4028235e38f;
  for (int i = 0; i < clusters; i++) {
    float distance = 0.0f;
    for (int j = 0; j < features; j++) {
      const float diff = tex1Dfetch<float>(by_feature, point + j * points) - centres[i * features + j];
      distance += diff * diff;
    }
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  membership[point] = nearest;
}
