// Modules whose kernels were rewritten where passes take them, and are as they were otherwise.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/rewrite/pass.h"
#include "workload/launch.h"

namespace heddle::cta_clustering {

class RewrittenModules {
 public:
  using PassesOf = std::function<std::vector<ptx::tree::Pass>(const std::string& kernel)>;
  // `keep`: the original stands beside each kernel that was rewritten.
  explicit RewrittenModules(PassesOf passes, bool keep = false) : passes_(std::move(passes)), keep_(keep) {}

  // The text of the next module, rewritten.
  std::string add(std::string_view ptx_text, std::string_view file);
  // Whether the kernel of a launch was.
  bool has(const workload::Launch& launch) const;
  // A launch of the kernel as it was; one that was rewritten, and is kept.
  workload::Launch original(const workload::Launch& launch) const;

  // Kernels of all modules, and why some are as they were.
  const std::vector<std::string>& rewritten() const { return rewritten_; }
  const std::vector<ptx::tree::Refusal>& refused() const { return refused_; }

 private:
  struct Module {
    std::map<std::string, bool> kernels;  // whether rewritten
    std::string kept;                     // what names of originals begin with
  };
  const Module* module_of(const workload::Launch& launch) const;

  PassesOf passes_;
  bool keep_;
  std::vector<Module> modules_;
  std::vector<std::string> rewritten_;
  std::vector<ptx::tree::Refusal> refused_;
};

}  // namespace heddle::cta_clustering
