// What is known about parameters: for `heddle explain`, `heddle list` and the docs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::config {

struct NamedChoice {
  std::string name;
  std::string description;
};

struct Param {
  std::string path;           // "l1.size"
  std::string kind;           // "size", "integer", "one of", ...
  std::string default_value;  // "48KiB"; empty when `required`
  std::string limits;         // "1KiB to 16MiB"; empty when everything of its kind is allowed
  std::string description;
  std::vector<NamedChoice> choices;
  bool required = false;
};

class ParamTable {
 public:
  void add(Param param);
  void add_section(std::string path, std::string description);
  void set_choices(std::string_view path, std::vector<NamedChoice> choices);
  const Param* find(std::string_view path) const;
  std::span<const Param> params() const { return params_; }  // in the order of declaration
  std::vector<std::string> paths() const;
  // Everything about one parameter, or about all whose path starts with `path.`; throws Error with the
  // nearest name when there is none.
  std::string explain(std::string_view path) const;
  // A Markdown table, for the docs.
  std::string markdown() const;

 private:
  struct Section {
    std::string path, description;
  };
  std::vector<Param> params_;
  std::vector<Section> sections_;
};

}  // namespace heddle::config
