// The values of declared statistics at one moment, with all that is known about them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "stats/visitor.h"

namespace heddle::stats {

enum class Kind : std::uint8_t { Counter, Peak, Histogram, Derived };
std::string_view name(Kind kind);

struct Info {
  std::string name;  // "l1.hit_rate"
  Kind kind = Kind::Counter;
  std::string unit;
  std::string description;
  std::string nsight;   // empty when Nsight Compute has none that means the same
  std::string formula;  // Derived only: "l1.hits / l1.requests"
};

struct Bin {
  std::uint64_t from = 0;  // up to the next bin's `from`; the last bin has no end
  std::uint64_t count = 0;
};

struct HistogramValue {
  std::vector<Bin> bins;
  std::uint64_t samples = 0;
  std::uint64_t sum = 0;
  std::uint64_t largest = 0;
  double mean() const;  // not a number without samples
};

// Counters and peaks are integers; a derived value that does not exist (0 / 0) is not a number.
using Reading = std::variant<std::uint64_t, double, HistogramValue>;

struct Statistic {
  Info info;
  Reading reading;
};

class Snapshot {
 public:
  // Appends the statistics of `stats` (any struct with statistics(Visitor&)), named `prefix.name`.
  template <class S>
  void add(std::string_view prefix, S stats) {  // by value: declarations take references that may be written
    visit(prefix, [&](Visitor& v) { stats.statistics(v); });
  }
  std::span<const Statistic> all() const { return all_; }
  const Statistic* find(std::string_view name) const;
  // The value of a counter or peak; throws Error with the nearest name when there is none.
  std::uint64_t count(std::string_view name) const;

 private:
  template <class F>
  void visit(std::string_view prefix, F&& walk);
  friend class Collector;
  std::vector<Statistic> all_;
};

// Collects every declared statistic, in order.
class Collector final : public Visitor {
 public:
  Collector(Snapshot& into, std::string_view prefix);
  void counter(std::string_view name, std::uint64_t& value, const About& about) override;
  void peak(std::string_view name, std::uint64_t& value, const About& about) override;
  void histogram(std::string_view name, HistogramRef value, const About& about) override;
  void ratio(std::string_view name, const std::uint64_t& above, const std::uint64_t& below,
             const About& about) override;
  void derived(std::string_view name, double value, std::string_view formula, const About& about) override;

 protected:
  void enter(std::string_view name) override;
  void leave() override;

 private:
  struct Named {
    const std::uint64_t* value;
    std::size_t index;  // in the snapshot
  };
  void append(std::string_view name, Kind kind, const About& about, Reading reading,
              std::string formula = {});
  std::string name_of(const std::uint64_t& value) const;

  Snapshot& into_;
  std::string prefix_;  // with its dot
  std::vector<std::size_t> outer_;
  std::vector<Named> named_;
};

template <class F>
void Snapshot::visit(std::string_view prefix, F&& walk) {
  Collector collector(*this, prefix);
  walk(collector);
}

namespace detail {
// Every 64-bit word of a struct's counters, in the order of declaration, with how parts combine.
struct Word {
  std::uint64_t* at;
  bool maximum;
};
std::vector<Word> words(const std::function<void(Visitor&)>& walk);
void combine(const std::vector<Word>& into, const std::vector<Word>& from);
template <class S>
std::vector<Word> words_of(S& stats) {
  return words([&](Visitor& v) { stats.statistics(v); });
}

// Where those words are in a struct, as 64-bit words from its beginning: the same in all of a type that keeps
// them in itself.
struct Layout {
  Layout(const std::vector<Word>& words, const void* begin);
  void combine(void* into, const void* from) const;

 private:
  std::vector<std::uint32_t> sums_, maxima_;
};
}  // namespace detail

// Adds `from` to `into` (two of the same struct): counters and bins add up, peaks take the larger. A struct
// without pointers is looked through once; which statistics it declares must not depend on their values.
template <class S>
void accumulate(S& into, const S& from) {
  if constexpr (std::is_trivially_copyable_v<S>) {
    static const detail::Layout kLayout(detail::words_of(into), &into);
    kLayout.combine(&into, &from);
  } else {
    S copy = from;
    detail::combine(detail::words_of(into), detail::words_of(copy));
  }
}

// How many 64-bit words of a struct are declared: a test compares it with the struct's size, so that no
// counter is forgotten.
template <class S>
std::size_t declared_words(S stats = {}) {
  return detail::words_of(stats).size();
}

}  // namespace heddle::stats
