// A device that hands everything on to another one: the base of those that look at or change one thing.
#pragma once

#include "workload/device.h"

namespace heddle::workload {

class ForwardingDevice : public Device {
 public:
  explicit ForwardingDevice(Device& to) : to_(to) {}

  DevicePtr allocate(std::uint64_t bytes, std::string_view label) override {
    return to_.allocate(bytes, label);
  }
  void release(DevicePtr p) override { to_.release(p); }
  void copy_in(DevicePtr to, const void* from, std::uint64_t bytes) override { to_.copy_in(to, from, bytes); }
  void copy_out(void* to, DevicePtr from, std::uint64_t bytes) override { to_.copy_out(to, from, bytes); }
  void fill(DevicePtr to, std::uint8_t value, std::uint64_t bytes) override { to_.fill(to, value, bytes); }
  void load_module(std::string_view ptx_text, std::string_view file) override {
    to_.load_module(ptx_text, file);
  }
  DevicePtr symbol(std::string_view name, std::uint64_t* bytes = nullptr) override {
    return to_.symbol(name, bytes);
  }
  std::uint64_t texture(const TextureView& view) override { return to_.texture(view); }
  void launch(const Launch& launch) override { to_.launch(launch); }
  void execute(const Launch& launch) override { to_.execute(launch); }

 protected:
  Device& to_;
};

}  // namespace heddle::workload
