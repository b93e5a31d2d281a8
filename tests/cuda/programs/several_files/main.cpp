#include <cstdio>
#include <exception>

#include "image.h"

int main() try {
  const int width = 100, height = 37;
  std::vector<float> pixels(width * height);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 37 % 101);  // exact sums
  Image first(width, height), second(width, height);
  first.upload(pixels);
  blur(second, first);
  const std::vector<float> blurred = second.download();
  sharpen(first, second);
  const std::vector<float> sharpened = first.download();
  const std::vector<float> expected = blur_on_host(pixels, width, height);
  const bool good_blur = blurred == expected;
  const bool good_sharpen = sharpened == sharpen_on_host(expected, width, height);
  std::printf("blur %s, sharpen %s\n", good_blur ? "PASSED" : "FAILED", good_sharpen ? "PASSED" : "FAILED");
  std::printf("pixel (50, 20): %g, %g\n", blurred[20 * width + 50], sharpened[20 * width + 50]);
  return good_blur && good_sharpen ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("error: %s\n", e.what());
  return 2;
}
