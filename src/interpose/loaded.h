// The device code that a program has loaded: which handle of the driver means which kernel, and what is
// launched instead.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "interpose/abi.h"
#include "interpose/rewriting.h"

namespace heddle::interpose {

// An image as it was loaded.
struct LoadedImage {
  std::map<std::string, KernelPlan> kernels;
  std::string reason;  // why no kernel of it is rewritten; empty: each has its own
  bool rewritten = false;
};
using ImagePtr = std::shared_ptr<LoadedImage>;

// A kernel of a program, by one of its handles.
struct KernelHandle {
  std::string name;
  CUfunction rewritten = nullptr;  // a function, or a kernel of a library cast to one; null: see `reason`
  bool of_library = false;         // the latter
  std::string reason;
  std::uint32_t parameters = 0, parameter_bytes = 0;
};
using KernelPtr = std::shared_ptr<const KernelHandle>;

class LoadedCode {
 public:
  static LoadedCode& get();

  void add_module(CUmodule module, ImagePtr image);
  void add_library(CUlibrary library, ImagePtr image);
  void remove_module(CUmodule module);
  void remove_library(CUlibrary library);
  // Null: loaded in a way that this library does not see.
  ImagePtr image(CUmodule module) const;
  ImagePtr image(CUlibrary library) const;

  // Of both the name is known; the rewritten one, if there is one, is looked up.
  void add_function(CUfunction function, CUmodule module, const std::string& name);
  void add_kernel(CUkernel kernel, CUlibrary library, const std::string& name);
  void add_function_of(CUfunction function, CUkernel kernel);
  // `set_aside`: from now on launches of it are left as they are.
  void set_aside(const void* handle, const std::string& reason);

  // Of a function, or of a kernel cast to one. What came by another way is looked up by its name.
  KernelPtr find(CUfunction function);

 private:
  KernelPtr known(const void* handle) const;
  void keep(const void* handle, KernelPtr kernel);
  static KernelHandle planned(const ImagePtr& image, const std::string& name);

  mutable std::mutex lock_;
  std::unordered_map<CUmodule, ImagePtr> modules_;
  std::unordered_map<CUlibrary, ImagePtr> libraries_;
  std::unordered_map<const void*, KernelPtr> kernels_;
};

}  // namespace heddle::interpose
