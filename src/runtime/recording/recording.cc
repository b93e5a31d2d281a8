#include "runtime/recording/recording.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "exec/device/device_base.h"
#include "runtime/recording/recording_format.h"
#include "runtime/recording/recording_reader.h"
#include "runtime/recording/texture_encoding.h"

namespace heddle::runtime {
namespace {

using workload::DevicePtr;

class Replay {
 public:
  Replay(RecordingReader& reader, workload::Device& device)
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
      case Operation::Pass:
        in_.skip(Operation::Pass);
        break;
      case Operation::Ran:
        in_.skip(Operation::Ran);
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
    const std::uint64_t handle = in_.number();
    std::vector<std::uint64_t> words(in_.texture_fields());
    for (std::uint64_t& w : words) w = in_.number();
    const std::optional<exec::Texture> t = decode_texture(words);
    if (!t) in_.damaged("the fields of a texture cannot be right");
    if (textures().create(*t) != handle) in_.damaged("a texture has another handle than it had");
  }

  exec::TextureTable& textures() {
    if (executing_ == nullptr) throw Error("this device has no textures");
    return executing_->textures();
  }

  RecordingReader& in_;
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
    launches_ = read_launches(in, file_.string());
    if (launches_.left_out != 0)
      info_.summary +=
          fmt::format(", {} of its {}", grouped(launches_.held), counted(launches_.all(), "launch"));
  }
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions&) const override { return {}; }
  const LaunchesHeld& launches() const { return launches_; }
  workload::Verification run(workload::Device& device, const workload::RunOptions&) const override {
    std::ifstream in = open();
    workload::Verification v;
    v.ok = true;
    v.tolerance = "none";
    const std::uint64_t launches = replay(in, file_.string(), device);
    v.detail = fmt::format("{} {}repeated; nothing to compare with", counted(launches, "launch"),
                           launches_.left_out == 0 ? "" : fmt::format("of {} ", grouped(launches_.all())));
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
  LaunchesHeld launches_;
};

}  // namespace

const LaunchesHeld* launches_held(const workload::Workload& workload) {
  const auto* recording = dynamic_cast<const Recording*>(&workload);
  return recording == nullptr ? nullptr : &recording->launches();
}

std::uint64_t replay(std::istream& in, const std::string& name, workload::Device& device) {
  RecordingReader reader(in, name);
  return Replay(reader, device).run();
}

LaunchesHeld read_launches(std::istream& in, const std::string& name) {
  RecordingReader reader(in, name);
  LaunchesHeld launches;
  LaunchesHeld::Kernel* last = nullptr;  // that was launched
  while (reader.more()) {
    const Operation operation = reader.operation();
    if (operation == Operation::Launch) {
      last = &launches.kernels[reader.text()];
      reader.skip_launch();
      ++last->held.launches;
      ++launches.held;
    } else if (operation == Operation::Ran) {
      const std::uint64_t instructions = reader.number();
      if (last == nullptr) reader.damaged("nothing was launched");
      last->held.warp_instructions += instructions;
    } else if (operation == Operation::Pass) {
      LaunchesHeld::Count& left_out = launches.kernels[reader.text()].left_out;
      ++left_out.launches;
      left_out.warp_instructions += reader.number();
      ++launches.left_out;
    } else {
      reader.skip(operation);
    }
  }
  return launches;
}

std::unique_ptr<workload::Workload> open_recording(const std::filesystem::path& file,
                                                   const std::string& name) {
  return std::make_unique<Recording>(file, name);
}

}  // namespace heddle::runtime
