// Values to try for parameters, from what a ParamTable says of them: so that what a slot's implementation
// declares is tried without being named in a test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/mergers.h"
#include "config/params.h"
#include "sm/load_fronts.h"

namespace heddle::contract {

// The least of an integer's limits ("1 to 4096, a power of two"); none for other kinds.
std::optional<std::uint64_t> least_of(const config::Param& p);

// Values other than the default, as --set takes them: an integer's three least ones, a boolean's other one,
// the other names of a choice. Empty for other kinds.
std::vector<std::string> values_to_try(const config::Param& p);

// One implementation of a slot with a few parameters changed.
template <class Factory>
struct Variant {
  std::string name;  // "icc_cc lines=1"
  Factory make;
  bool sizes_only = true;  // nothing but integers differ from the defaults
};
using MergerVariant = Variant<cluster::MergerFactory>;
using FrontVariant = Variant<sm::LoadFrontFactory>;

// A kind with its defaults, with all integers at their least, and with each value to try of each parameter.
// What the kind refuses is left out.
std::vector<MergerVariant> variants(const cluster::MergerKind& kind);
std::vector<FrontVariant> variants(const sm::LoadFrontKind& kind);

}  // namespace heddle::contract
