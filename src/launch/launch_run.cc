#include "launch/launch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/demangle.h"
#include "base/file.h"
#include "base/host_memory.h"
#include "base/text.h"
#include "base/units.h"
#include "exec/device/device_base.h"
#include "gpu/timing_device.h"
#include "launch/launch_args.h"
#include "ptx/ir/module.h"
#include "ptx/ir/signature.h"

namespace heddle::launch {
namespace {

using workload::DevicePtr;

std::vector<std::byte> read_exactly(const std::filesystem::path& path, std::uint64_t bytes,
                                    const std::string& what, const SourcePlace& place) {
  std::string text;
  try {
    text = read_file(path, bytes);
  } catch (const Error& e) {
    std::error_code ignored;
    const std::uint64_t size = std::filesystem::file_size(path, ignored);
    if (ignored || size <= bytes)
      throw Error(place, fmt::format("'{}': {}", path.string(), e.message()), e.advice());
    throw Error(place, fmt::format("'{}' has {} bytes, but {} needs {}", path.string(), size, what, bytes));
  }
  if (text.size() != bytes)
    throw Error(place,
                fmt::format("'{}' has {} bytes, but {} needs {}", path.string(), text.size(), what, bytes));
  std::vector<std::byte> out(bytes);
  std::memcpy(out.data(), text.data(), bytes);
  return out;
}

std::string needs(const BufferSpec& b) {
  return fmt::format("buffer '{}' ({} of {})", b.name, counted(b.count, "element"), name(b.type));
}

class Runner {
 public:
  Runner(const LaunchFile& file, workload::Device& device, const DeviceExtras& extras)
      : file_(file), device_(device), extras_(extras) {}

  LaunchResult run(std::string_view ptx_text, std::string_view ptx_file) {
    const ptx::Module module = ptx::parse_module(std::string(ptx_text), std::string(ptx_file));
    for (const LaunchStep& s : file_.launches)
      kernels_.push_back(&find_kernel(module, s.kernel, s.kernel_place));
    read_expected();
    check_dump_folders();
    device_.load_module(ptx_text, ptx_file);
    for (const BufferSpec& b : file_.buffers) make_buffer(b);
    for (const TextureSpec& x : file_.textures) make_texture(x);
    // Every argument before the first launch: a typo in the last one should not cost the time of the others.
    for (std::size_t i = 0; i < kernels_.size(); ++i) check(file_.launches[i], *kernels_[i]);
    for (std::size_t i = 0; i < kernels_.size(); ++i) launch(file_.launches[i], *kernels_[i]);
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) output(file_.outputs[i], expected_[i]);
    for (const auto& [path, text] : dumps_) write_file(path, text);
    return std::move(result_);
  }

 private:
  std::filesystem::path path_of(const std::string& name) const { return file_.folder / name; }

  void read_expected() {
    for (const OutputSpec& o : file_.outputs) {
      const BufferSpec& b = *file_.find_buffer(o.buffer);
      expected_.emplace_back();
      if (o.against == OutputSpec::Against::File)
        expected_.back() = read_exactly(path_of(o.file), b.bytes(), needs(b), o.compare_place);
    }
  }

  // A result that cannot be written should not cost the time of the run first.
  void check_dump_folders() const {
    for (const OutputSpec& o : file_.outputs) {
      if (o.dump.empty() || o.dump == "-") continue;
      const std::filesystem::path folder = path_of(o.dump).parent_path();
      std::error_code ignored;
      if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        throw Error(o.dump_place, fmt::format("the folder '{}' does not exist", folder.string()));
    }
  }

  void make_buffer(const BufferSpec& b) {
    if (b.symbol.empty() && b.fill.kind == Fill::Kind::Constant &&
        b.fill.constant == Number(std::int64_t{0})) {
      addresses_[b.name] = device_.allocate(b.bytes(), b.name);  // zero already
      return;
    }
    // Here and on the device, for a moment.
    require(b, 2 * b.bytes(), b.fill_place.file.empty() ? b.place : b.fill_place);
    std::vector<std::byte> data(b.bytes());
    if (b.fill.kind == Fill::Kind::File) {
      data = read_exactly(path_of(b.fill.path), b.bytes(), needs(b), b.fill_place);
    } else if (const std::string why = fill(b.type, b.fill, data); !why.empty()) {
      throw Error(b.fill_place, fmt::format("buffer '{}': {}", b.name, why));
    }
    DevicePtr p;
    if (b.symbol.empty()) {
      p = device_.allocate(b.bytes(), b.name);
    } else {
      std::uint64_t bytes = 0;
      try {
        p = device_.symbol(b.symbol, &bytes);
      } catch (const Error& e) {
        throw Error(b.place, e.message(), e.advice());
      }
      if (bytes < b.bytes())
        throw Error(b.place, fmt::format("{} needs {} bytes, the module's '{}' has {}", needs(b), b.bytes(),
                                         b.symbol, bytes));
    }
    device_.copy_in(p, data.data(), data.size());
    addresses_[b.name] = p;
  }

  void make_texture(const TextureSpec& x) {
    if (!extras_.make_texture) throw Error(x.place, "this device has no textures");
    handles_[x.name] = extras_.make_texture(x, file_.find_buffer(x.buffer)->type, addresses_.at(x.buffer));
  }

  void check(const LaunchStep& s, const ptx::Function& kernel) const {
    pack_arguments(file_, s, kernel, addresses_, handles_);
    const std::uint64_t threads = s.block.count();
    if (kernel.max_threads && threads > *kernel.max_threads)
      throw Error(s.block_place, fmt::format("{} threads per block; the kernel was compiled for at most {}",
                                             threads, *kernel.max_threads));
    if (kernel.required_threads && threads != *kernel.required_threads)
      throw Error(s.block_place, fmt::format("{} threads per block; the kernel was compiled for {}", threads,
                                             *kernel.required_threads));
  }

  void launch(const LaunchStep& s, const ptx::Function& kernel) {
    if (extras_.set_registers)
      extras_.set_registers(s.registers);
    else if (s.registers)
      result_.notes.push_back(
          fmt::format("{}:{}: 'registers' changes only timing, which this run does not model",
                      s.registers_place.file, s.registers_place.line));
    for (std::uint64_t i = 0; i < s.repeat; ++i) {
      workload::Launch launch;
      launch.kernel = kernel.name;
      launch.grid = s.grid;
      launch.block = s.block;
      launch.dynamic_shared = s.dynamic_shared;
      launch.args = pack_arguments(file_, s, kernel, addresses_, handles_);
      device_.launch(launch);
      for (const auto& [a, b] : s.swaps) std::swap(addresses_.at(a), addresses_.at(b));
    }
    result_.steps.push_back({base_name(kernel.name), s.grid, s.block, s.repeat});
  }

  static void require(const BufferSpec& b, std::uint64_t bytes, const SourcePlace& place) {
    try {
      require_host_memory(bytes, needs(b));
    } catch (const HostMemoryError& e) {
      throw Error(place, e.message(), e.advice());
    }
  }

  std::vector<std::byte> contents(const BufferSpec& b) const {
    require(b, b.bytes(), b.place);
    std::vector<std::byte> data(b.bytes());
    device_.copy_out(data.data(), addresses_.at(b.name), data.size());
    return data;
  }

  void output(const OutputSpec& o, std::vector<std::byte>& want) {
    const BufferSpec& b = *file_.find_buffer(o.buffer);
    const std::vector<std::byte> got = contents(b);
    OutputResult r;
    r.buffer = o.buffer;
    if (o.against == OutputSpec::Against::File) r.against = o.file;
    if (o.against == OutputSpec::Against::Buffer) {
      r.against = fmt::format("buffer '{}'", o.other);
      want = contents(*file_.find_buffer(o.other));
    }
    if (o.against == OutputSpec::Against::Constant) {
      r.against = fmt::format("the constant {}", to_text(o.constant));
      want.resize(b.bytes());
      Fill constant;
      constant.constant = o.constant;
      fill(b.type, constant, want);
    }
    if (o.against != OutputSpec::Against::Nothing)
      r.verification = compare(b.type, got, want, o.tolerance, b.shape);
    want.clear();
    if (o.dump == "-") {
      r.printed = preview(b.type, got, o.first);
    } else if (!o.dump.empty()) {
      r.dumped = o.dump;
      std::string text = o.dump.ends_with(".csv")
                             ? csv(b.type, got, b.shape)
                             : std::string(reinterpret_cast<const char*>(got.data()), got.size());
      dumps_.emplace_back(path_of(o.dump), std::move(text));
    }
    result_.outputs.push_back(std::move(r));
  }

  const LaunchFile& file_;
  workload::Device& device_;
  const DeviceExtras& extras_;
  std::vector<const ptx::Function*> kernels_;     // by launch
  std::vector<std::vector<std::byte>> expected_;  // by output
  Addresses addresses_;
  Handles handles_;
  std::vector<std::pair<std::filesystem::path, std::string>> dumps_;
  LaunchResult result_;
};

std::string to_text(const workload::Dim3& d) {
  if (d.z != 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y != 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

exec::TexAddress tex_address(const std::string& name) {
  if (name == "wrap") return exec::TexAddress::Wrap;
  if (name == "mirror") return exec::TexAddress::Mirror;
  return name == "border" ? exec::TexAddress::Border : exec::TexAddress::Clamp;
}

}  // namespace

bool LaunchResult::ok() const {
  return std::all_of(outputs.begin(), outputs.end(),
                     [](const OutputResult& o) { return !o.verification || o.verification->ok; });
}

DeviceExtras extras_of(workload::Device& device) {
  auto* executing = dynamic_cast<exec::DeviceBase*>(&device);
  if (executing == nullptr) return {};
  DeviceExtras extras;
  if (auto* timing = dynamic_cast<gpu::TimingDevice*>(&device))
    extras.set_registers = [timing](std::optional<std::uint32_t> n) { timing->set_registers(n); };
  extras.make_texture = [executing](const TextureSpec& x, Element type, DevicePtr p) {
    if (size_of(type) > 4)
      throw Error(x.place, fmt::format("texels of type {} do not exist; use at most 32 bits", name(type)));
    exec::Texture t;
    t.address = static_cast<mem::Address>(p);
    t.width = x.width;
    t.height = x.height;
    t.channels = static_cast<std::uint8_t>(x.channels);
    t.channel_bits = static_cast<std::uint8_t>(8 * size_of(type));
    t.pitch = std::uint64_t{x.width} * x.channels * size_of(type);
    const bool is_signed = type == Element::S8 || type == Element::S16 || type == Element::S32;
    t.format = is_float(type) ? exec::TexelFormat::Float
               : is_signed    ? exec::TexelFormat::Signed
                              : exec::TexelFormat::Unsigned;
    t.normalized_coordinates = x.normalized_coordinates;
    t.normalized_values = x.normalized_values;
    t.filter = x.linear ? exec::TexFilter::Linear : exec::TexFilter::Point;
    t.address_u = tex_address(x.address_u);
    t.address_v = tex_address(x.address_v);
    return executing->textures().create(t);
  };
  return extras;
}

LaunchResult run_launch_file(const LaunchFile& launch, std::string_view ptx_text, std::string_view ptx_file,
                             workload::Device& device, const DeviceExtras& extras) {
  return Runner(launch, device, extras).run(ptx_text, ptx_file);
}

std::string describe(const LaunchResult& result) {
  std::string out;
  for (const auto& s : result.steps)
    out += fmt::format("launched {}<<<{}, {}>>>{}\n", s.kernel, to_text(s.grid), to_text(s.block),
                       s.repeat == 1 ? "" : fmt::format(" {} times", s.repeat));
  for (const OutputResult& o : result.outputs) {
    if (o.verification) {
      const workload::Verification& v = *o.verification;
      out += fmt::format("{}: {} {} ({}, {}, largest error {:.3g})\n", o.buffer,
                         v.ok ? "matches" : "DIFFERS FROM", o.against, counted(v.compared, "value"),
                         v.tolerance, v.max_error);
      if (!v.ok) out += fmt::format("  {}\n", v.detail);
    }
    if (!o.printed.empty()) out += fmt::format("{} = {}\n", o.buffer, o.printed);
    if (!o.dumped.empty()) out += fmt::format("{}: written to {}\n", o.buffer, o.dumped);
  }
  for (const std::string& n : result.notes) out += "note: " + n + "\n";
  return out;
}

}  // namespace heddle::launch
