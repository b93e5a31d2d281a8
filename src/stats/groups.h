// Statistics of parts that are known only when a machine is put together: named groups, each a struct that
// declares its counters (stats/visitor.h). A group keeps its place: names come out in the order in which
// groups were made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "base/error.h"
#include "stats/snapshot.h"

namespace heddle::stats {

class Groups {
 public:
  Groups() = default;
  Groups(const Groups& other);
  Groups& operator=(const Groups& other);
  Groups(Groups&&) noexcept = default;
  Groups& operator=(Groups&&) noexcept = default;

  // The group `name`, made from `zero` if there is none yet. A name stands for one struct only.
  template <class S>
  S& make(std::string_view name, const S& zero = {}) {
    if (Group* g = find(name)) return value<S>(*g);
    groups_.push_back(std::make_unique<Typed<S>>(name, zero));
    return static_cast<Typed<S>&>(*groups_.back()).stats;
  }
  // Adds `part` to the group `name`.
  template <class S>
  void add(std::string_view name, const S& part) {
    if (Group* g = find(name))
      accumulate(value<S>(*g), part);
    else
      make(name, part);
  }
  // Zeros when there is no such group.
  template <class S>
  const S& get(std::string_view name) const {
    static const S kZero = {};
    Group* g = find(name);
    return g == nullptr ? kZero : value<S>(*g);
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  // Counters of groups of the same name add up; other groups are taken over.
  void add(const Groups& other);
  void statistics(Visitor& v);

 private:
  struct Group {
    explicit Group(std::string_view n) : name(n) {}
    virtual ~Group() = default;
    virtual std::unique_ptr<Group> copy() const = 0;
    virtual void add(const Group& other) = 0;
    virtual void visit(Visitor& v) = 0;
    std::string name;
  };
  template <class S>
  struct Typed final : Group {
    Typed(std::string_view n, const S& s) : Group(n), stats(s) {}
    std::unique_ptr<Group> copy() const override { return std::make_unique<Typed>(this->name, stats); }
    void add(const Group& other) override { accumulate(stats, value<S>(other)); }
    void visit(Visitor& v) override { v.group(this->name, stats); }
    S stats;
  };
  template <class S>
  static S& value(Group& g) {
    if (auto* typed = dynamic_cast<Typed<S>*>(&g)) return typed->stats;
    wrong_struct(g.name, typeid(S).name());
  }
  template <class S>
  static const S& value(const Group& g) {
    return value<S>(const_cast<Group&>(g));
  }
  [[noreturn]] static void wrong_struct(const std::string& name, const char* asked);
  Group* find(std::string_view name) const;

  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace heddle::stats
