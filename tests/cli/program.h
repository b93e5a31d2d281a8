// Calls the program as a user does.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace heddle {

struct Outcome {
  int status = -1;
  std::string out;  // standard output and error together
};

inline Outcome heddle(const std::string& arguments) {
  const std::string command = std::string(HEDDLE_PROGRAM) + " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  Outcome o;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) o.out.append(buffer.data(), n);
  const int result = pclose(pipe);
  o.status = WIFEXITED(result) ? WEXITSTATUS(result) : 128;
  return o;
}

class Commands : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("heddle_commands_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text = {}) {
    const auto path = folder_ / name;
    if (!text.empty()) std::ofstream(path) << text;
    return path.string();
  }
  std::string contents(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

}  // namespace heddle
