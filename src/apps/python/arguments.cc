#include "apps/python/arguments.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "launch/launch_data.h"
#include "ptx/ir/signature.h"

namespace heddle::python {
namespace {

using launch::Element;

struct Elements {
  Element negative, positive, real;
};

// PTX does not keep signs apart (nvcc writes .u32 for int): an integer may be of either, as long as it fits.
std::optional<Elements> elements(ptx::Type t) {
  switch (ptx::bits(t)) {
    case 8:
      return Elements{Element::S8, Element::U8, Element::U8};
    case 16:
      return Elements{Element::S16, Element::U16, Element::F16};
    case 32:
      return Elements{Element::S32, Element::U32, Element::F32};
    case 64:
      return Elements{Element::S64, Element::U64, Element::F64};
    default:
      return std::nullopt;
  }
}

class Packer {
 public:
  explicit Packer(const ptx::Function& kernel) : kernel_(kernel) {}

  workload::KernelArgs pack(std::span<const Argument> given) {
    if (given.size() != kernel_.params.size())
      throw Error(fmt::format("'{}': {} given, the kernel takes {}", base_name(kernel_.name),
                              counted(given.size(), "argument"), kernel_.params.size()),
                  ptx::signature(kernel_));
    std::vector<std::byte> block(kernel_.param_bytes);
    for (at_ = 0; at_ < given.size(); ++at_) {
      const Bytes bytes = one(given[at_]);
      std::copy(bytes.begin(), bytes.end(), block.begin() + static_cast<std::ptrdiff_t>(parameter().offset));
    }
    workload::KernelArgs args;
    if (!block.empty()) args.add_bytes(block.data(), block.size(), 1);
    return args;
  }

 private:
  const ptx::Variable& parameter() const { return kernel_.params[at_]; }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("argument {} of '{}' ({}): {}", at_ + 1, base_name(kernel_.name),
                            ptx::parameter_type(parameter()), why),
                ptx::signature(kernel_));
  }

  Bytes one(const Argument& a) const {
    const ptx::Variable& p = parameter();
    if (const auto* bytes = std::get_if<Bytes>(&a)) {
      if (bytes->size() != p.size)
        refuse(fmt::format("{} given, the parameter has {}", counted(bytes->size(), "byte"), p.size));
      return *bytes;
    }
    if (p.size != ptx::bytes(p.type))
      refuse(fmt::format("a struct of {}; give it as bytes", counted(p.size, "byte")));
    if (const auto* address = std::get_if<Address>(&a)) {
      if (p.size != 8 || ptx::is_float(p.type))
        refuse("an array was given, which is an address of 8 bytes; the parameter is no pointer");
      return stored(address->value);
    }
    return number(a);
  }

  Bytes number(const Argument& a) const {
    const ptx::Variable& p = parameter();
    const auto type = elements(p.type);
    const bool halves =
        p.type == ptx::Type::BF16 || p.type == ptx::Type::BF16x2 || p.type == ptx::Type::F16x2;
    if (!type || halves) refuse("a number cannot become that; give it as bytes");
    const auto* real = std::get_if<double>(&a);
    if (ptx::is_float(p.type) || (real != nullptr && ptx::name(p.type).starts_with("b"))) {
      if (const auto* large = std::get_if<std::uint64_t>(&a))
        return element(type->real, static_cast<double>(*large));
      if (const auto* i = std::get_if<std::int64_t>(&a)) return element(type->real, *i);
      return element(type->real, *real);
    }
    if (real != nullptr) refuse(fmt::format("{} is no integer, the parameter is one", *real));
    if (const auto* large = std::get_if<std::uint64_t>(&a)) {
      if (p.size != 8) refuse(fmt::format("{} does not fit", *large));
      return stored(*large);
    }
    const std::int64_t i = std::get<std::int64_t>(a);
    return element(i < 0 ? type->negative : type->positive, i);
  }

  Bytes element(Element e, const launch::Number& n) const {
    Bytes out(launch::size_of(e));
    if (const std::string why = launch::store(e, n, out.data()); !why.empty()) refuse(why);
    return out;
  }

  static Bytes stored(std::uint64_t value) {
    Bytes out(sizeof value);
    std::memcpy(out.data(), &value, sizeof value);
    return out;
  }

  const ptx::Function& kernel_;
  std::size_t at_ = 0;
};

}  // namespace

workload::KernelArgs pack(const ptx::Function& kernel, std::span<const Argument> arguments) {
  return Packer(kernel).pack(arguments);
}

}  // namespace heddle::python
