// The CUDA SDK's imageDenoising, its filter by nearest neighbours in colour (KNN): a pixel becomes the mean
// of those around it, weighted by how near they are in place and in colour. A thread per pixel; the window of
// a thread is read by texture, so CTAs of 8 x 8 pixels share most of theirs with their neighbours.
#include "heddle_device.h"

constexpr int kRadius = 3;
constexpr float kInverseArea = 1.0f / ((2 * kRadius + 1) * (2 * kRadius + 1));
constexpr float kNearWeight = 0.02f;  // weights above it count as near
constexpr float kNearShare = 0.79f;   // of the window, above which a pixel lies in a smooth region

HEDDLE_DEVICE float mix(float a, float b, float share_of_b) {
  return a + (b - a) * share_of_b;
}

HEDDLE_DEVICE unsigned pack(float red, float green, float blue) {
  return static_cast<unsigned>(static_cast<int>(blue * 255.0f)) << 16 |
         static_cast<unsigned>(static_cast<int>(green * 255.0f)) << 8 |
         static_cast<unsigned>(static_cast<int>(red * 255.0f));
}

// Grid (width / 8, height / 8) rounded up, block 8 x 8. `noise`: how fast weights fall with the squared
// distance of colours; `keep`: the pixel's own share of the result where it is smooth, 1 - keep elsewhere.
extern "C" __global__ void knn(unsigned* out, cudaTextureObject_t image, int width, int height, float noise,
                               float keep) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const float x = static_cast<float>(column) + 0.5f, y = static_cast<float>(row) + 0.5f;  // texels' middles
  const float4 own = tex2D<float4>(image, x, y);

  float red = 0.0f, green = 0.0f, blue = 0.0f, weights = 0.0f, near = 0.0f;
#pragma unroll
  for (int i = -kRadius; i <= kRadius; ++i) {
#pragma unroll
    for (int j = -kRadius; j <= kRadius; ++j) {
      const float4 other = tex2D<float4>(image, x + static_cast<float>(j), y + static_cast<float>(i));
      const float dr = other.x - own.x, dg = other.y - own.y, db = other.z - own.z;
      const float colours = dr * dr + dg * dg + db * db;
      const float places = static_cast<float>(i * i + j * j) * kInverseArea;
      const float weight = __expf(-(colours * noise + places));
      red += other.x * weight;
      green += other.y * weight;
      blue += other.z * weight;
      weights += weight;
      near += weight > kNearWeight ? kInverseArea : 0.0f;
    }
  }
  const float inverse = 1.0f / weights;
  const float share = near > kNearShare ? keep : 1.0f - keep;
  out[row * width + column] = pack(mix(red * inverse, own.x, share), mix(green * inverse, own.y, share),
                                   mix(blue * inverse, own.z, share));
}
