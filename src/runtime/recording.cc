#include "runtime/recording.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>

#include "base/error.h"
#include "exec/device_base.h"
#include "runtime/recording_format.h"
#include "runtime/texture_words.h"

namespace heddle::runtime {
namespace {

using workload::DevicePtr;

constexpr std::uint64_t kLargestField = std::uint64_t{16} << 30;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : name_(file.string()), in_(file, std::ios::binary) {
    if (!in_) throw Error(fmt::format("cannot read '{}'", name_));
    std::error_code error;
    size_ = std::filesystem::file_size(file, error);
    std::string mark(kRecordingMark.size(), '\0');
    in_.read(mark.data(), static_cast<std::streamsize>(mark.size()));
    if (mark != kRecordingMark) damaged("it does not begin as a recording of this version does");
  }

  bool more() { return in_.peek() != std::ifstream::traits_type::eof(); }
  Operation operation() { return static_cast<Operation>(in_.get()); }

  std::uint64_t number() {
    unsigned char bytes[8];
    take(bytes, 8);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }

  std::string text() {
    const std::uint64_t length = number(), packed = number();
    if (length > kLargestField || (packed != 0 ? packed : length) > size_)
      damaged("a length cannot be right");
    std::string stored(packed != 0 ? packed : length, '\0');
    take(stored.data(), stored.size());
    if (packed == 0) return stored;
    std::string out(length, '\0');
    if (ZSTD_decompress(out.data(), out.size(), stored.data(), stored.size()) != length)
      damaged("packed data cannot be unpacked");
    return out;
  }

  [[noreturn]] void damaged(const std::string& why) {
    throw Error(fmt::format("'{}' is not a recording, or damaged: {}", name_, why),
                "Make it again: heddle exec --record FILE -- ./program");
  }

 private:
  void take(void* to, std::size_t bytes) {
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (static_cast<std::size_t>(in_.gcount()) != bytes) damaged("it ends in the middle of an operation");
  }
  std::string name_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
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
      case Operation::CreateTexture:
        create_texture();
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
    const DevicePtr to{in_.number()}, from{in_.number()};
    std::vector<std::byte> bytes(in_.number());
    device_.copy_out(bytes.data(), from, bytes.size());
    device_.copy_in(to, bytes.data(), bytes.size());
  }

  void launch() {
    workload::Launch l;
    l.kernel = in_.text();
    l.module = in_.small();
    for (std::uint32_t* v : {&l.grid.x, &l.grid.y, &l.grid.z, &l.block.x, &l.block.y, &l.block.z,
                             &l.dynamic_shared, &l.registers})
      *v = in_.small();
    const std::string args = in_.text();
    l.args.add_bytes(args.data(), args.size(), 1);
    device_.launch(l);
    ++launches_;
  }

  void create_texture() {
    const std::uint64_t handle = in_.number();
    exec::Texture t;
    t.address = in_.number();
    t.width = in_.small();
    t.height = in_.small();
    t.pitch = in_.number();
    t.format = static_cast<exec::TexelFormat>(in_.number());
    t.channel_bits = static_cast<std::uint8_t>(in_.number());
    t.channels = static_cast<std::uint8_t>(in_.number());
    t.normalized_coordinates = in_.number() != 0;
    t.normalized_values = in_.number() != 0;
    t.filter = static_cast<exec::TexFilter>(in_.number());
    t.address_u = static_cast<exec::TexAddress>(in_.number());
    t.address_v = static_cast<exec::TexAddress>(in_.number());
    if (textures().create(t) != handle) in_.damaged("a texture has another handle than it had");
  }

  void create_object() {
    constexpr std::uint64_t kMostFields = 64;
    const std::uint64_t handle = in_.number(), n = in_.number();
    if (n > kMostFields) in_.damaged("a texture has too many fields");
    std::vector<std::uint64_t> words(n);
    for (std::uint64_t& w : words) w = in_.number();
    const std::optional<exec::Texture> t = texture_of(words);
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
  explicit Recording(std::filesystem::path file) : file_(std::move(file)) {
    info_.name = file_.filename().string();
    info_.suite = "recording";
    info_.summary = "What a CUDA program gave to its device";
    Reader check(file_);
  }
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions&) const override { return {}; }
  workload::Verification run(workload::Device& device, const workload::RunOptions&) const override {
    Reader reader(file_);
    workload::Verification v;
    v.ok = true;
    v.tolerance = "none";
    const std::uint64_t launches = Replay(reader, device).run();
    v.detail = fmt::format("{} launches repeated; nothing to compare with", launches);
    return v;
  }

 private:
  std::filesystem::path file_;
  workload::WorkloadInfo info_;
};

}  // namespace

std::unique_ptr<workload::Workload> open_recording(const std::filesystem::path& file) {
  return std::make_unique<Recording>(file);
}

}  // namespace heddle::runtime
