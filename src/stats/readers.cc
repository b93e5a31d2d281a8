#include "stats/readers.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::stats {
namespace {

using Json = nlohmann::ordered_json;

class JsonReader final : public Visitor {
 public:
  explicit JsonReader(const Json& object) : object_(object) {}

  void counter(std::string_view name, std::uint64_t& value, const About&) override { value = number(name); }
  void peak(std::string_view name, std::uint64_t& value, const About&) override { value = number(name); }
  void histogram(std::string_view name, HistogramRef h, const About&) override {
    const Json& one = find(name);
    const auto bins = one.find("bins");
    if (bins == one.end() || !bins->is_array() || bins->size() != h.bins.size()) fail(name);
    for (std::size_t i = 0; i < h.bins.size(); ++i) {
      const Json& bin = (*bins)[i];  // [from, count]
      if (!bin.is_array() || bin.size() != 2 || !bin[1].is_number_unsigned() || bin[0] != h.lower_edge(i))
        fail(name);
      h.bins[i] = bin[1];
    }
    for (const auto& [key, to] : {std::pair{"sum", h.sum}, {"largest", h.largest}}) {
      const auto at = one.find(key);
      if (at == one.end() || !at->is_number_unsigned()) fail(name);
      *to = *at;
    }
  }
  // Computed again from what was read.
  void ratio(std::string_view, const std::uint64_t&, const std::uint64_t&, const About&) override {}
  void derived(std::string_view, double, std::string_view, const About&) override {}

 protected:
  void enter(std::string_view name) override {
    outer_.push_back(prefix_.size());
    prefix_ += name;
    prefix_ += '.';
  }
  void leave() override {
    prefix_.resize(outer_.back());
    outer_.pop_back();
  }

 private:
  [[noreturn]] void fail(std::string_view name) const {
    throw Error(fmt::format("the statistic '{}{}' is not there, or not in the form that this program has",
                            prefix_, name),
                "another version of heddle wrote it");
  }
  const Json& find(std::string_view name) const {
    const auto at = object_.find(prefix_ + std::string(name));
    if (at == object_.end()) fail(name);
    // With all detail the reading is its "value"; a histogram alone is an object, too.
    const auto value = at->is_object() ? at->find("value") : at->end();
    const Json& one = at->is_object() && value != at->end() ? *value : *at;
    return one;
  }
  std::uint64_t number(std::string_view name) const {
    const Json& one = find(name);
    if (!one.is_number_unsigned()) fail(name);
    return one;
  }

  const Json& object_;
  std::string prefix_;  // with its dot
  std::vector<std::size_t> outer_;
};

}  // namespace

void detail::read_json(const Json& object, const std::function<void(Visitor&)>& walk) {
  JsonReader reader(object);
  walk(reader);
}

}  // namespace heddle::stats
