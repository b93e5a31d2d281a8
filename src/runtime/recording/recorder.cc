#include "runtime/recording/recorder.h"

#include <algorithm>

#include <fmt/format.h>
#include <zstd.h>

#include "base/error.h"
#include "base/hash.h"
#include "runtime/recording/texture_encoding.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostAtOnce = 256 * kPage;  // that is written in one piece
constexpr std::uint64_t kUnknown = 0;               // a hash that no page is taken to have
constexpr std::size_t kWorthPacking = 1024;
constexpr int kLevel = 1;  // recording must not slow the program down

std::uint64_t hash_page(const void* page, std::uint64_t bytes) {
  Hasher h;
  h.add(page, bytes);
  return h.value();
}

std::vector<std::uint64_t> pages_of_zeros(std::uint64_t bytes) {
  static constexpr std::byte kZeros[kPage] = {};
  std::vector<std::uint64_t> pages((bytes + kPage - 1) / kPage, hash_page(kZeros, kPage));
  if (bytes % kPage != 0) pages.back() = hash_page(kZeros, bytes % kPage);
  return pages;
}

}  // namespace

Recorder::Recorder(const std::string& file, RecordedLaunches what) : file_(file), what_(what) {}

void Recorder::refuse(std::string_view what) {
  file_.discard();
  refused_ = true;
  throw Error(fmt::format("a recording cannot repeat {}", what), "Run the program without --record.");
}

void Recorder::require_open() {
  if (ended_) refuse("what a program gives to the device after cudaDeviceReset");
  if (refused_) refuse("what was refused before");
  used_ = true;
}

void Recorder::put(Operation operation) {
  require_open();
  put_bytes(&operation, 1);
}

void Recorder::put_bytes(const void* data, std::size_t bytes) {
  file_.add(data, bytes);
}

void Recorder::put(std::uint64_t value) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
  put_bytes(bytes, 8);
}

void Recorder::put(std::string_view text) {
  put(std::uint64_t{text.size()});
  std::string packed;
  if (text.size() >= kWorthPacking) {
    packed.resize(ZSTD_compressBound(text.size()));
    const std::size_t n = ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kLevel);
    packed.resize(ZSTD_isError(n) != 0 || n >= text.size() ? 0 : n);
  }
  put(std::uint64_t{packed.size()});
  const std::string_view stored = packed.empty() ? text : std::string_view(packed);
  put_bytes(stored.data(), stored.size());
}

void Recorder::load(std::string_view ptx, std::string_view name) {
  put(Operation::Load);
  put(ptx);
  put(name);
}

void Recorder::allocate(mem::Address a, std::uint64_t bytes, std::string_view label, bool host_writes) {
  put(Operation::Allocate);
  put(a);
  put(bytes);
  put(label);
  if (host_writes || what_ == RecordedLaunches::Chosen) watched_[a] = {bytes, pages_of_zeros(bytes)};
}

void Recorder::share(mem::Address a, std::uint64_t bytes) {
  watched_[a] = {bytes, std::vector<std::uint64_t>((bytes + kPage - 1) / kPage, kUnknown)};
}

void Recorder::release(mem::Address a) {
  put(Operation::Release);
  put(a);
  watched_.erase(a);
}

void Recorder::write(mem::Address to, const void* from, std::uint64_t bytes) {
  require_open();
  if (what_ == RecordedLaunches::All) put_write(to, from, bytes);
}

void Recorder::put_write(mem::Address to, const void* from, std::uint64_t bytes) {
  put(Operation::Write);
  put(to);
  put(std::string_view(static_cast<const char*>(from), bytes));
}

void Recorder::fill(mem::Address to, std::uint8_t value, std::uint64_t bytes) {
  require_open();
  if (what_ == RecordedLaunches::Chosen) return;
  put(Operation::Fill);
  put(to);
  put(std::uint64_t{value});
  put(bytes);
}

void Recorder::copy(mem::Address to, mem::Address from, std::uint64_t bytes) {
  require_open();
  if (what_ == RecordedLaunches::Chosen) return;
  put(Operation::Copy);
  put(to);
  put(from);
  put(bytes);
}

void Recorder::create_texture(const exec::Texture& t, std::uint64_t handle) {
  put(Operation::CreateObject);
  const std::vector<std::uint64_t> words = encode_texture(t);
  put(handle);
  put(std::uint64_t{words.size()});
  for (const std::uint64_t w : words) put(w);
}

void Recorder::destroy_texture(std::uint64_t handle) {
  put(Operation::DestroyTexture);
  put(handle);
}

void Recorder::launch(const workload::Launch& launch, const mem::DeviceMemory& memory) {
  write_changed(memory);
  put(Operation::Launch);
  put(std::string_view(launch.kernel));
  for (std::uint32_t v : {launch.module, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                          launch.block.y, launch.block.z, launch.dynamic_shared, launch.registers})
    put(std::uint64_t{v});
  const std::vector<std::byte>& args = launch.args.block();
  put(std::string_view(reinterpret_cast<const char*>(args.data()), args.size()));
  file_.complete();  // the launch may be the last thing that this process does
}

void Recorder::pass(const workload::Launch& launch, std::uint64_t warp_instructions) {
  put(Operation::Pass);
  put(std::string_view(launch.kernel));
  put(warp_instructions);
  file_.complete();
}

void Recorder::write_changed(const mem::DeviceMemory& memory) {
  for (const auto& [begin, watched] : watched_) {
    std::uint64_t from = 0, until = 0;  // changed pages that follow each other
    const auto flush = [&, base = begin] {
      if (until > from) put_write(base + from, memory.host(base + from), until - from);
    };
    for (std::uint64_t at = 0; at < watched.bytes; at += kPage) {
      const std::uint64_t bytes = std::min(kPage, watched.bytes - at);
      if (hash_page(memory.host(begin + at), bytes) == watched.pages[at / kPage]) continue;
      if (at != until || until - from >= kMostAtOnce) {
        flush();
        from = at;
      }
      until = at + bytes;
    }
    flush();
  }
}

void Recorder::launched(const mem::DeviceMemory& memory, std::uint64_t warp_instructions) {
  if (what_ == RecordedLaunches::Chosen) {
    put(Operation::Ran);
    put(warp_instructions);
  }
  for (auto& [begin, watched] : watched_)
    for (std::uint64_t at = 0; at < watched.bytes; at += kPage)
      watched.pages[at / kPage] = hash_page(memory.host(begin + at), std::min(kPage, watched.bytes - at));
}

}  // namespace heddle::runtime
