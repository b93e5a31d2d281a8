// Standard output that remembers when something could not be written.
#pragma once

#include <array>
#include <streambuf>

namespace heddle::cli {

// Stands in for the buffer of std::cout as long as it lives. A terminal sees every line at once.
class StandardOutput final : public std::streambuf {
 public:
  explicit StandardOutput(int descriptor = 1);
  ~StandardOutput() override;
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  // Writes what is left; the errno of the first write that failed, or 0.
  int finish();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize n) override;
  int sync() override;

 private:
  bool write_out();

  int descriptor_;
  bool by_line_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_;
  std::streambuf* before_;
};

// The exit status of a command that ended with `status`: not 0 when its output was lost, which is told on
// standard error. A pipe that nobody reads any more is no news.
int finished_output(StandardOutput& output, int status);

}  // namespace heddle::cli
