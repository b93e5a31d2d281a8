// The device as a host program sees it: memory, modules, launches. The functional executor and the timing
// machine both implement it, so a workload's host code is written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "workload/launch.h"

namespace heddle::workload {

enum class TexelKind : std::uint8_t { Float, Signed, Unsigned };

// Texels in device memory that a kernel reads by texture: point-sampled, by coordinates that are not
// normalized, clamped at the edges.
struct TextureView {
  DevicePtr texels = DevicePtr::Null;
  TexelKind kind = TexelKind::Float;
  std::uint32_t channel_bits = 32;  // 8, 16 or 32
  std::uint32_t channels = 1;       // 1, 2 or 4
  std::uint32_t width = 0;          // texels of a row
  std::uint32_t height = 0;  // rows one after the other (tex2D); 0: linear memory, read by index (tex1Dfetch)
  bool normalized = false;   // integers of 8 or 16 bits are read as floats in [0, 1] or [-1, 1]

  std::uint64_t row_bytes() const { return std::uint64_t{width} * channels * (channel_bits / 8); }
};

class Device {
 public:
  virtual ~Device() = default;

  // Memory. `label` names the allocation in error messages. Contents of a new allocation are zero.
  virtual DevicePtr allocate(std::uint64_t bytes, std::string_view label) = 0;
  virtual void release(DevicePtr p) = 0;
  virtual void copy_in(DevicePtr to, const void* from, std::uint64_t bytes) = 0;
  virtual void copy_out(void* to, DevicePtr from, std::uint64_t bytes) = 0;
  virtual void fill(DevicePtr to, std::uint8_t value, std::uint64_t bytes) = 0;

  // Loads PTX text; kernels of all loaded modules are found by name. `file` is for error messages.
  virtual void load_module(std::string_view ptx_text, std::string_view file) = 0;
  // Address and size of a module's .global or .const variable.
  virtual DevicePtr symbol(std::string_view name, std::uint64_t* bytes = nullptr) = 0;

  // The handle that a kernel takes as a 64-bit parameter. Rows of a texture with height are a multiple of 32
  // bytes long, which hardware asks for.
  virtual std::uint64_t texture(const TextureView& view) = 0;
  // `count` floats in linear memory.
  std::uint64_t float_texture(DevicePtr texels, std::uint32_t count) {
    return texture({.texels = texels, .width = count});
  }

  // Runs to completion before it returns; throws Error when the kernel fails.
  virtual void launch(const Launch& launch) = 0;
  // The same for its results only: in no simulated time, counted nowhere. A device that neither simulates nor
  // counts need not tell the two apart.
  virtual void execute(const Launch& launch) { this->launch(launch); }

  // Conveniences for vectors.
  template <class T>
  DevicePtr upload(const std::vector<T>& values, std::string_view label) {
    const DevicePtr p = allocate(values.size() * sizeof(T), label);
    copy_in(p, values.data(), values.size() * sizeof(T));
    return p;
  }
  template <class T>
  std::vector<T> download(DevicePtr from, std::size_t count) {
    std::vector<T> values(count);
    copy_out(values.data(), from, count * sizeof(T));
    return values;
  }
};

}  // namespace heddle::workload
