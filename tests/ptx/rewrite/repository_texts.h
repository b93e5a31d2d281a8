// All PTX of the repository: files, and what is recorded in compressed form.
#pragma once

#include <string>
#include <vector>

namespace heddle::ptx {

struct NamedText {
  std::string name;  // its path below the repository
  std::string text;
};

std::vector<NamedText> repository_texts();
// Inputs of the fuzzer: PTX, and what only looks like it.
std::vector<NamedText> fuzzer_texts();

}  // namespace heddle::ptx
