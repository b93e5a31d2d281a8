// What the files of this program share.
#pragma once

#include <cstddef>
#include <vector>

class Image {
 public:
  Image(int width, int height);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }
  float* device() { return device_; }
  void upload(const std::vector<float>& pixels);
  std::vector<float> download() const;

 private:
  int width_, height_;
  float* device_ = nullptr;
};

void blur(Image& to, Image& from);                                                         // blur.cu
void sharpen(Image& to, Image& from);                                                      // sharpen.cu
std::vector<float> blur_on_host(const std::vector<float>& pixels, int width, int height);  // reference.cpp
std::vector<float> sharpen_on_host(const std::vector<float>& pixels, int width, int height);
