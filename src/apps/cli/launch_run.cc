// Running launch files. Reading them is in launch_file.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "apps/cli/kernel_names.h"
#include "apps/cli/launch_file.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "exec/functional_device.h"
#include "ptx/module.h"

namespace heddle::cli {
namespace {

using workload::DevicePtr;

// What names denote while the launches run; `swap` exchanges them.
using Addresses = std::map<std::string, DevicePtr, std::less<>>;
using Handles = std::map<std::string, std::uint64_t, std::less<>>;

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

// Which element types a plain number becomes for a parameter of this PTX type. PTX does not keep signs apart
// (nvcc writes .u32 for int), so an integer may be of either sign as long as it fits the bits.
struct PlainTypes {
  std::optional<Element> is_signed, is_unsigned, real;
};
PlainTypes plain_types(ptx::Type t) {
  switch (ptx::bits(t)) {
    case 8:
      return {Element::S8, Element::U8, std::nullopt};
    case 16:
      return {Element::S16, Element::U16, Element::F16};
    case 32:
      return {Element::S32, Element::U32, Element::F32};
    case 64:
      return {Element::S64, Element::U64, Element::F64};
    default:
      return {};
  }
}

// Packs arguments as the kernel's parameters want them.
class ArgumentPacker {
 public:
  ArgumentPacker(const LaunchFile& file, const ptx::Function& kernel, const Addresses& addresses,
                 const Handles& handles)
      : file_(file), kernel_(kernel), addresses_(addresses), handles_(handles) {}

  workload::KernelArgs pack(const LaunchStep& step) const {
    if (step.args.size() != kernel_.params.size())
      throw Error(step.args_place,
                  fmt::format("{} given, the kernel takes {}", counted(step.args.size(), "argument"),
                              kernel_.params.size()),
                  signature(kernel_));
    // Written at the offsets that PTX gives, so that no rule about alignment is needed twice.
    std::vector<std::byte> block(kernel_.param_bytes);
    for (std::size_t i = 0; i < step.args.size(); ++i) {
      const ptx::Variable& p = kernel_.params[i];
      const std::vector<std::byte> bytes = argument(step.args[i], p, i);
      std::copy(bytes.begin(), bytes.end(), block.begin() + static_cast<std::ptrdiff_t>(p.offset));
    }
    workload::KernelArgs args;
    if (!block.empty()) args.add_bytes(block.data(), block.size(), 1);
    return args;
  }

 private:
  [[noreturn]] void refuse(const ArgSpec& a, std::size_t i, const std::string& why) const {
    throw Error(a.place, fmt::format("argument {} of '{}': {}", i + 1, base_name(kernel_.name), why),
                signature(kernel_));
  }

  std::vector<std::byte> argument(const ArgSpec& a, const ptx::Variable& p, std::size_t i) const {
    std::vector<std::byte> out;
    const bool is_struct = p.size != ptx::bytes(p.type);
    if (const auto* bytes = std::get_if<std::vector<std::byte>>(&a.value)) {
      out = *bytes;
    } else if (const auto* members = std::get_if<std::vector<ArgSpec>>(&a.value)) {
      out = pack_struct(*members, i);
      if (out.size() < p.size && p.size - out.size() < p.align) out.resize(p.size);  // padding at its end
    } else if (const auto* n = std::get_if<ArgSpec::Name>(&a.value)) {
      if (is_struct || p.size != 8)
        refuse(a, i,
               fmt::format("'{}' is an address of 8 bytes, the parameter is {}", n->name, parameter_type(p)));
      append(out, address_of(*n));
    } else {
      if (is_struct)
        refuse(
            a, i,
            fmt::format("the parameter is a struct of {}; give its members as a list, or {{ bytes = [...] }}",
                        counted(p.size, "byte")));
      out = scalar(std::get<ArgSpec::Scalar>(a.value), p, a, i);
    }
    if (out.size() != p.size)
      refuse(a, i,
             fmt::format("{} given, the parameter is {} with {}", counted(out.size(), "byte"),
                         parameter_type(p), counted(p.size, "byte")));
    return out;
  }

  std::vector<std::byte> scalar(const ArgSpec::Scalar& s, const ptx::Variable& p, const ArgSpec& a,
                                std::size_t i) const {
    std::byte bytes[8] = {};
    const auto stored = [&](Element e) { return std::vector<std::byte>(bytes, bytes + size_of(e)); };
    const auto check = [&](const std::string& why) {
      if (!why.empty()) refuse(a, i, why);
    };
    if (s.type) {
      if (ptx::is_float(p.type) != is_float(*s.type) && !name(p.type).starts_with("b"))
        refuse(a, i, fmt::format("{} given, the parameter is {}", name(*s.type), parameter_type(p)));
      check(store(*s.type, s.value, bytes));
      return stored(*s.type);
    }
    const PlainTypes types = plain_types(p.type);
    if (!types.is_signed)
      refuse(a, i, fmt::format("a number cannot become {}; use {{ bytes = [...] }}", parameter_type(p)));
    const bool untyped = ptx::name(p.type).starts_with("b");
    if (ptx::is_float(p.type) || (untyped && std::holds_alternative<double>(s.value) && types.real)) {
      if (p.type == ptx::Type::BF16 || p.type == ptx::Type::BF16x2 || p.type == ptx::Type::F16x2)
        refuse(a, i, fmt::format("a number cannot become {}; use {{ bytes = [...] }}", parameter_type(p)));
      check(store(*types.real, s.value, bytes));
      return stored(*types.real);
    }
    if (std::holds_alternative<double>(s.value))
      refuse(a, i, fmt::format("{} is no integer, the parameter is {}", to_text(s.value), parameter_type(p)));
    const Element e = std::get<std::int64_t>(s.value) < 0 ? *types.is_signed : *types.is_unsigned;
    check(store(e, s.value, bytes));
    return stored(e);
  }

  // C layout: every member at a multiple of its size. Plain integers are int, plain reals float.
  std::vector<std::byte> pack_struct(const std::vector<ArgSpec>& members, std::size_t i) const {
    std::vector<std::byte> out;
    std::size_t align = 1;
    for (const ArgSpec& m : members) {
      std::vector<std::byte> one;
      if (const auto* n = std::get_if<ArgSpec::Name>(&m.value)) {
        append(one, address_of(*n));
      } else if (const auto* bytes = std::get_if<std::vector<std::byte>>(&m.value)) {
        out.insert(out.end(), bytes->begin(), bytes->end());
        continue;
      } else {
        const auto& s = std::get<ArgSpec::Scalar>(m.value);
        const Element e = s.type                                    ? *s.type
                          : std::holds_alternative<double>(s.value) ? Element::F32
                                                                    : Element::S32;
        one.resize(size_of(e));
        if (const std::string why = store(e, s.value, one.data()); !why.empty()) refuse(m, i, why);
      }
      align = std::max(align, one.size());
      out.resize((out.size() + one.size() - 1) / one.size() * one.size());
      out.insert(out.end(), one.begin(), one.end());
    }
    out.resize((out.size() + align - 1) / align * align);
    return out;
  }

  std::uint64_t address_of(const ArgSpec::Name& n) const {
    if (const auto at = handles_.find(n.name); at != handles_.end()) return at->second;
    const std::uint64_t element = size_of(file_.find_buffer(n.name)->type);
    return static_cast<std::uint64_t>(addresses_.find(n.name)->second) + n.offset * element;
  }

  static void append(std::vector<std::byte>& out, std::uint64_t v) {
    out.resize(out.size() + sizeof v);
    std::memcpy(out.data() + out.size() - sizeof v, &v, sizeof v);
  }
  static std::string_view name(ptx::Type t) { return ptx::name(t); }
  static std::string_view name(Element e) { return cli::name(e); }

  const LaunchFile& file_;
  const ptx::Function& kernel_;
  const Addresses& addresses_;
  const Handles& handles_;
};

class Runner {
 public:
  Runner(const LaunchFile& file, workload::Device& device, const DeviceExtras& extras)
      : file_(file), device_(device), extras_(extras) {}

  LaunchResult run(std::string_view ptx_text, std::string_view ptx_file) {
    const ptx::Module module = ptx::parse_module(std::string(ptx_text), std::string(ptx_file));
    for (const LaunchStep& s : file_.launches)
      kernels_.push_back(&find_kernel(module, s.kernel, s.kernel_place));
    read_expected();
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

  void make_buffer(const BufferSpec& b) {
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
    ArgumentPacker(file_, kernel, addresses_, handles_).pack(s);
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
      launch.args = ArgumentPacker(file_, kernel, addresses_, handles_).pack(s);
      device_.launch(launch);
      for (const auto& [a, b] : s.swaps) std::swap(addresses_.at(a), addresses_.at(b));
    }
    result_.steps.push_back({base_name(kernel.name), s.grid, s.block, s.repeat});
  }

  std::vector<std::byte> contents(const BufferSpec& b) const {
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
  auto* functional = dynamic_cast<exec::FunctionalDevice*>(&device);
  if (functional == nullptr) return {};
  DeviceExtras extras;
  extras.make_texture = [functional](const TextureSpec& x, Element type, DevicePtr p) {
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
    return functional->textures().create(t);
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

}  // namespace heddle::cli
