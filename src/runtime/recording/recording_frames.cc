#include "runtime/recording/recording_frames.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace heddle::runtime {
namespace {

constexpr std::size_t kHeadBytes = 16;

void put_number(std::string& to, std::uint64_t value) {
  for (unsigned i = 0; i < 8; ++i) to += static_cast<char>(value >> (8 * i));
}

std::uint64_t number_at(const std::string& from, std::size_t at) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(from[at + i])} << (8 * i);
  return value;
}

std::string head(std::uint64_t length, std::uint64_t sum) {
  std::string out;
  put_number(out, length);
  put_number(out, sum);
  return out;
}

}  // namespace

std::string FrameEncoder::frame(std::string_view bytes) {
  sum_.add(bytes);
  return head(bytes.size(), sum_.value()) + std::string(bytes);
}

std::string FrameEncoder::end() const {
  Hasher sum = sum_;
  sum.add(std::string_view("end"));
  return head(0, sum.value());
}

FrameWriter::FrameWriter(const std::string& file)
    : name_(file), file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw LostFile(std::strerror(errno), "Is its folder there?");
  write(std::string(kRecordingMark));
  complete();
}

FrameWriter::~FrameWriter() {
  try {
    if (file_ >= 0) complete();
  } catch (const LostFile&) {
    // There is no file, rather than one that is not complete.
  }
  if (file_ >= 0) ::close(file_);
}

void FrameWriter::write(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n =
        ::pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      discard();
      throw LostFile(std::strerror(error));
    }
    done += static_cast<std::size_t>(n);
  }
  at_ += bytes.size();
}

void FrameWriter::add(const void* data, std::size_t bytes) {
  if (file_ < 0) throw LostFile("it was given up before");
  const auto* from = static_cast<const char*>(data);
  while (bytes != 0) {
    const std::size_t n = std::min<std::size_t>(bytes, kMostFrameBytes - open_.size());
    open_.append(from, n);
    from += n;
    bytes -= n;
    if (open_.size() == kMostFrameBytes) write(encoder_.frame(std::exchange(open_, {})));
  }
}

void FrameWriter::complete() {
  const std::string last = open_.empty() ? "" : encoder_.frame(std::exchange(open_, {}));
  const std::string end = encoder_.end();
  write(last + end);
  at_ -= end.size();  // what comes next takes its place
}

void FrameWriter::discard() {
  if (file_ < 0) return;
  [[maybe_unused]] const int left = ::ftruncate(file_, 0);
  ::close(std::exchange(file_, -1));
  struct stat s {};
  if (::lstat(name_.c_str(), &s) == 0 && S_ISREG(s.st_mode)) ::unlink(name_.c_str());
}

FrameReader::FrameReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  std::string mark(kRecordingMark.size(), '\0');
  in_.read(mark.data(), static_cast<std::streamsize>(mark.size()));
  if (mark != kRecordingMark) damaged("it does not begin as a recording of this version does");
}

void FrameReader::damaged(const std::string& why) const {
  throw Error(fmt::format("'{}' is not a recording, or damaged: {}", name_, why),
              "Make it again: heddle exec --record FILE -- ./program");
}

void FrameReader::next() {
  auto read = [&](std::string& to, std::size_t bytes) {
    to.resize(bytes);
    in_.read(to.data(), static_cast<std::streamsize>(bytes));
    if (static_cast<std::size_t>(in_.gcount()) != bytes)
      damaged("its end is missing: it was cut off, or the program was stopped while it wrote");
  };
  std::string begin;
  read(begin, kHeadBytes);
  const std::uint64_t length = number_at(begin, 0);
  if (length > kMostFrameBytes) damaged("a length cannot be right");
  read(frame_, length);
  at_ = 0;
  const std::string want = length == 0 ? encoder_.end() : encoder_.frame(frame_);
  if (want.compare(0, kHeadBytes, begin) != 0) damaged("a checksum is wrong");
  if (length != 0) return;
  ended_ = true;
  if (in_.peek() != std::istream::traits_type::eof()) damaged("it goes on behind its end");
}

bool FrameReader::more() {
  if (at_ == frame_.size() && !ended_) next();
  return !ended_;
}

void FrameReader::take(void* to, std::size_t bytes) {
  auto* out = static_cast<char*>(to);
  while (bytes != 0) {
    if (!more()) damaged("it ends in the middle of an operation");
    const std::size_t n = std::min(bytes, frame_.size() - at_);
    std::memcpy(out, frame_.data() + at_, n);
    at_ += n;
    out += n;
    bytes -= n;
  }
}

void FrameReader::check_rest() {
  while (!ended_) next();
}

}  // namespace heddle::runtime
