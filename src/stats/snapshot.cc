#include "stats/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/suggest.h"

namespace heddle::stats {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

double quotient(std::uint64_t above, std::uint64_t below) {
  return below == 0 ? kNoValue : static_cast<double>(above) / static_cast<double>(below);
}

// Finds the words that hold a struct's counters.
class WordFinder final : public Visitor {
 public:
  void counter(std::string_view, std::uint64_t& value, const About&) override {
    words_.push_back({&value, false});
  }
  void peak(std::string_view, std::uint64_t& value, const About&) override {
    words_.push_back({&value, true});
  }
  void histogram(std::string_view, HistogramRef h, const About&) override {
    for (std::uint64_t& bin : h.bins) words_.push_back({&bin, false});
    words_.push_back({h.sum, false});
    words_.push_back({h.largest, true});
  }
  void ratio(std::string_view, const std::uint64_t&, const std::uint64_t&, const About&) override {}
  void derived(std::string_view, double, std::string_view, const About&) override {}
  std::vector<detail::Word> take() { return std::move(words_); }

 private:
  std::vector<detail::Word> words_;
};

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::Counter:
      return "counter";
    case Kind::Peak:
      return "peak";
    case Kind::Histogram:
      return "histogram";
    case Kind::Derived:
      return "derived";
  }
  return "?";
}

double HistogramValue::mean() const {
  return quotient(sum, samples);
}

const Statistic* Snapshot::find(std::string_view name) const {
  for (const Statistic& s : all_)
    if (s.info.name == name) return &s;
  return nullptr;
}

std::uint64_t Snapshot::count(std::string_view name) const {
  if (const Statistic* s = find(name))
    if (const auto* value = std::get_if<std::uint64_t>(&s->reading)) return *value;
  std::vector<std::string> names;
  for (const Statistic& s : all_) names.push_back(s.info.name);
  throw Error(fmt::format("there is no counter '{}'", name), did_you_mean(name, names));
}

Collector::Collector(Snapshot& into, std::string_view prefix) : into_(into), prefix_(prefix) {
  if (!prefix_.empty()) prefix_ += '.';
}

void Collector::enter(std::string_view name) {
  outer_.push_back(prefix_.size());
  prefix_ += name;
  prefix_ += '.';
}

void Collector::leave() {
  prefix_.resize(outer_.back());
  outer_.pop_back();
}

void Collector::append(std::string_view name, Kind kind, const About& about, Reading reading,
                       std::string formula) {
  into_.all_.push_back({{prefix_ + std::string(name), kind, std::string(about.unit),
                         std::string(about.description), std::string(about.nsight), std::move(formula)},
                        std::move(reading)});
}

std::string Collector::name_of(const std::uint64_t& value) const {
  for (const Named& n : named_)
    if (n.value == &value) return into_.all_[n.index].info.name;
  return "?";  // a test refuses this
}

void Collector::counter(std::string_view name, std::uint64_t& value, const About& about) {
  named_.push_back({&value, into_.all_.size()});
  append(name, Kind::Counter, about, value);
}

void Collector::peak(std::string_view name, std::uint64_t& value, const About& about) {
  named_.push_back({&value, into_.all_.size()});
  append(name, Kind::Peak, about, value);
}

void Collector::histogram(std::string_view name, HistogramRef h, const About& about) {
  HistogramValue value{{}, 0, *h.sum, *h.largest};
  for (std::size_t i = 0; i < h.bins.size(); ++i) {
    value.bins.push_back({h.lower_edge(i), h.bins[i]});
    value.samples += h.bins[i];
  }
  append(name, Kind::Histogram, about, std::move(value));
}

void Collector::ratio(std::string_view name, const std::uint64_t& above, const std::uint64_t& below,
                      const About& about) {
  append(name, Kind::Derived, about, quotient(above, below),
         fmt::format("{} / {}", name_of(above), name_of(below)));
}

void Collector::derived(std::string_view name, double value, std::string_view formula, const About& about) {
  append(name, Kind::Derived, about, value, std::string(formula));
}

std::vector<detail::Word> detail::words(const std::function<void(Visitor&)>& walk) {
  WordFinder finder;
  walk(finder);
  return finder.take();
}

void detail::combine(const std::vector<Word>& into, const std::vector<Word>& from) {
  if (into.size() != from.size()) throw Error("statistics of different shapes cannot be added");
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (into[i].maximum)
      *into[i].at = std::max(*into[i].at, *from[i].at);
    else
      *into[i].at += *from[i].at;
  }
}

detail::Layout::Layout(const std::vector<Word>& words, const void* begin) {
  for (const Word& w : words)
    (w.maximum ? maxima_ : sums_)
        .push_back(static_cast<std::uint32_t>(w.at - static_cast<const std::uint64_t*>(begin)));
}

void detail::Layout::combine(void* into, const void* from) const {
  auto* const to = static_cast<std::uint64_t*>(into);
  const auto* const of = static_cast<const std::uint64_t*>(from);
  for (const std::uint32_t i : sums_) to[i] += of[i];
  for (const std::uint32_t i : maxima_) to[i] = std::max(to[i], of[i]);
}

}  // namespace heddle::stats
