// The device code of a program: its fat binaries, and which kernel or variable a pointer of the host means.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/simulator.h"
#include "runtime/session/abi.h"
#include "runtime/session/failure.h"

namespace heddle::runtime {

// One fat binary, or PTX that the program loads itself. Loaded when something of it is first used.
struct DeviceModule {
  std::optional<FatBinaryWrapper> unread;  // Modules::read() has not filled the rest from it yet
  std::string name;                        // for messages
  std::string ptx;                         // empty: there is none, `problem` says why
  std::string problem;
  cudaError_t problem_code = cudaErrorNoKernelImageForDevice;
  std::uint32_t architecture = 0;                  // of the PTX: 75
  std::map<std::string, std::uint32_t> registers;  // per thread, from machine code where there is some
  bool loaded = false;
  std::uint32_t number = 0;  // in the simulator, when loaded
  void* handle = nullptr;    // what __cudaRegisterFatBinary returned points here
  struct Managed {
    void** host;
    std::string name;
  };
  std::vector<Managed> managed;  // variables whose address the host waits for
};

struct Kernel {
  DeviceModule* module = nullptr;
  std::string name;
  int dynamic_shared = 0;  // most that a launch may ask for, as set by the program; 0: the usual limit
  int carveout = -1;
};

struct DeviceVariable {
  DeviceModule* module = nullptr;
  std::string name;
};

class Modules {
 public:
  // Compilers' code calls these before main(). They only note what they are given, and free nothing: a heap
  // on which work has been done hands out used memory, and there are programs that rely on their first
  // malloc() being zero.
  DeviceModule& add_fatbin(const FatBinaryWrapper& wrapper);
  DeviceModule& add_text(std::string ptx, std::string name);
  void add_kernel(DeviceModule& module, const void* host, std::string name);
  void add_variable(DeviceModule& module, const void* host, std::string name);
  // The program takes the fat binary away.
  void forget(DeviceModule& module);

  // The container's directory and the PTX, once. Never fails: what is wrong is told when it is used.
  void read(DeviceModule& module);
  // Throw Failure when there is none.
  Kernel& kernel(const void* host_or_handle, cudaError_t otherwise = cudaErrorInvalidDeviceFunction);
  const DeviceVariable& variable(const void* host) const;
  // Of a module by name; nullptr: it has none.
  Kernel* kernel_named(DeviceModule& module, const std::string& name, Simulator& simulator);

  // Gives the module's variables their places. Throws Failure.
  void load(DeviceModule& module, Simulator& simulator);
  // Address and size. Throws Failure.
  Address address(const DeviceVariable& variable, Simulator& simulator, std::uint64_t* bytes);
  Address address(DeviceModule& module, const std::string& name, Simulator& simulator, std::uint64_t* bytes);

  // Which PTX to take where there are several; 0: the usual. Before the first read().
  void want(std::uint32_t architecture) { wanted_ = architecture; }
  // The highest architecture that the program's PTX asks for; 0: it has none.
  std::uint32_t architecture();
  // After cudaDeviceReset: nothing is loaded any more.
  void unload_all();

 private:
  std::uint32_t wanted_ = 0;
  std::list<DeviceModule> modules_;
  std::list<Kernel> kernels_;
  std::map<const void*, Kernel*> by_host_;  // handles, too
  std::map<const void*, DeviceVariable> variables_;
};

}  // namespace heddle::runtime
