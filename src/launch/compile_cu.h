// A user's .cu file to PTX, by Debian's clang-19 and the headers in workloads/device; no CUDA toolkit needed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::launch {

struct CompileOptions {
  std::string arch = "sm_75";                   // --cuda-arch
  std::vector<std::string> defines;             // -D: "N=4" or "FAST"
  std::vector<std::filesystem::path> includes;  // -I, after the .cu's own folder
  std::string compiler = "clang++-19";          // a name on PATH, or a path
  std::filesystem::path cache;                  // empty: default_cache()
  std::filesystem::path headers;  // the device headers; empty: beside the program, or its sources
};

struct CompiledCu {
  std::string ptx;
  std::string command;   // as a person would type it
  std::string messages;  // warnings; empty when there are none or the result was in the cache
  bool from_cache = false;
};

// XDG_CACHE_HOME/heddle, else ~/.cache/heddle, else a folder in the system's place for temporary files.
std::filesystem::path default_cache();

// Throws Error: with the compiler's own messages and the command when it refuses the file; with the package
// to install when the compiler is missing. A cache that cannot be written is no error.
CompiledCu compile_cu(const std::filesystem::path& source, const CompileOptions& options = {});

}  // namespace heddle::launch
