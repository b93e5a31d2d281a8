#include "exec/device/device_base.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::exec {
namespace {

using workload::DevicePtr;
using workload::Launch;

constexpr std::uint64_t kLargestShared = 233'472;  // of an SM of the H200
constexpr std::uint64_t kWorkspaceBytes = 4096;

mem::Address address(DevicePtr p) {
  return static_cast<mem::Address>(p);
}

TexelFormat texel_format(workload::TexelKind kind) {
  switch (kind) {
    case workload::TexelKind::Signed:
      return TexelFormat::Signed;
    case workload::TexelKind::Unsigned:
      return TexelFormat::Unsigned;
    case workload::TexelKind::Float:
      break;
  }
  return TexelFormat::Float;
}

void check(const Launch& launch, const KernelImage& image) {
  auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("cannot launch '{}': {}", launch.kernel, what));
  };
  const std::uint64_t threads = launch.block.count();
  if (threads == 0 || threads > 1024 || launch.block.x > 1024 || launch.block.y > 1024)
    refuse(fmt::format("{} threads per CTA; the block must have 1 to 1024", threads));
  if (launch.grid.count() == 0) refuse("the grid is empty");
  if (launch.block.z > 64) refuse(fmt::format("the block is {} deep; z is at most 64", launch.block.z));
  if (launch.grid.x > 0x7fffffffu || launch.grid.y > 0xffff || launch.grid.z > 0xffff)
    refuse(fmt::format("the grid is {} x {} x {}; at most 2147483647 x 65535 x 65535", launch.grid.x,
                       launch.grid.y, launch.grid.z));
  const std::uint64_t shared = std::uint64_t{image.static_shared} + launch.dynamic_shared;
  if (shared > kLargestShared)
    refuse(fmt::format("{} bytes of shared memory; no card has more than {}", shared, kLargestShared));
  const ptx::Function& f = *image.functions[0].source;
  if (f.max_threads && threads > *f.max_threads)
    refuse(fmt::format("{} threads per CTA, but .maxntid allows {}", threads, *f.max_threads));
  if (f.required_threads && threads != *f.required_threads)
    refuse(fmt::format("{} threads per CTA, but .reqntid requires {}", threads, *f.required_threads));
  const std::size_t given = launch.args.block().size();
  if (given != image.param_bytes) {
    std::string list;
    for (const ptx::Variable& p : f.params)
      list += fmt::format("{}{} bytes at {}", list.empty() ? "" : ", ", p.size, p.offset);
    throw Error(fmt::format("cannot launch '{}': {} bytes of arguments given, the kernel takes {}",
                            launch.kernel, given, image.param_bytes),
                "Its parameters: " + list);
  }
}

}  // namespace

DevicePtr DeviceBase::allocate(std::uint64_t bytes, std::string_view label) {
  return DevicePtr{memory_.allocate(bytes, label)};
}
void DeviceBase::release(DevicePtr p) {
  memory_.release(address(p));
}
void DeviceBase::copy_in(DevicePtr to, const void* from, std::uint64_t bytes) {
  memory_.write(address(to), from, bytes);
  input_.add(address(to));
  input_.add(from, bytes);
  copied_in(address(to), bytes);
}
void DeviceBase::copy_out(void* to, DevicePtr from, std::uint64_t bytes) {
  memory_.read(to, address(from), bytes);
}
void DeviceBase::fill(DevicePtr to, std::uint8_t value, std::uint64_t bytes) {
  memory_.fill(address(to), value, bytes);
}

void DeviceBase::load_module(std::string_view ptx_text, std::string_view file) {
  input_.add(ptx_text);
  modules_.push_back(std::make_unique<LoadedModule>(module_text(ptx_text, file), std::string(file), memory_,
                                                    modules_, order_, linking_));
}

DevicePtr DeviceBase::symbol(std::string_view name, std::uint64_t* bytes) {
  for (const auto& m : modules_)
    if (const mem::Address a = m->find_variable(name, bytes); a != 0) return DevicePtr{a};
  throw Error(fmt::format("no loaded module has a .global or .const variable '{}'", name));
}

std::uint64_t DeviceBase::texture(const workload::TextureView& view) {
  const auto one_of = [](std::uint32_t n, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return n == a || n == b || n == c;
  };
  const bool narrow_float = view.kind == workload::TexelKind::Float && view.channel_bits == 8;
  if (!one_of(view.channel_bits, 8, 16, 32) || !one_of(view.channels, 1, 2, 4) || narrow_float)
    throw Error(
        fmt::format("a texture has texels of {} channels of {} bits", view.channels, view.channel_bits),
        "Texels have 1, 2 or 4 channels of 8 (no floats), 16 or 32 bits.");
  if (view.normalized && (view.kind == workload::TexelKind::Float || view.channel_bits == 32))
    throw Error(
        fmt::format("a texture of {} of {} bits cannot be normalized",
                    view.kind == workload::TexelKind::Float ? "floats" : "integers", view.channel_bits),
        "Integers of 8 or 16 bits can.");
  if (view.height > 0 && view.row_bytes() % kRowAlignment != 0)
    throw Error(fmt::format("rows of a texture are {} bytes long", view.row_bytes()),
                fmt::format("Make them a multiple of {} bytes.", kRowAlignment));
  Texture t;
  t.address = address(view.texels);
  t.width = view.width;
  t.height = std::max(view.height, 1u);
  t.pitch = view.row_bytes();
  t.format = texel_format(view.kind);
  t.channel_bits = static_cast<std::uint8_t>(view.channel_bits);
  t.channels = static_cast<std::uint8_t>(view.channels);
  t.normalized_values = view.normalized;
  return textures_.create(t);
}

std::string DeviceBase::input_hash() const {
  return fmt::format("{:016x}", input_.value());
}

const KernelImage& DeviceBase::kernel(const std::string& name, std::uint32_t module) const {
  std::string known;
  for (const auto& m : modules_) {
    if (module != Launch::kAnyModule && m != modules_.at(module)) continue;
    if (const KernelImage* k = m->find_kernel(name)) return *k;
    for (const auto& k : m->kernels()) known += (known.empty() ? "" : ", ") + k->name;
  }
  throw Error(fmt::format("no loaded module has a kernel '{}'", name),
              known.empty() ? "No kernel is loaded." : "Kernels: " + known);
}

void DeviceBase::add_children(std::vector<ChildLaunch> children) {
  children_.insert(children_.end(), children.begin(), children.end());
}

std::vector<ChildLaunch> DeviceBase::take_children() {
  std::vector<ChildLaunch> all = std::exchange(children_, {});
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.tail() != b.tail() ? b.tail() : a.cta < b.cta;
  });
  return all;
}

Launch DeviceBase::launch_of(const ChildLaunch& child, std::uint32_t module) const {
  ChildHeader header;
  memory_.read(&header, child.buffer, sizeof header);
  const ptx::Function& f = modules_.at(module)->module().functions.at(header.function);
  Launch launch;
  launch.kernel = f.name;
  launch.module = module;
  launch.grid = header.grid;
  launch.block = header.block;
  launch.dynamic_shared = header.shared;
  for (const ptx::Variable& p : f.params)
    launch.args.add_bytes(memory_.host(child.buffer + kChildArguments + p.offset), p.size, p.align);
  return launch;
}

void DeviceBase::release(const ChildLaunch& child) {
  if (child.heap != nullptr)
    child.heap->release(child.buffer);
  else
    memory_.release(child.buffer);
}

LaunchData DeviceBase::prepare(const Launch& asked, Bytes recursive_stack) {
  LaunchData data = data_of(substituted(asked), recursive_stack);
  input_.add(asked.kernel);
  for (std::uint32_t n : {asked.grid.x, asked.grid.y, asked.grid.z, asked.block.x, asked.block.y,
                          asked.block.z, asked.dynamic_shared})
    input_.add(std::uint64_t{n});
  input_.add(asked.args.block().data(), asked.args.block().size());
  return data;
}

LaunchData DeviceBase::data_of(const Launch& launch, Bytes recursive_stack) {
  const KernelImage& image = kernel(launch.kernel, launch.module);
  check(launch, image);
  if (image.launches && linking_ != Linking::AtLaunch)
    throw Error(fmt::format("kernel '{}' launches kernels, which works in whole programs only", image.name),
                "Run the program that it belongs to: heddle exec -- ./program");
  if (grid_workspace_ == 0) grid_workspace_ = memory_.allocate(kWorkspaceBytes, "grid synchronisation");
  memory_.fill(grid_workspace_, 0, kWorkspaceBytes);
  LaunchData data;
  data.image = &image;
  data.textures = &textures_;
  data.grid = launch.grid;
  data.block = launch.block;
  data.params = launch.args.block();
  data.dynamic_shared = launch.dynamic_shared;
  data.registers = launch.registers;
  data.shared_bytes = image.static_shared + launch.dynamic_shared;
  data.grid_workspace = grid_workspace_;
  const std::uint64_t stack = image.local_bytes + (image.recursive ? recursive_stack.count() : 0);
  data.stack_bytes = static_cast<std::uint32_t>((stack + 15) / 16 * 16);
  return data;
}

}  // namespace heddle::exec
