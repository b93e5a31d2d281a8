#include "card/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace heddle::card {
namespace {

constexpr const char* kWithout = "Without --on-device the simulator predicts what a card would do.";

const char* advice(CUresult code) {
  switch (code) {
    case kOutOfMemory:
      return "Is another program using the card (nvidia-smi)? A smaller --scale needs less memory; "
             "--repeat 1 keeps no copy of it.";
    case 3:    // NOT_INITIALIZED
    case 46:   // DEVICE_UNAVAILABLE
    case 802:  // SYSTEM_NOT_READY
    case 803:  // SYSTEM_DRIVER_MISMATCH
    case 999:  // UNKNOWN
      return "Does nvidia-smi show the card, and is it free?";
    case 209:  // NO_BINARY_FOR_GPU
    case 218:  // INVALID_PTX
    case 222:  // UNSUPPORTED_PTX_VERSION
      return "The driver's compiler does not take this PTX: is the driver older than CUDA 11, or the card "
             "older than the PTX's .target?";
    case 1:    // INVALID_VALUE
    case 701:  // LAUNCH_OUT_OF_RESOURCES
      return "Does the launch ask for more threads, registers or shared memory than the card has?";
    case 700:  // ILLEGAL_ADDRESS
    case 716:  // MISALIGNED_ADDRESS
    case 719:  // LAUNCH_FAILED
      return "The kernel failed on the card; heddle run checks every access of it in the simulator.";
    default:
      return "CUDA's manual explains it under this name.";
  }
}

}  // namespace

void throw_failed(const char* call, CUresult code, NameOfError names) {
  const char* name = nullptr;
  if (names != nullptr) names(code, &name);
  throw Error(
      fmt::format("{} fails: {}", call, name != nullptr ? std::string(name) : fmt::format("error {}", code)),
      advice(code));
}

Driver::Driver() {
  const char* const other = std::getenv(kVariable);
  const std::string file = other != nullptr && *other != '\0' ? other : "libcuda.so.1";
  // Never closed: drivers do not like to be.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw NoCard(fmt::format("this machine has no CUDA driver ({})", file), kWithout);
  find_functions(library, file);
  choose_device();
}

void Driver::find_functions(void* library, const std::string& file) {
  const auto names = reinterpret_cast<NameOfError>(dlsym(library, "cuGetErrorName"));
  const auto find = [&](auto& function) {
    void* const address = dlsym(library, function.name());
    if (address == nullptr)
      throw NoCard(fmt::format("the CUDA driver of this machine ({}) has no {}", file, function.name()),
                   "It is older than CUDA 11; update it.");
    function.set(address, names);
  };
#define HEDDLE_CARD_FIND(name, ...) find(name);
  HEDDLE_CARD_FUNCTIONS(HEDDLE_CARD_FIND)
#undef HEDDLE_CARD_FIND
}

void Driver::choose_device() {
  int devices = 0;
  const CUresult started = cuInit.code(0);
  if (started == kNoDevice) throw NoCard("this machine has no CUDA device", kWithout);
  try {
    if (started != kSuccess) cuInit(0);
    cuDeviceGetCount(&devices);
  } catch (const Error& e) {
    throw NoCard("the CUDA driver of this machine cannot be used: " + e.message(), e.advice());
  }
  if (devices == 0)
    throw NoCard("this machine has no CUDA device",
                 fmt::format("Is CUDA_VISIBLE_DEVICES empty? {}", kWithout));
  cuDeviceGet(&device_, 0);
  char name[256] = {};
  cuDeviceGetName(name, static_cast<int>(sizeof name) - 1, device_);
  info_.name = name;
  info_.sms = static_cast<std::uint32_t>(attribute_of(attribute::kMultiprocessors));
  info_.l2_bytes = static_cast<std::uint64_t>(std::max(0, attribute_of(attribute::kL2Bytes)));
  info_.capability = static_cast<std::uint32_t>(10 * attribute_of(attribute::kCapabilityMajor) +
                                                attribute_of(attribute::kCapabilityMinor));
}

int Driver::attribute_of(int number) const {
  int value = 0;
  cuDeviceGetAttribute(&value, number, device_);
  return value;
}

}  // namespace heddle::card
