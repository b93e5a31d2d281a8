#include "card/card_device.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "ptx/parse/parse_module.h"

namespace heddle::card {
namespace {

using workload::DevicePtr;
using workload::Launch;

CUdeviceptr address(DevicePtr p) {
  return static_cast<CUdeviceptr>(p);
}

}  // namespace

// What is asked of the card meanwhile is done in the end.
class CardDevice::Turn {
 public:
  explicit Turn(CardDevice& device) : device_(device) { device_.turns_.begin(); }
  ~Turn() {
    device_.driver_.cuCtxSynchronize.code();  // an error comes again with the next call
    device_.turns_.end();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  CardDevice& device_;
};

CardDevice::CardDevice(const Driver& driver, const CardOptions& options,
                       std::unique_ptr<workload::LaunchRewriter> rewriter, ReadsOf reads)
    : driver_(driver),
      options_(options),
      rewriter_(std::move(rewriter)),
      reads_(std::move(reads)),
      memory_(driver) {
  CUcontext context = nullptr;
  driver_.cuDevicePrimaryCtxRetain(&context, driver_.device());
  driver_.cuCtxSetCurrent(context);
  driver_.cuEventCreate(&begin_, 0);
  driver_.cuEventCreate(&end_, 0);
}

// A reset frees everything, also after a kernel that has failed, when no other call works.
CardDevice::~CardDevice() {
  driver_.cuCtxSetCurrent.code(nullptr);
  driver_.cuDevicePrimaryCtxReset_v2.code(driver_.device());
  driver_.cuDevicePrimaryCtxRelease_v2.code(driver_.device());
}

// ---- memory -----------------------------------------------------------------------------------------------

DevicePtr CardDevice::allocate(std::uint64_t bytes, std::string_view label) {
  const Turn turn(*this);
  CUdeviceptr at = 0;
  const std::uint64_t some = std::max<std::uint64_t>(bytes, 1);  // the driver refuses none
  try {
    driver_.cuMemAlloc_v2(&at, some);
  } catch (const Error& e) {
    throw Error(fmt::format("{} bytes for '{}': {}", bytes, label, e.message()), e.advice());
  }
  memory_.add(at, some);
  driver_.cuMemsetD8Async(at, 0, some, nullptr);
  return DevicePtr{at};
}

void CardDevice::release(DevicePtr p) {
  if (p == DevicePtr::Null) return;
  memory_.remove(address(p));
  driver_.cuMemFree_v2(address(p));
}

void CardDevice::copy_in(DevicePtr to, const void* from, std::uint64_t bytes) {
  const Turn turn(*this);
  if (bytes != 0) driver_.cuMemcpyHtoD_v2(address(to), from, bytes);
}

void CardDevice::copy_out(void* to, DevicePtr from, std::uint64_t bytes) {
  const Turn turn(*this);
  if (bytes != 0) driver_.cuMemcpyDtoH_v2(to, address(from), bytes);
}

void CardDevice::fill(DevicePtr to, std::uint8_t value, std::uint64_t bytes) {
  const Turn turn(*this);
  if (bytes != 0) driver_.cuMemsetD8Async(address(to), value, bytes, nullptr);
}

// ---- modules ----------------------------------------------------------------------------------------------

void CardDevice::load_module(std::string_view ptx_text, std::string_view file) {
  const std::string text = rewriter_ != nullptr ? rewriter_->module(ptx_text, file) : std::string(ptx_text);
  std::array<char, 8192> log{};
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUmodule module = nullptr;
  try {
    driver_.cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
  } catch (const Error& e) {
    const std::string said(trim(log.data()));
    throw Error(fmt::format("{}: {}{}{}", file, e.message(), said.empty() ? "" : "\n", visible(said, true)),
                e.advice());
  }
  modules_.push_back(module);
  note_variables(module, text, file);
}

// Kernels may write variables in .global, so that they are part of what is restored. One that the driver does
// not tell (it has no linkage) is left alone: compilers keep constant texts in such.
void CardDevice::note_variables(CUmodule module, const std::string& text, std::string_view file) {
  std::vector<ptx::Unsupported> ignored;
  const ptx::Module parsed = ptx::parse_module(text, std::string(file), {}, &ignored);
  for (const ptx::Variable& v : parsed.variables) {
    if (v.space != ptx::Space::Global || v.external || v.texture) continue;
    CUdeviceptr at = 0;
    std::size_t bytes = 0;
    if (driver_.cuModuleGetGlobal_v2.code(&at, &bytes, module, v.name.c_str()) == kSuccess)
      memory_.add(at, bytes);
  }
}

DevicePtr CardDevice::symbol(std::string_view name, std::uint64_t* bytes) {
  const std::string terminated(name);
  for (const CUmodule module : modules_) {
    CUdeviceptr at = 0;
    std::size_t size = 0;
    if (driver_.cuModuleGetGlobal_v2.code(&at, &size, module, terminated.c_str()) != kSuccess) continue;
    if (bytes != nullptr) *bytes = size;
    return DevicePtr{at};
  }
  throw Error(fmt::format("no loaded module has a variable '{}'", name));
}

CUfunction CardDevice::find_function(const Launch& launch) {
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (launch.module != Launch::kAnyModule && launch.module != i) continue;
    CUfunction found = nullptr;
    const CUresult code = driver_.cuModuleGetFunction.code(&found, modules_[i], launch.kernel.c_str());
    if (code == kSuccess) return found;
    if (code != kNotFound) driver_.cuModuleGetFunction(&found, modules_[i], launch.kernel.c_str());
  }
  return nullptr;
}

CUfunction CardDevice::function(const Launch& launch) {
  CUfunction& f = functions_[{launch.module, launch.kernel}];
  if (f == nullptr) f = find_function(launch);
  if (f == nullptr) throw Error(fmt::format("no loaded module has a kernel '{}'", launch.kernel));
  return f;
}

// ---- launches ---------------------------------------------------------------------------------------------

std::uint32_t CardDevice::ctas_per_sm(const Launch& launch) {
  const CUfunction f = function(launch);
  const auto shared = static_cast<int>(launch.dynamic_shared);
  // More than a function may have is no error of those who ask: nothing fits.
  if (shared != 0 && driver_.cuFuncSetAttribute.code(f, attribute::kMaxDynamicShared, shared) != kSuccess)
    return 0;
  int ctas = 0;
  driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, f, static_cast<int>(launch.block.count()),
                                                      launch.dynamic_shared);
  return static_cast<std::uint32_t>(std::max(ctas, 0));
}

DevicePtr CardDevice::counters(std::uint64_t bytes) {
  if (counters_ == DevicePtr::Null) counters_ = allocate(bytes, "counters of rewritten kernels");
  return counters_;
}

workload::CtaReads CardDevice::reads(const Launch& launch) {
  return reads_ ? reads_(launch) : LaunchSite::reads(launch);
}

DevicePtr CardDevice::constants(std::span<const std::byte> bytes) {
  const DevicePtr at = allocate(bytes.size(), "tables of rewritten kernels");
  copy_in(at, bytes.data(), bytes.size());
  return at;
}

void CardDevice::start(const Launch& launch) {
  const CUfunction f = function(launch);
  const auto shared = static_cast<int>(launch.dynamic_shared);
  if (shared != 0) driver_.cuFuncSetAttribute(f, attribute::kMaxDynamicShared, shared);
  const std::vector<std::byte>& block = launch.args.block();
  std::size_t bytes = block.size();
  void* packed[] = {kParamBuffer, const_cast<std::byte*>(block.data()), kParamBytes, &bytes, kParamEnd};
  driver_.cuLaunchKernel(f, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                         launch.block.z, launch.dynamic_shared, nullptr, nullptr,
                         bytes != 0 ? packed : nullptr);
}

double CardDevice::timed_once(const Launch& launch) {
  driver_.cuEventRecord(begin_, nullptr);
  start(launch);
  driver_.cuEventRecord(end_, nullptr);
  driver_.cuEventSynchronize(end_);
  float milliseconds = 0;
  driver_.cuEventElapsedTime(&milliseconds, begin_, end_);
  return 1000.0 * static_cast<double>(milliseconds);
}

LaunchTimes CardDevice::timed(const Launch& launch) {
  LaunchTimes times;
  if (options_.repeat <= 1) return {{timed_once(launch)}};
  memory_.save();
  for (std::uint32_t i = 0; i < options_.warm_up + options_.repeat; ++i) {
    memory_.restore();
    const double microseconds = timed_once(launch);
    if (i >= options_.warm_up) times.microseconds.push_back(microseconds);
  }
  return times;
}

KernelTimes& CardDevice::times_of(const Launch& launch) {
  const auto known = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const KernelTimes& k) { return k.kernel == launch.kernel; });
  if (known != kernels_.end()) return *known;
  KernelTimes& k = kernels_.emplace_back();
  k.kernel = launch.kernel;
  k.first = launch;
  return k;
}

void CardDevice::run(const Launch& launch, bool counted) {
  try {
    const std::optional<workload::InsteadOf> other =
        rewriter_ != nullptr ? rewriter_->launch(launch, *this) : std::nullopt;
    const Launch& made = other ? other->launch : launch;
    const Turn turn(*this);
    KernelTimes* const k = counted ? &times_of(launch) : nullptr;
    if (k != nullptr) {
      k->rewritten += other && other->rewritten ? 1 : 0;
      if (k->launches++ == 0) k->ctas_per_sm = ctas_per_sm(made);
    }
    if (k != nullptr && k->timed.size() < options_.timed_launches) {
      k->timed.push_back(timed(made));
      return;
    }
    start(made);
    driver_.cuCtxSynchronize();
  } catch (const Error& e) {
    throw Error(fmt::format("kernel '{}': {}", launch.kernel, e.message()), e.advice());
  }
}

}  // namespace heddle::card
