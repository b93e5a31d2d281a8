#include <algorithm>

#include "image.h"

static float at(const std::vector<float>& p, int x, int y, int width, int height) {
  return p[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)];
}

std::vector<float> blur_on_host(const std::vector<float>& p, int width, int height) {
  const float weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  std::vector<float> out(p.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int k = 0; k < 9; ++k) sum += weights[k] * at(p, x + k % 3 - 1, y + k / 3 - 1, width, height);
      out[y * width + x] = sum / 16;
    }
  return out;
}

std::vector<float> sharpen_on_host(const std::vector<float>& p, int width, int height) {
  std::vector<float> out(p.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out[y * width + x] =
          3 * at(p, x, y, width, height) - at(p, x - 1, y, width, height) - at(p, x + 1, y, width, height);
  return out;
}
