#include "apps/cli/terminal/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace heddle::cli {

namespace {

// Else the next file that is opened would stand in for it, and get what is printed. Writing to what is open
// for reading fails as writing to what is closed does.
int never_closed(int descriptor) {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", O_RDONLY);  // takes the lowest number that is free
  return descriptor;
}

}  // namespace

StandardOutput::StandardOutput(int descriptor)
    : descriptor_(never_closed(descriptor)),
      by_line_(isatty(descriptor) != 0),
      before_(std::cout.rdbuf(this)) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

StandardOutput::~StandardOutput() {
  write_out();
  std::cout.rdbuf(before_);
}

int StandardOutput::finish() {
  write_out();
  return error_;
}

bool StandardOutput::write_out() {
  const char* from = pbase();
  while (error_ == 0 && from < pptr()) {
    const ssize_t n = write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
    if (n >= 0)
      from += n;
    else if (errno != EINTR)
      error_ = errno;
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());  // what could not be written is lost
  return error_ == 0;
}

StandardOutput::int_type StandardOutput::overflow(int_type c) {
  if (!write_out()) return traits_type::eof();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize n) {
  for (std::streamsize done = 0; done < n;) {
    const std::streamsize part = std::min<std::streamsize>(n - done, epptr() - pptr());
    std::memcpy(pptr(), text + done, static_cast<std::size_t>(part));
    pbump(static_cast<int>(part));
    done += part;
    if (pptr() == epptr() && !write_out()) return done;
  }
  if (by_line_ && std::memchr(text, '\n', static_cast<std::size_t>(n)) != nullptr) write_out();
  return error_ == 0 ? n : 0;
}

int StandardOutput::sync() {
  return write_out() ? 0 : -1;
}

int finished_output(StandardOutput& output, int status) {
  const int error = output.finish();
  if (error == 0) return status;
  if (error != EPIPE)
    std::fprintf(stderr, "heddle: cannot write to standard output: %s\n", std::strerror(error));
  return status != 0 ? status : 2;
}

}  // namespace heddle::cli
