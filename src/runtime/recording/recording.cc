#include "runtime/recording/recording.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>

#include "base/error.h"
#include "exec/device/device_base.h"
#include "runtime/recording/recording_format.h"
#include "runtime/recording/recording_frames.h"
#include "runtime/recording/texture_encoding.h"

namespace heddle::runtime {
namespace {

using workload::DevicePtr;

constexpr std::uint64_t kLargestField = std::uint64_t{16} << 30;
constexpr std::size_t kPiece = 1 << 17;

class Unpacker {
 public:
  Unpacker() : stream_(ZSTD_createDCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~Unpacker() { ZSTD_freeDCtx(stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Adds what `packed` holds to `out`, up to `most` bytes of it. False: it cannot be unpacked, or is more.
  bool add(std::string_view packed, std::string& out, std::uint64_t most) {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    for (bool full = true; in.pos < in.size || full;) {
      const std::size_t before = out.size();
      out.resize(before + kPiece);
      ZSTD_outBuffer to{out.data() + before, kPiece, 0};
      const std::size_t left = ZSTD_decompressStream(stream_, &to, &in);
      out.resize(before + to.pos);
      if (ZSTD_isError(left) != 0 || out.size() > most) return false;
      ended_ = left == 0;
      if (ended_) return in.pos == in.size;
      full = to.pos == kPiece;
    }
    return true;
  }
  bool ended() const { return ended_; }

 private:
  ZSTD_DCtx* stream_;
  bool ended_ = false;
};

// The fields of operations. Lengths are only believed as far as there are data.
class Reader {
 public:
  Reader(std::istream& in, const std::string& name) : in_(in, name) {}

  bool more() { return in_.more(); }
  Operation operation() {
    Operation o{};
    in_.take(&o, 1);
    return o;
  }

  std::uint64_t number() {
    unsigned char bytes[8];
    in_.take(bytes, 8);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
  }
  std::uint32_t small() {
    const std::uint64_t value = number();
    if (value > 0xffff'ffffu) damaged("a number cannot be right");
    return static_cast<std::uint32_t>(value);
  }

  std::string text() {
    const std::uint64_t length = number(), packed = number();
    if (length > kLargestField || packed > kLargestField) damaged("a length cannot be right");
    std::string out, piece;
    std::optional<Unpacker> unpacker;
    if (packed != 0) unpacker.emplace();
    for (std::uint64_t left = packed != 0 ? packed : length; left != 0; left -= piece.size()) {
      piece.resize(std::min<std::uint64_t>(left, kPiece));
      in_.take(piece.data(), piece.size());
      if (!unpacker)
        out += piece;
      else if (unpacker->ended() || !unpacker->add(piece, out, length))
        damaged("packed data cannot be unpacked");
    }
    if (unpacker && (!unpacker->ended() || out.size() != length)) damaged("packed data cannot be unpacked");
    return out;
  }

  [[noreturn]] void damaged(const std::string& why) const { in_.damaged(why); }

 private:
  FrameReader in_;
};

class Replay {
 public:
  Replay(Reader& reader, workload::Device& device)
      : in_(reader), device_(device), executing_(dynamic_cast<exec::DeviceBase*>(&device)) {
    // A module may hold kernels that Heddle cannot execute, and that the program never launched.
    if (executing_ != nullptr) executing_->set_linking(exec::Linking::AtLaunch);
  }

  std::uint64_t run() {
    while (in_.more()) step();
    return launches_;
  }

 private:
  void step() {
    switch (in_.operation()) {
      case Operation::Load: {
        const std::string text = in_.text();
        device_.load_module(text, in_.text());
        break;
      }
      case Operation::Allocate:
        allocate();
        break;
      case Operation::Release:
        device_.release(DevicePtr{in_.number()});
        break;
      case Operation::Write: {
        const DevicePtr to{in_.number()};
        const std::string bytes = in_.text();
        device_.copy_in(to, bytes.data(), bytes.size());
        break;
      }
      case Operation::Fill: {
        const DevicePtr to{in_.number()};
        const auto value = static_cast<std::uint8_t>(in_.number());
        device_.fill(to, value, in_.number());
        break;
      }
      case Operation::Copy:
        copy();
        break;
      case Operation::Launch:
        launch();
        break;
      case Operation::CreateObject:
        create_object();
        break;
      case Operation::DestroyTexture:
        textures().destroy(in_.number());
        break;
      default:
        in_.damaged("an operation is unknown");
    }
  }

  // Arguments and data hold addresses: each allocation must lie where it lay.
  void allocate() {
    const std::uint64_t address = in_.number(), bytes = in_.number();
    const DevicePtr p = device_.allocate(bytes, in_.text());
    if (p != DevicePtr{address})
      throw Error(fmt::format("an allocation of the recording lies at {:#x}, here at {:#x}", address,
                              static_cast<std::uint64_t>(p)),
                  "Recordings need perturb.allocation_offset = 0, and kernels that do not call malloc.");
  }

  void copy() {
    const std::uint64_t to = in_.number(), from = in_.number(), bytes = in_.number();
    // One allocation holds them all, or the first or last byte is refused before there is room for the
    // others.
    std::byte ends{};
    if (bytes != 0) {
      device_.copy_out(&ends, DevicePtr{from}, 1);
      device_.copy_out(&ends, DevicePtr{from + bytes - 1}, 1);
    }
    if (bytes > kLargestField) in_.damaged("a length cannot be right");
    std::vector<std::byte> content(bytes);
    device_.copy_out(content.data(), DevicePtr{from}, bytes);
    device_.copy_in(DevicePtr{to}, content.data(), bytes);
  }

  void launch() {
    workload::Launch l;
    l.kernel = in_.text();
    l.module = in_.small();
    if (executing_ != nullptr && l.module != workload::Launch::kAnyModule &&
        l.module >= executing_->modules().size())
      in_.damaged("a launch names a module that is not there");
    for (std::uint32_t* v : {&l.grid.x, &l.grid.y, &l.grid.z, &l.block.x, &l.block.y, &l.block.z,
                             &l.dynamic_shared, &l.registers})
      *v = in_.small();
    const std::string args = in_.text();
    l.args.add_bytes(args.data(), args.size(), 1);
    device_.launch(l);
    ++launches_;
  }

  void create_object() {
    constexpr std::uint64_t kMostFields = 64;
    const std::uint64_t handle = in_.number(), n = in_.number();
    if (n > kMostFields) in_.damaged("a texture has too many fields");
    std::vector<std::uint64_t> words(n);
    for (std::uint64_t& w : words) w = in_.number();
    const std::optional<exec::Texture> t = decode_texture(words);
    if (!t) in_.damaged("the fields of a texture cannot be right");
    if (textures().create(*t) != handle) in_.damaged("a texture has another handle than it had");
  }

  exec::TextureTable& textures() {
    if (executing_ == nullptr) throw Error("this device has no textures");
    return executing_->textures();
  }

  Reader& in_;
  workload::Device& device_;
  exec::DeviceBase* executing_;
  std::uint64_t launches_ = 0;
};

class Recording final : public workload::Workload {
 public:
  Recording(std::filesystem::path file, const std::string& name) : file_(std::move(file)) {
    info_.name = name.empty() ? file_.filename().string() : name;
    info_.suite = "recording";
    info_.summary = "What a CUDA program gave to its device";
    std::ifstream in = open();
    FrameReader(in, file_.string()).check_rest();
  }
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions&) const override { return {}; }
  workload::Verification run(workload::Device& device, const workload::RunOptions&) const override {
    std::ifstream in = open();
    workload::Verification v;
    v.ok = true;
    v.tolerance = "none";
    const std::uint64_t launches = replay(in, file_.string(), device);
    v.detail = fmt::format("{} launches repeated; nothing to compare with", launches);
    return v;
  }

 private:
  std::ifstream open() const {
    std::ifstream in(file_, std::ios::binary);
    if (!in || std::filesystem::is_directory(file_))
      throw Error(fmt::format("cannot read '{}'", file_.string()));
    return in;
  }
  std::filesystem::path file_;
  workload::WorkloadInfo info_;
};

}  // namespace

std::uint64_t replay(std::istream& in, const std::string& name, workload::Device& device) {
  Reader reader(in, name);
  return Replay(reader, device).run();
}

std::unique_ptr<workload::Workload> open_recording(const std::filesystem::path& file,
                                                   const std::string& name) {
  return std::make_unique<Recording>(file, name);
}

}  // namespace heddle::runtime
