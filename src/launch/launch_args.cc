#include "launch/launch_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "base/demangle.h"
#include "base/text.h"
#include "ptx/ir/signature.h"

namespace heddle::launch {
namespace {

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
      out.resize(align_up(out.size(), one.size()));
      out.insert(out.end(), one.begin(), one.end());
    }
    out.resize(align_up(out.size(), align));
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
  static std::string_view name(Element e) { return launch::name(e); }

  const LaunchFile& file_;
  const ptx::Function& kernel_;
  const Addresses& addresses_;
  const Handles& handles_;
};

}  // namespace

workload::KernelArgs pack_arguments(const LaunchFile& file, const LaunchStep& step,
                                    const ptx::Function& kernel, const Addresses& addresses,
                                    const Handles& handles) {
  return ArgumentPacker(file, kernel, addresses, handles).pack(step);
}

}  // namespace heddle::launch
