// Runs a few lines of PTX that use one texture or surface object, at once, where nobody asks which memory is
// touched, and in windows as under timing: both must leave the same words. The kernel has what bench.h
// describes; %rd1 is the object's handle, and thread i finds its words (four, in, and out again) at [%mine],
// %mine = out + 16 * i.
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "bench.h"

namespace heddle::exec {

class TextureBench {
 public:
  using Words = std::vector<std::uint32_t>;
  static constexpr std::uint32_t kWords = 4;  // per thread

  explicit TextureBench(const std::string& body) {
    const std::string text =
        kernel_text("ld.param.u64 %rd1, [k_object]; mad.wide.u32 %mine, %gid, 16, %out;\n" + body, "",
                    ", .param .u64 k_object");
    functional_.load_module(text, "texture.ptx");
    windowed_.load_module(text, "texture.ptx");
  }

  // Texels as they lie in memory.
  template <class T>
  mem::Address upload(const std::vector<T>& data) {
    const auto a = functional_.upload(data, "texels");
    EXPECT_EQ(windowed_.upload(data, "texels"), a);
    return static_cast<mem::Address>(a);
  }
  template <class T>
  std::vector<T> download(mem::Address a, std::size_t n) {
    const std::vector<T> data = functional_.download<T>(workload::DevicePtr{a}, n);
    EXPECT_EQ(windowed_.download<T>(workload::DevicePtr{a}, n), data) << "executed in windows";
    return data;
  }
  void create(const Texture& t) {
    handle_ = functional_.textures().create(t);
    EXPECT_EQ(windowed_.textures().create(t), handle_);
  }

  // Four words per thread; throws what the kernel's error is.
  Words run(const Words& in) {
    const auto out = functional_.upload(in, "out");
    EXPECT_EQ(windowed_.upload(in, "out"), out);
    const auto threads = static_cast<std::uint32_t>(in.size() / kWords);
    const std::uint32_t block = threads < 64 ? threads : 64;
    const workload::Launch launch{"k", {threads / block, 1, 1}, {block, 1, 1}, 0, args(out, handle_)};
    try {
      functional_.launch(launch);
    } catch (const Error&) {
      EXPECT_THROW(windowed_.launch(launch), Error) << "executed in windows";
      throw;
    }
    windowed_.launch(launch);
    return download<std::uint32_t>(static_cast<mem::Address>(out), in.size());
  }

  // Floats in, floats out.
  std::vector<float> run_floats(const std::vector<float>& in) {
    Words words;
    for (const float f : in) words.push_back(std::bit_cast<std::uint32_t>(f));
    std::vector<float> out;
    for (const std::uint32_t w : run(words)) out.push_back(std::bit_cast<float>(w));
    return out;
  }

  FunctionalDevice& functional() { return functional_; }
  WindowedDevice& windowed() { return windowed_; }

 private:
  FunctionalDevice functional_{FunctionalOptions{.count_accesses = false}};
  WindowedDevice windowed_;
  std::uint64_t handle_ = 0;
};

// Loads the thread's words into %f1 to %f4, stores %f5 to %f8; `read` stands between.
inline std::string sampling(const std::string& read) {
  return "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%mine]; cvt.rzi.u32.f32 %r4, %f4;\n" + read +
         "\nst.global.v4.f32 [%mine], {%f5,%f6,%f7,%f8};";
}

// A texture of a CUDA array with these sides and float texels.
inline Texture float_texture(std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
  const TexelBox b = array_box(0, width, height, depth, 4);
  Texture t;
  t.width = width;
  t.height = height;
  t.depth = depth;
  t.pitch = b.pitch;
  t.slice = b.slice;
  return t;
}

}  // namespace heddle::exec
