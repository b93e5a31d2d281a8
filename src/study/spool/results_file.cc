#include "study/spool/results_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "study/spool/sealed_file.h"
#include "study/store/compression.h"
#include "study/store/seal.h"

namespace heddle::study {
namespace {

using EntryJson = nlohmann::ordered_json;
using Kind = SpoolEntry::Kind;

// An entry: this word, its kind, key, length and seal in a line, then so many bytes and an end of line.
constexpr std::string_view kEntry = "heddle.entry/1 ";
constexpr std::array<std::pair<Kind, std::string_view>, 6> kKinds = {{{Kind::Head, "head"},
                                                                      {Kind::Begun, "begun"},
                                                                      {Kind::Record, "record"},
                                                                      {Kind::Failed, "failed"},
                                                                      {Kind::Lost, "lost"},
                                                                      {Kind::Refused, "refused"}}};
constexpr std::string_view kNoKey = "-";
constexpr std::size_t kLongestLine = 256, kLargestEntry = 1u << 30;
constexpr int kEntryLevel = 3;                 // of compression: it is read once
constexpr std::size_t kReadAtOnce = 4u << 20;  // of compressed text
constexpr std::chrono::seconds kSyncEvery{1};

std::string_view name_of(Kind kind) {
  for (const auto& [k, name] : kKinds)
    if (k == kind) return name;
  return {};
}

// A line of JSON, then the record, a zero byte (JSON has none), and the detail.
std::string payload(const SpoolEntry& e) {
  const EntryJson json = {{"seconds", e.seconds}, {"error", e.error}};
  std::string text = json.dump(-1, ' ', false, EntryJson::error_handler_t::replace) + "\n" + e.record;
  text += '\0' + e.detail;
  return compressed(text, kEntryLevel);
}

struct EntryLine {
  Kind kind = Kind::Head;
  std::string_view kind_name, key, seal;
  std::size_t length = 0;
};

// False: this is no such line.
bool read_line(std::string_view line, EntryLine& out) {
  if (!line.starts_with(kEntry)) return false;
  const std::vector<std::string_view> words = split(line.substr(kEntry.size()), ' ');
  if (words.size() != 4) return false;
  bool known = false;
  for (const auto& [kind, name] : kKinds)
    if (name == words[0]) known = true, out.kind = kind;
  const std::optional<std::uint64_t> length = whole_number(words[2]);
  out.kind_name = words[0];
  out.key = words[1];
  out.seal = words[3];
  out.length = length.value_or(0);
  return known && length && out.length <= kLargestEntry;
}

// How many bytes at the end are the beginning of an entry's line.
std::size_t begun_at_end(std::string_view bytes) {
  for (std::size_t n = std::min(bytes.size() - 1, kEntry.size()); n > 0; --n)
    if (kEntry.starts_with(bytes.substr(bytes.size() - n)) && bytes[bytes.size() - n - 1] == '\n') return n;
  return 0;
}

// False: what the seal vouches for cannot be read.
bool read_payload(std::string_view bytes, SpoolEntry& e) {
  const std::optional<std::string> text = decompressed(bytes);
  if (!text) return false;
  const std::size_t line = text->find('\n'), end = text->find('\0', line);
  if (line == std::string::npos || end == std::string::npos) return false;
  try {
    const auto json = EntryJson::parse(text->substr(0, line));
    e.seconds = json.at("seconds");
    e.error = json.at("error");
  } catch (const EntryJson::exception&) {
    return false;
  }
  e.record = text->substr(line + 1, end - line - 1);
  e.detail = text->substr(end + 1);
  return true;
}

std::string attempt_text(const Attempt& a) {
  return EntryJson{{"task", a.task}, {"submission", a.submission}, {"node", a.node}, {"job", a.job}}.dump(
      -1, ' ', false, EntryJson::error_handler_t::replace);
}

// What cannot be read stays as it was.
void read_attempt(const std::string& text, Attempt& a) {
  try {
    const auto json = EntryJson::parse(text);
    a = {json.at("task"), json.at("submission"), json.at("node"), json.at("job")};
  } catch (const EntryJson::exception&) {
  }
}

// At most `most` bytes of a file from a place on.
std::string read_from(const std::filesystem::path& file, std::uintmax_t place, std::size_t most) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat is {};
  std::string out;
  if (::fstat(fd, &is) == 0 && static_cast<std::uintmax_t>(is.st_size) > place)
    out.resize(static_cast<std::size_t>(
        std::min<std::uintmax_t>(most, static_cast<std::uintmax_t>(is.st_size) - place)));
  std::size_t have = 0;
  while (have < out.size()) {
    const ssize_t n = ::pread(fd, out.data() + have, out.size() - have, static_cast<off_t>(place + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  out.resize(have);
  ::close(fd);
  return out;
}

}  // namespace

std::string encode(const SpoolEntry& e) {
  const std::string bytes = payload(e);
  const std::string_view key = e.key.empty() ? kNoKey : e.key, kind = name_of(e.kind);
  return fmt::format("{}{} {} {} {}\n{}\n", kEntry, kind, key, bytes.size(), seal_of(kind, key, bytes),
                     bytes);
}

DecodedEntries decode(std::string_view all) {
  DecodedEntries out;
  bool passing_over = false;  // from a damaged entry to the next one
  while (out.used < all.size()) {
    const std::string_view rest = all.substr(out.used);
    const std::size_t end = rest.substr(0, kLongestLine).find('\n');
    EntryLine line;
    if (end == std::string_view::npos && rest.size() < kLongestLine &&
        kEntry.starts_with(rest.substr(0, kEntry.size())))
      return out;  // the beginning of a line
    if (end != std::string_view::npos && read_line(rest.substr(0, end), line)) {
      const std::size_t whole = end + 1 + line.length + 1;
      // A damaged length may reach past the end: then there is another entry behind this line.
      if (whole > rest.size() && rest.find(fmt::format("\n{}", kEntry), end) == std::string_view::npos)
        return out;
      if (whole <= rest.size()) {
        const std::string_view bytes = rest.substr(end + 1, line.length);
        SpoolEntry e;
        e.kind = line.kind;
        if (line.key != kNoKey) e.key = line.key;
        if (line.seal == seal_of(line.kind_name, line.key, bytes) && read_payload(bytes, e)) {
          out.entries.push_back(std::move(e));
          out.used += whole;
          passing_over = false;
          continue;
        }
      }
    }
    if (!passing_over) ++out.damaged;
    passing_over = true;
    const std::size_t next = rest.find(fmt::format("\n{}", kEntry));
    if (next == std::string_view::npos) {
      out.used = all.size() - begun_at_end(rest);
      return out;
    }
    out.used += next + 1;
  }
  return out;
}

ResultsWriter::ResultsWriter(const std::filesystem::path& folder, const Attempt& attempt) {
  std::random_device random;
  for (int i = 0; i < 100 && fd_ < 0; ++i) {
    file_ = folder / fmt::format("{}-{:08x}{:08x}", attempt.task, random(), random());
    fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0)
    throw Error(SourcePlace{file_.string(), 0, 0, {}},
                fmt::format("cannot write the results here: {}", std::strerror(errno)),
                "the folder must be one that all nodes can write to");
  sync_folder(folder);
  SpoolEntry head;
  head.record = attempt_text(attempt);
  add(head);
  sync();
}

ResultsWriter::~ResultsWriter() {
  ::fsync(fd_);
  ::close(fd_);
}

void ResultsWriter::add(const SpoolEntry& entry) {
  const std::string bytes = encode(entry);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw Error(SourcePlace{file_.string(), 0, 0, {}},
                  fmt::format("cannot write a result: {}", std::strerror(n < 0 ? errno : EIO)));
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  if (std::chrono::steady_clock::now() - synced_ >= kSyncEvery) sync();
}

void ResultsWriter::sync() {
  ::fsync(fd_);
  synced_ = std::chrono::steady_clock::now();
}

std::vector<SpoolEntry> ResultsReader::poll() {
  DecodedEntries now;
  for (std::size_t most = kReadAtOnce;; most *= 2) {
    const std::string bytes = read_from(file_, read_, most);
    now = decode(bytes);
    if (now.used != 0 || bytes.size() < most) break;  // else one entry is larger than that
  }
  read_ += now.used;
  damaged_ += now.damaged;
  std::vector<SpoolEntry> entries;
  for (SpoolEntry& e : now.entries)
    if (e.kind == Kind::Head)
      read_attempt(e.record, attempt_);
    else
      entries.push_back(std::move(e));
  return entries.empty() && now.used != 0 ? poll() : entries;
}

}  // namespace heddle::study
