// What the mixed kernels have in common: arrays on both sides, inputs, checks.
#pragma once

#include <memory>

#include "bench.h"

namespace energy {

// The same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint32_t word() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(word()) * n) >> 32);
  }
  float real() { return static_cast<float>(word() >> 8) * 0x1p-24f; }  // [0, 1)

 private:
  std::uint64_t state_;
};

template <class T>
class Array {
 public:
  explicit Array(std::size_t n) : host(n), data_(allocate(n)) {}
  template <class Make>
  Array(std::size_t n, Make make) : host(n), data_(allocate(n)) {
    for (std::size_t i = 0; i < n; ++i) host[i] = make(i);
    check(cudaMemcpy(device(), host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copy to the card");
  }
  T* device() const { return data_.get(); }
  const std::vector<T>& fetch() {
    check(cudaMemcpy(host.data(), device(), host.size() * sizeof(T), cudaMemcpyDeviceToHost),
          "copy from the card");
    return host;
  }
  std::vector<T> host;

 private:
  static std::shared_ptr<T> allocate(std::size_t n) {
    void* p = nullptr;
    check(cudaMalloc(&p, n * sizeof(T)), "memory");
    return std::shared_ptr<T>(static_cast<T*>(p), [](T* q) { cudaFree(q); });
  }
  std::shared_ptr<T> data_;
};

template <class T, class... Arguments>
std::shared_ptr<Array<T>> array(std::size_t n, Arguments... arguments) {
  return std::make_shared<Array<T>>(n, arguments...);
}
inline std::shared_ptr<Array<float>> reals(std::size_t n, std::uint64_t seed, float from = 0,
                                           float until = 1) {
  Random random(seed);
  return array<float>(n, [&](std::size_t) { return from + (until - from) * random.real(); });
}

// Compares some 1,000 of the n results with what `want` makes of their places. Empty: right.
template <class T, class Want>
std::string compare(Array<T>& got, std::size_t n, double tolerance, Want want) {
  got.fetch();
  const std::size_t step = std::max<std::size_t>(1, n / 997);
  for (std::size_t i = 0; i < n; i += step) {
    const double w = static_cast<double>(want(i)), g = static_cast<double>(got.host[i]);
    if (!(std::fabs(g - w) <= tolerance * std::fmax(1, std::fabs(w))))
      return "at " + std::to_string(i) + ": " + std::to_string(g) + ", not " + std::to_string(w);
  }
  return "";
}

template <class Launch, class Verify>
Case sequence(Launch launch, Verify verify) {
  Case c;
  c.launch = [launch](int) { launch(); };
  c.verify = verify;
  return c;
}

}  // namespace energy
