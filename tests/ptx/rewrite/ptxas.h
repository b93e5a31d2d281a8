// The vendor's assembler, where it is installed.
#pragma once

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/temporary.h"

namespace heddle::ptx {

class Ptxas {
 public:
  static bool installed() { return std::system("command -v ptxas > /dev/null 2>&1") == 0; }

  struct Result {
    bool ok = false;
    std::string messages, cubin;
  };
  // For the text's own target, or one that this ptxas still knows when that is older.
  Result assemble(const std::string& text) const {
    const std::string base = folder_.path().string() + "/module";
    std::ofstream(base + ".ptx", std::ios::binary) << text;
    const std::string arch = arch_of(text);
    const int status = std::system(("ptxas -O1 " + (arch.empty() ? "" : "-arch=" + arch) + " -o " + base +
                                    ".cubin " + base + ".ptx > " + base + ".log 2>&1")
                                       .c_str());
    Result r;
    r.ok = status == 0;
    r.messages = read_file(base + ".log");
    if (r.ok) r.cubin = read_file(base + ".cubin");
    return r;
  }

 private:
  static std::string arch_of(const std::string& text) {
    const std::size_t at = text.find("sm_");
    if (at == std::string::npos) return {};
    std::size_t end = at + 3;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    const int number = std::atoi(text.c_str() + at + 3);
    return number < 75 ? "sm_75" : text.substr(at, end - at);
  }
  TemporaryFolder folder_{"heddle-ptxas"};
};

}  // namespace heddle::ptx
