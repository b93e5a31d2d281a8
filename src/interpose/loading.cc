// Device code as it is loaded: in its place the same with rewritten kernels beside the others, if the driver
// takes that.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "interpose/entry.h"
#include "interpose/image.h"
#include "interpose/loaded.h"

namespace heddle::interpose {
namespace {

// What is loaded instead of an image; empty: the image.
struct Replacement {
  ImagePtr image = std::make_shared<LoadedImage>();
  std::string text;
};

void plan(const void* data, Replacement& r) {
  const Options& options = Session::get().options();
  const CUdevice device = current_device();
  const auto architecture =
      static_cast<std::uint32_t>(10 * device_attribute(attribute::kCapabilityMajor, device) +
                                 device_attribute(attribute::kCapabilityMinor, device));
  ImagePtx ptx = read_image(data, architecture);
  if (ptx.text.empty()) {
    r.image->reason = ptx.reason;
  } else if (options.mode == Mode::Recompiled) {
    r.text = std::move(ptx.text);
  } else {
    RewrittenModule module = rewrite(
        ptx.text, ptx.name.empty() ? "a module" : ptx.name, options,
        static_cast<std::uint32_t>(std::max(1, device_attribute(attribute::kMultiprocessors, device))));
    r.image->kernels = std::move(module.kernels);
    r.text = std::move(module.text);
    r.image->rewritten = !r.text.empty();
  }
}

Replacement replacement_of(const void* data) {
  Replacement r;
  if (Session::get().options().mode == Mode::Plain) return r;
  try {
    plan(data, r);
  } catch (const std::exception& e) {
    r = {};
    const auto* const error = dynamic_cast<const Error*>(&e);
    r.image->reason =
        fmt::format("its PTX cannot be read: {}", error != nullptr ? error->message() : e.what());
  }
  for (const auto& [name, k] : r.image->kernels)
    log("{}: {}", name, k.rewritten.empty() ? k.reason : "rewritten");
  return r;
}

// Options of the driver's compiler as the program gives them, with a place for error messages. Values that
// the compiler writes go back only when the result is used.
class JitOptions {
 public:
  JitOptions(unsigned count, const int* names, void** values)
      : own_(values), given_(count), names_(names, names + count), values_(values, values + count) {
    if (std::find(names_.begin(), names_.end(), kJitErrorLog) != names_.end()) return;
    names_.insert(names_.end(), {kJitErrorLog, kJitErrorLogBytes});
    values_.push_back(log_);
    values_.push_back(reinterpret_cast<void*>(sizeof log_ - 1));
  }
  unsigned count() const { return static_cast<unsigned>(names_.size()); }
  int* names() { return names_.data(); }
  void** values() { return values_.data(); }
  void use() const { std::copy_n(values_.begin(), given_, own_); }
  // The first line of what the compiler says.
  std::string message() const { return std::string(log_, std::strcspn(log_, "\n")); }

 private:
  void** own_;
  std::size_t given_;
  std::vector<int> names_;
  std::vector<void*> values_;
  char log_[4096] = {};
};

void refused(Replacement& r, CUresult code, const std::string& message) {
  r.image->reason = fmt::format("the driver does not take its PTX: {}{}{}", name_of(code),
                                message.empty() ? "" : ", ", message);
  r.image->rewritten = false;
  Session::get().note(r.image->reason);
  if (log_wanted()) write_log(r.text);
}

// `original`: loads the program's image.
template <class F>
CUresult load_module(CUmodule* module, const void* data, unsigned count, const int* names, void** values,
                     F&& original) {
  if (!watching() || module == nullptr) return original();
  Replacement r = replacement_of(data);
  CUresult code = kInvalidValue;
  if (!r.text.empty()) {
    JitOptions options(count, names, values);
    code = call(driver().cuModuleLoadDataEx, module, r.text.c_str(), options.count(), options.names(),
                options.values());
    if (code == kSuccess)
      options.use();
    else
      refused(r, code, options.message());
  }
  if (code != kSuccess) code = original();
  if (code == kSuccess) LoadedCode::get().add_module(*module, r.image);
  return code;
}

// A library is compiled when a context first needs it, which is too late to take another one.
CUresult compile_now(CUlibrary library, const LoadedImage& image) {
  CUcontext own = nullptr;
  if (current_context() == nullptr) {
    // It stays retained: releasing it could end it, with all that is compiled now.
    const CUresult code = call(driver().cuDevicePrimaryCtxRetain, &own, current_device());
    if (code != kSuccess) return code;
    call(driver().cuCtxPushCurrent_v2, own);
  }
  CUresult code = kSuccess;
  for (const auto& [name, plan] : image.kernels) {
    if (plan.rewritten.empty()) continue;
    CUkernel kernel = nullptr;
    CUfunction function = nullptr;
    code = call(driver().cuLibraryGetKernel, &kernel, library, plan.rewritten.c_str());
    if (code == kSuccess) code = call(driver().cuKernelGetFunction, &function, kernel);
    if (code == kSuccess && driver().cuFuncLoad != nullptr) code = driver().cuFuncLoad(function);
    if (code != kSuccess) break;
  }
  if (own != nullptr) call(driver().cuCtxPopCurrent_v2, &own);
  return code;
}

struct LibraryOptions {
  int* names;
  void** values;
  unsigned count;
};

template <class F>
CUresult load_library(CUlibrary* library, const void* data, unsigned count, const int* names, void** values,
                      const LibraryOptions& other, F&& original) {
  if (!watching() || library == nullptr) return original();
  Replacement r = replacement_of(data);
  CUresult code = kInvalidValue;
  if (!r.text.empty()) {
    // For ever: a library is compiled again, with these options, for every context that comes to need it, and
    // the program may have promised that its image stays where it is.
    auto& options = *new JitOptions(count, names, values);
    const char* const text = strdup(r.text.c_str());
    const auto load = [&](unsigned options_count) {
      return call(driver().cuLibraryLoadData, library, text, options.names(), options.values(), options_count,
                  other.names, other.values, other.count);
    };
    code = load(options.count());
    if (code == kInvalidValue) code = load(count);  // without a place for messages
    const bool loaded = code == kSuccess;
    if (loaded) code = compile_now(*library, *r.image);
    if (code == kSuccess)
      options.use();
    else
      refused(r, code, options.message());
    if (code != kSuccess && loaded) call(driver().cuLibraryUnload, *library);
  }
  if (code != kSuccess) code = original();
  if (code == kSuccess) LoadedCode::get().add_library(*library, r.image);
  return code;
}

// Empty: it cannot be read, and the driver will say so.
std::string contents(const char* path) {
  try {
    return path != nullptr && watching() ? read_file(path) : std::string();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

HEDDLE_INTERPOSED CUresult cuModuleLoad(CUmodule* module, const char* path) {
  const std::string data = contents(path);
  return load_module(module, data.c_str(), 0, nullptr, nullptr,
                     [&] { return call(driver().cuModuleLoad, module, path); });
}
HEDDLE_INTERPOSED CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return load_module(module, image, 0, nullptr, nullptr,
                     [&] { return call(driver().cuModuleLoadData, module, image); });
}
HEDDLE_INTERPOSED CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, int* names,
                                              void** values) {
  return load_module(module, image, count, names, values,
                     [&] { return call(driver().cuModuleLoadDataEx, module, image, count, names, values); });
}
HEDDLE_INTERPOSED CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return load_module(module, image, 0, nullptr, nullptr,
                     [&] { return call(driver().cuModuleLoadFatBinary, module, image); });
}
HEDDLE_INTERPOSED CUresult cuModuleUnload(CUmodule module) {
  if (watching()) LoadedCode::get().remove_module(module);
  return call(driver().cuModuleUnload, module);
}
HEDDLE_INTERPOSED CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const CUresult code = call(driver().cuModuleGetFunction, function, module, name);
  if (code == kSuccess && watching())
    quietly([&] { LoadedCode::get().add_function(*function, module, name); });
  return code;
}

HEDDLE_INTERPOSED CUresult cuLibraryLoadData(CUlibrary* library, const void* image, int* names, void** values,
                                             unsigned count, int* other_names, void** other_values,
                                             unsigned other_count) {
  return load_library(library, image, count, names, values, {other_names, other_values, other_count}, [&] {
    return call(driver().cuLibraryLoadData, library, image, names, values, count, other_names, other_values,
                other_count);
  });
}
HEDDLE_INTERPOSED CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, int* names,
                                                 void** values, unsigned count, int* other_names,
                                                 void** other_values, unsigned other_count) {
  const std::string data = contents(path);
  return load_library(library, data.c_str(), count, names, values, {other_names, other_values, other_count},
                      [&] {
                        return call(driver().cuLibraryLoadFromFile, library, path, names, values, count,
                                    other_names, other_values, other_count);
                      });
}
HEDDLE_INTERPOSED CUresult cuLibraryUnload(CUlibrary library) {
  if (watching()) LoadedCode::get().remove_library(library);
  return call(driver().cuLibraryUnload, library);
}
HEDDLE_INTERPOSED CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  const CUresult code = call(driver().cuLibraryGetKernel, kernel, library, name);
  if (code == kSuccess && watching()) quietly([&] { LoadedCode::get().add_kernel(*kernel, library, name); });
  return code;
}
HEDDLE_INTERPOSED CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  const CUresult code = call(driver().cuLibraryGetModule, module, library);
  if (code == kSuccess && watching()) {
    if (ImagePtr image = LoadedCode::get().image(library)) LoadedCode::get().add_module(*module, image);
  }
  return code;
}
HEDDLE_INTERPOSED CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  const CUresult code = call(driver().cuKernelGetFunction, function, kernel);
  if (code == kSuccess && watching()) quietly([&] { LoadedCode::get().add_function_of(*function, kernel); });
  return code;
}

}  // namespace heddle::interpose
