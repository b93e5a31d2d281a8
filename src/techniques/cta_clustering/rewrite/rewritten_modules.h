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
  explicit RewrittenModules(PassesOf passes) : passes_(std::move(passes)) {}

  // The text of the next module, rewritten.
  std::string add(std::string_view ptx_text, std::string_view file);
  // Whether the kernel of a launch was.
  bool has(const workload::Launch& launch) const;

  // Kernels of all modules, and why some are as they were.
  const std::vector<std::string>& rewritten() const { return rewritten_; }
  const std::vector<ptx::tree::Refusal>& refused() const { return refused_; }

 private:
  PassesOf passes_;
  std::vector<std::map<std::string, bool>> kernels_;  // by module
  std::vector<std::string> rewritten_;
  std::vector<ptx::tree::Refusal> refused_;
};

}  // namespace heddle::cta_clustering
