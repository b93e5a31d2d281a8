// Keeps what a workload gives to its device, so that its launches can be repeated without its host program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/forwarding_device.h"

namespace heddle::workload {

class Recorder : public ForwardingDevice {
 public:
  enum class Kind : std::uint8_t { Launch, Copy, Fill };
  struct Step {
    Kind kind = Kind::Launch;
    Launch launch = {};
    DevicePtr to = DevicePtr::Null;
    std::uint64_t bytes = 0;
    std::uint8_t value = 0;            // of a fill
    std::vector<std::byte> data = {};  // of a copy
  };

  using ForwardingDevice::ForwardingDevice;

  // New memory is zero, and a program may rely on it.
  DevicePtr allocate(std::uint64_t bytes, std::string_view label) override {
    const DevicePtr p = to_.allocate(bytes, label);
    add(allocations_, Kind::Fill, p, bytes);
    add(steps_, Kind::Fill, p, bytes);
    return p;
  }
  void copy_in(DevicePtr to, const void* from, std::uint64_t bytes) override {
    const auto* data = static_cast<const std::byte*>(from);
    // A fill that no launch has seen, and none will see.
    while (const std::size_t i = hidden_fill(to, bytes))
      steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    add(steps_, Kind::Copy, to, bytes).data.assign(data, data + bytes);
    to_.copy_in(to, from, bytes);
  }
  void fill(DevicePtr to, std::uint8_t value, std::uint64_t bytes) override {
    add(steps_, Kind::Fill, to, bytes).value = value;
    to_.fill(to, value, bytes);
  }
  void launch(const Launch& launch) override {
    add(steps_, Kind::Launch, DevicePtr::Null, 0).launch = launch;
    to_.launch(launch);
  }
  void execute(const Launch& launch) override { this->launch(launch); }

  // Forgets copies of what nobody has changed since: the inputs.
  void forget_inputs() {
    std::vector<std::byte> now;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const Step& s = steps_[i];
      if (s.kind != Kind::Copy || overlaps(i)) continue;
      now.resize(s.bytes);
      to_.copy_out(now.data(), s.to, s.bytes);
      if (now == s.data) steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const std::vector<Step>& steps() const { return steps_; }

  // Of all memory: tells whether a repetition has left what the first run left.
  std::uint64_t fingerprint() {
    std::uint64_t hash = 0xcbf29ce484222325u;
    std::vector<std::uint64_t> words;
    for (const Step& a : allocations_) {
      words.assign(a.bytes / 8 + 1, 0);
      to_.copy_out(words.data(), a.to, a.bytes);
      for (const std::uint64_t w : words) hash = (hash ^ w) * 0x100000001b3u;
    }
    return hash;
  }

 private:
  static Step& add(std::vector<Step>& all, Kind kind, DevicePtr to, std::uint64_t bytes) {
    Step& s = all.emplace_back();
    s.kind = kind;
    s.to = to;
    s.bytes = bytes;
    return s;
  }
  static std::uint64_t first(const Step& s) { return static_cast<std::uint64_t>(s.to); }
  static std::uint64_t last(const Step& s) { return first(s) + s.bytes; }
  // Its place plus 1; 0: none.
  std::size_t hidden_fill(DevicePtr to, std::uint64_t bytes) const {
    Step whole;
    whole.to = to;
    whole.bytes = bytes;
    for (std::size_t i = steps_.size(); i > 0 && steps_[i - 1].kind != Kind::Launch; --i) {
      const Step& s = steps_[i - 1];
      if (s.kind == Kind::Fill && first(s) >= first(whole) && last(s) <= last(whole)) return i;
    }
    return 0;
  }
  // Whether another step writes there.
  bool overlaps(std::size_t i) const {
    for (std::size_t j = 0; j < steps_.size(); ++j)
      if (j != i && steps_[j].kind != Kind::Launch && first(steps_[j]) < last(steps_[i]) &&
          last(steps_[j]) > first(steps_[i]))
        return true;
    return false;
  }

  std::vector<Step> steps_;
  std::vector<Step> allocations_;  // only where and how large
};

}  // namespace heddle::workload
