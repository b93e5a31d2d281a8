// How a component declares and reads its parameters: one line each, beside the struct that holds them.
//
//   struct CacheSpec {
//     Bytes size = 48_KiB;                       // the initial value is the default
//     std::uint32_t ways = 4;
//     Replacement replacement = Replacement::Lru;
//     void fields(config::Reader& r) {
//       r.field("size", size, range(1_KiB, 16_MiB), "Capacity of the data array");
//       r.field("ways", ways, range(1, 64).power_of_two(), "Lines per set");
//       r.choice("replacement", replacement, {{"lru", Replacement::Lru, "least recently used"}, ...},
//                "Which line makes room");
//     }
//   };
//   struct GpuSpec { CacheSpec l1; ... void fields(config::Reader& r) { r.section("l1", l1, "L1 data cache");
//   } };
//
//   GpuSpec gpu = config::read<GpuSpec>(config);   // throws Error: place, key, what was expected
//   config.check_all_read();                       // throws on misspelt keys
//   config::ParamTable table = config::describe<GpuSpec>();   // for `heddle explain` and the docs
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/codec.h"
#include "config/config.h"
#include "config/limits.h"
#include "config/params.h"

namespace heddle::config {

template <class E>
struct Choice {
  std::string_view name;
  E value;
  std::string_view description;
};

class Reader {
 public:
  // Both must outlive the reader; without a config, fields keep their defaults and are only described.
  Reader(Config* config, ParamTable* table) : config_(config), table_(table) {}

  // A parameter whose default is what `value` holds now.
  template <class T>
  void field(std::string_view name, T& value, const Limits<std::type_identity_t<T>>& limits,
             std::string_view description) {
    scalar(name, value, limits, description, false);
  }
  template <class T>
  void field(std::string_view name, T& value, std::string_view description) {
    plain(name, value, description, false);
  }
  // A parameter that a configuration must give.
  template <class T>
  void required(std::string_view name, T& value, const Limits<std::type_identity_t<T>>& limits,
                std::string_view description) {
    scalar(name, value, limits, description, true);
  }
  template <class T>
  void required(std::string_view name, T& value, std::string_view description) {
    plain(name, value, description, true);
  }

  // One of a few names.
  template <class E>
  void choice(std::string_view name, E& value, std::initializer_list<Choice<std::type_identity_t<E>>> choices,
              std::string_view description) {
    std::vector<NamedChoice> names;
    std::size_t now = 0;
    for (const auto& c : choices) {
      if (c.value == value) now = names.size();
      names.push_back({std::string(c.name), std::string(c.description)});
    }
    value = (choices.begin() + pick(name, names, now, description))->value;
  }
  // One of names known only at run time (implementations of a slot, from the catalog).
  void choice(std::string_view name, std::string& value, const std::vector<NamedChoice>& choices,
              std::string_view description);

  // Parameters of a part, under `name.`.
  template <class S>
  void section(std::string_view name, S& part, std::string_view description = {}) {
    Reader inner = within(name, description);
    part.fields(inner);
  }

  // A list of tables ([[name]]): one element each. In a description the element's path reads name[].
  template <class S>
  void list(std::string_view name, std::vector<S>& elements, std::string_view description = {}) {
    const std::size_t n = list_elements(name);
    if (config_ == nullptr) {
      S example{};
      Reader inner = within(std::string(name) + "[]", description);
      example.fields(inner);
      return;
    }
    elements.assign(n, S{});
    for (std::size_t i = 0; i < n; ++i) {
      Reader inner = within(std::string(name) + "[" + std::to_string(i) + "]", description);
      elements[i].fields(inner);
    }
  }

  // Says that the values of `names` do nothing beside others that were read, and why. A name that ends in '.'
  // means everything below it.
  void unused(std::initializer_list<std::string_view> names, std::string_view why) const;

  // An Error at the place where `name` was given, for checks that involve several fields.
  [[noreturn]] void fail(std::string_view name, std::string message, std::string advice = {}) const;

 private:
  template <class T>
  void scalar(std::string_view name, T& value, const Limits<T>& limits, std::string_view description,
              bool must) {
    const Entry* entry = declare(name, Codec<T>::kind, must ? Value{std::string()} : Codec<T>::write(value),
                                 limits.text(), description, must);
    if (entry != nullptr) {
      take(name, *entry, value);
      if (!limits.allow(value)) refuse(name, *entry, "expected " + limits.text());
    }
    settle(name, Codec<T>::write(value));
  }
  template <class T>
  void plain(std::string_view name, T& value, std::string_view description, bool must) {
    const Entry* entry = declare(name, Codec<T>::kind, must ? Value{std::string()} : Codec<T>::write(value),
                                 "", description, must);
    if (entry != nullptr) take(name, *entry, value);
    settle(name, Codec<T>::write(value));
  }
  template <class T>
  void take(std::string_view name, const Entry& entry, T& value) const {
    auto parsed = Codec<T>::read(entry.value);
    if (!parsed) refuse(name, entry, parsed.why);
    value = std::move(*parsed.value);
  }

  std::string path(std::string_view name) const { return prefix_ + std::string(name); }
  Reader within(std::string_view name, std::string_view description) const;
  std::size_t list_elements(std::string_view name);
  // Adds the parameter to the table; returns its entry when the configuration has one.
  const Entry* declare(std::string_view name, std::string_view kind, const Value& by_default,
                       const std::string& limits, std::string_view description, bool must);
  void settle(std::string_view name, Value value);
  [[noreturn]] void refuse(std::string_view name, const Entry& entry, const std::string& why) const;
  std::size_t pick(std::string_view name, const std::vector<NamedChoice>& choices, std::size_t by_default,
                   std::string_view description);

  Config* config_;
  ParamTable* table_;
  std::string prefix_;
};

// Reads a whole specification. `table`, if given, receives its parameters.
template <class S>
S read(Config& config, S spec = {}, ParamTable* table = nullptr) {
  Reader reader(&config, table);
  spec.fields(reader);
  return spec;
}

// The parameters of a specification, without a configuration.
template <class S>
ParamTable describe(S spec = {}) {
  ParamTable table;
  Reader reader(nullptr, &table);
  spec.fields(reader);
  return table;
}

}  // namespace heddle::config
