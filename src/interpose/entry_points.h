// Which functions of the driver this library has functions of its own for.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::interpose {

struct EntryPoint {
  const char* exported;  // as libcuda.so.1 exports it: "cuMemcpyDtoH_v2_ptds"
  const char* name;      // as cuGetProcAddress knows it: "cuMemcpyDtoH"
  int version;           // of CUDA in which it got this form
  enum class Streams : std::uint8_t { Any, Legacy, PerThread } streams;
  void* function;
};

// Null: there is none.
const EntryPoint* find_exported(std::string_view name);
// `flags`: of cuGetProcAddress.
const EntryPoint* find_by_flags(std::string_view name, std::uint64_t flags, int version);

// The driver, too, looks functions up; while one of these lives, the calling thread finds its own.
class DriverLooksUp {
 public:
  DriverLooksUp() { ++depth(); }
  ~DriverLooksUp() { --depth(); }
  DriverLooksUp(const DriverLooksUp&) = delete;
  DriverLooksUp& operator=(const DriverLooksUp&) = delete;
  static bool now() { return depth() != 0; }

 private:
  static int& depth();
};

}  // namespace heddle::interpose
