#include "interpose/loaded.h"

#include <fmt/format.h>

#include "interpose/driver.h"
#include "interpose/log.h"

namespace heddle::interpose {
namespace {

constexpr const char* kUnseen = "its module was loaded in a way that cannot be seen from outside the driver";

}  // namespace

LoadedCode& LoadedCode::get() {
  static LoadedCode* const all = new LoadedCode;  // for calls while the program ends
  return *all;
}

void LoadedCode::add_module(CUmodule module, ImagePtr image) {
  const std::lock_guard guard(lock_);
  modules_[module] = std::move(image);
}

void LoadedCode::add_library(CUlibrary library, ImagePtr image) {
  const std::lock_guard guard(lock_);
  libraries_[library] = std::move(image);
}

void LoadedCode::remove_module(CUmodule module) {
  const std::lock_guard guard(lock_);
  modules_.erase(module);
}

void LoadedCode::remove_library(CUlibrary library) {
  const std::lock_guard guard(lock_);
  libraries_.erase(library);
}

ImagePtr LoadedCode::image(CUmodule module) const {
  const std::lock_guard guard(lock_);
  const auto at = modules_.find(module);
  return at != modules_.end() ? at->second : nullptr;
}

ImagePtr LoadedCode::image(CUlibrary library) const {
  const std::lock_guard guard(lock_);
  const auto at = libraries_.find(library);
  return at != libraries_.end() ? at->second : nullptr;
}

KernelHandle LoadedCode::planned(const ImagePtr& image, const std::string& name) {
  KernelHandle k;
  k.name = name;
  if (image == nullptr) {
    k.reason = kUnseen;
    return k;
  }
  k.reason = image->reason;
  const auto at = image->kernels.find(name);
  if (at == image->kernels.end()) {
    if (k.reason.empty() && image->rewritten) k.reason = "its module's PTX has no kernel of this name";
    return k;
  }
  if (k.reason.empty()) k.reason = at->second.reason;
  k.parameters = at->second.parameters;
  k.parameter_bytes = at->second.parameter_bytes;
  return k;
}

KernelPtr LoadedCode::known(const void* handle) const {
  const std::lock_guard guard(lock_);
  const auto at = kernels_.find(handle);
  return at != kernels_.end() ? at->second : nullptr;
}

void LoadedCode::keep(const void* handle, KernelPtr kernel) {
  const std::lock_guard guard(lock_);
  kernels_[handle] = std::move(kernel);
}

void LoadedCode::add_function(CUfunction function, CUmodule module, const std::string& name) {
  const ImagePtr from = image(module);
  KernelHandle k = planned(from, name);
  if (from != nullptr && from->rewritten && k.reason.empty()) {
    const CUresult code =
        call(driver().cuModuleGetFunction, &k.rewritten, module, from->kernels.at(name).rewritten.c_str());
    if (code != kSuccess) {
      k.rewritten = nullptr;
      k.reason = fmt::format("the driver does not find it rewritten: {}", name_of(code));
    }
  }
  keep(function, std::make_shared<const KernelHandle>(std::move(k)));
}

void LoadedCode::add_kernel(CUkernel kernel, CUlibrary library, const std::string& name) {
  const ImagePtr from = image(library);
  KernelHandle k = planned(from, name);
  k.of_library = true;
  if (from != nullptr && from->rewritten && k.reason.empty()) {
    CUkernel rewritten = nullptr;
    const CUresult code =
        call(driver().cuLibraryGetKernel, &rewritten, library, from->kernels.at(name).rewritten.c_str());
    if (code == kSuccess)
      k.rewritten = reinterpret_cast<CUfunction>(rewritten);
    else
      k.reason = fmt::format("the driver does not find it rewritten: {}", name_of(code));
  }
  keep(kernel, std::make_shared<const KernelHandle>(std::move(k)));
}

void LoadedCode::add_function_of(CUfunction function, CUkernel kernel) {
  if (KernelPtr k = known(kernel)) keep(function, std::move(k));
}

void LoadedCode::set_aside(const void* handle, const std::string& reason) {
  const KernelPtr k = known(handle);
  if (k == nullptr) return;
  KernelHandle aside = *k;
  aside.rewritten = nullptr;
  aside.reason = reason;
  keep(handle, std::make_shared<const KernelHandle>(std::move(aside)));
}

KernelPtr LoadedCode::find(CUfunction function) {
  if (KernelPtr k = known(function)) return k;
  const char* name = nullptr;
  CUmodule module = nullptr;
  if (call(driver().cuFuncGetName, &name, function) != kSuccess || name == nullptr) name = "?";
  log("a launch of '{}', whose handle {} is new", name, static_cast<const void*>(function));
  if (call(driver().cuFuncGetModule, &module, function) == kSuccess && image(module) != nullptr) {
    add_function(function, module, name);
  } else {
    KernelHandle k;
    k.name = name;
    k.reason = kUnseen;
    keep(function, std::make_shared<const KernelHandle>(std::move(k)));
  }
  return known(function);
}

}  // namespace heddle::interpose
