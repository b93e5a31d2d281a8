// A file that several processes add lines to.
#pragma once

#include <string>

namespace heddle::runtime {

class LineFile {
 public:
  // Not open: nothing is written, and that is no failure.
  LineFile() = default;
  // Throws Error.
  explicit LineFile(const std::string& name);
  ~LineFile();
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&& other) noexcept;

  const std::string& name() const { return name_; }
  bool is_open() const { return file_ >= 0; }
  bool is_empty() const;
  // The whole line at once, where the host can. 0, or an errno: then it is closed.
  int add(std::string line);

 private:
  std::string name_;
  int file_ = -1;
};

}  // namespace heddle::runtime
