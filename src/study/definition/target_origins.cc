#include "study/definition/target_origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>

#include "base/suggest.h"
#include "base/text.h"

namespace heddle::study {
namespace {

constexpr std::string_view kNames[] = {"own", "constant", "repeats", "follows"};
constexpr const char* kReasons =
    "constant, repeats ROW or follows ROW and ROW; empty: the number counts (docs/studies.md)";
constexpr const char* kRow =
    "ROW is FIGURE / WORKLOAD / CONFIG / METRIC / BASELINE, the last ones may be left out";
constexpr std::size_t kFields = 5;

std::array<const std::string*, kFields> fields(const Target& t) {
  return {&t.figure, &t.workload, &t.config, &t.metric, &t.baseline};
}

std::vector<std::string> split_at(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; (at = text.find(between)) != std::string_view::npos;) {
    parts.emplace_back(trim(text.substr(0, at)));
    text.remove_prefix(at + between.size());
  }
  parts.emplace_back(trim(text));
  return parts;
}

// All values that a number may have been before it was rounded.
struct Interval {
  double low = 0, high = 0;
};

Interval interval(const Target& t) {
  const std::size_t point = t.written.find('.');
  const auto digits = point == std::string::npos ? 0 : static_cast<double>(t.written.size() - point - 1);
  const double half = 0.5 * std::pow(10.0, -digits);
  return {t.value - half, t.value + half};
}

bool meet(const Interval& a, const Interval& b) {
  const double slack = 1e-9 * (1 + std::abs(a.low));
  return a.low <= b.high + slack && b.low <= a.high + slack;
}

template <class F>
Interval combined(const Interval& a, const Interval& b, F f) {
  const double all[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  return {*std::min_element(std::begin(all), std::end(all)),
          *std::max_element(std::begin(all), std::end(all))};
}

// What a number multiplies by. A percentage is a change (15% is 1.15) or a share (106% is 1.06).
enum class Form : std::uint8_t { Change, Share };
constexpr Form kForms[] = {Form::Change, Form::Share};

Interval factor(const Target& t, Form form) {
  const Interval v = interval(t);
  if (t.unit != "%") return v;
  const double more = form == Form::Change ? 1 : 0;
  return {more + v.low / 100, more + v.high / 100};
}

bool is_factor(const Target& t, const Interval& wanted) {
  return std::any_of(std::begin(kForms), std::end(kForms),
                     [&](Form form) { return meet(factor(t, form), wanted); });
}

class Origins {
 public:
  Origins(const config::TomlSource& source, std::vector<Target>& rows) : source_(source), rows_(rows) {}

  void run() {
    for (Target& t : rows_) read(t);
    for (const Target& t : rows_) check(t);
  }

 private:
  void read(Target& t) {
    const std::string_view text = trim(t.not_counted);
    if (text.empty()) return;
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, end));
    const std::string_view rest = trim(text.substr(end));
    const auto* known = std::find(std::begin(kNames) + 1, std::end(kNames), word);
    if (known == std::end(kNames)) fail_word(t, word);
    t.origin = static_cast<Origin>(known - std::begin(kNames));
    if (t.origin == Origin::Constant) {
      if (!rest.empty()) fail(t, "'constant' stands alone", "why it is one: in the note");
      return;
    }
    const std::vector<std::string> words =
        rest.empty() ? std::vector<std::string>() : split_at(rest, " and ");
    if (t.origin == Origin::Repeats && words.size() != 1) fail(t, "'repeats' names one row", kRow);
    if (words.empty()) fail(t, "'follows' names the rows that the number comes from", kRow);
    for (const std::string& one : words) t.from.push_back(find(t, one));
  }

  [[noreturn]] void fail_word(const Target& t, const std::string& word) const {
    const std::vector<std::string> words(std::begin(kNames) + 1, std::end(kNames));
    const std::string hint = did_you_mean(word, words);
    fail(t, fmt::format("'{}' is no reason why a number is not counted", printable(word)),
         hint.empty() ? kReasons : hint + "; " + kReasons);
  }

  // `words`: "Fig10 / LUD".
  std::size_t find(const Target& t, const std::string& words) const {
    std::vector<std::string> wanted = split_at(words + " ", " / ");
    if (wanted.size() > kFields) fail(t, fmt::format("'{}' has too many parts", printable(words)), kRow);
    for (std::size_t i = wanted.size(); i < kFields; ++i) wanted.push_back(*fields(t)[i]);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (&rows_[i] != &t && is(rows_[i], wanted, kFields)) found.push_back(i);
    if (found.empty()) fail(t, "no row is " + printable(join(wanted, " / ")), nearest_row(t, wanted));
    if (found.size() > 1)
      fail(t,
           fmt::format("'{}' means lines {} and {}", printable(words), rows_[found[0]].line,
                       rows_[found[1]].line),
           kRow);
    return found.front();
  }

  static bool is(const Target& row, const std::vector<std::string>& wanted, std::size_t parts) {
    for (std::size_t i = 0; i < parts; ++i)
      if (*fields(row)[i] != wanted[i]) return false;
    return true;
  }

  // At the first part that no row has.
  std::string nearest_row(const Target& t, const std::vector<std::string>& wanted) const {
    for (std::size_t parts = 0; parts < kFields; ++parts) {
      std::vector<std::string> there;
      bool known = false;
      for (const Target& row : rows_) {
        if (&row == &t || !is(row, wanted, parts)) continue;
        const std::string& field = *fields(row)[parts];
        known = known || field == wanted[parts];
        if (std::find(there.begin(), there.end(), field) == there.end()) there.push_back(field);
      }
      if (known) continue;
      const std::string hint = did_you_mean(wanted[parts], there);
      return hint.empty() ? "there: " + join(there, ", ") : hint;
    }
    return {};
  }

  void check(const Target& t) const {
    for (const std::size_t i : t.from) {
      const Target& of = rows_[i];
      if (of.origin == Origin::Constant)
        fail(t, fmt::format("line {} is a constant, and so is what comes from it", of.line),
             "write `constant`");
      if (of.origin == Origin::Repeats)
        fail(t, fmt::format("line {} repeats line {}", of.line, rows_[of.from.front()].line),
             "name that one");
    }
    check_circle(t);
    if (t.origin == Origin::Repeats) check_same(t, rows_[t.from.front()]);
    if (t.origin == Origin::Follows) check_follows(t);
  }

  void check_circle(const Target& t) const {
    std::vector<std::size_t> reached = t.from;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      if (&rows_[reached[next]] == &t) fail(t, "the number follows from itself", "name rows that count");
      for (const std::size_t i : rows_[reached[next]].from)
        if (std::find(reached.begin(), reached.end(), i) == reached.end()) reached.push_back(i);
    }
  }

  void check_same(const Target& t, const Target& of) const {
    const Interval a = interval(t), b = interval(of);
    const double rounding = std::max(a.high - a.low, b.high - b.low) / 2;
    if (std::abs(t.value - of.value) <= rounding + 1e-9 || names(t.note, of.written)) return;
    fail(t, fmt::format("{} repeats {} of line {}, which is another number", t.written, of.written, of.line),
         fmt::format("where the paper differs from itself, the note names {}", of.written));
  }

  // As a whole number, not as a part of a longer one.
  static bool names(const std::string& note, const std::string& number) {
    const auto digit = [&](std::size_t i) {
      return i < note.size() && std::isdigit(static_cast<unsigned char>(note[i])) != 0;
    };
    for (std::size_t at = note.find(number); at != std::string::npos; at = note.find(number, at + 1)) {
      const std::size_t end = at + number.size();
      const bool before = at > 0 && (digit(at - 1) || (note[at - 1] == '.' && at > 1 && digit(at - 2)));
      const bool after = digit(end) || (end < note.size() && note[end] == '.' && digit(end + 1));
      if (!before && !after) return true;
    }
    return false;
  }

  void check_follows(const Target& t) const {
    if (t.note.find('=') != std::string::npos || comes_out(t)) return;
    std::vector<std::string> of;
    for (const std::size_t i : t.from)
      of.push_back(fmt::format("{} (line {})", rows_[i].written, rows_[i].line));
    fail(t, fmt::format("{} does not come out of {}", t.written, join(of, " and ")),
         "as their sum, difference, product or ratio (of one: the same change, or the inverse), within "
         "rounding; another arithmetic stands in the note, with a =");
  }

  bool comes_out(const Target& t) const {
    const Target& first = rows_[t.from.front()];
    if (t.from.size() == 1) return comes_out_of(t, first);
    Interval sum;
    for (const std::size_t i : t.from) sum = combined(sum, interval(rows_[i]), std::plus<>());
    if (meet(interval(t), sum)) return true;
    return t.from.size() == 2 && comes_out_of(t, first, rows_[t.from.back()]);
  }

  static bool comes_out_of(const Target& t, const Target& one) {
    for (const Form form : kForms) {
      const Interval f = factor(one, form);
      if (is_factor(t, f) || (f.low > 0 && is_factor(t, {1 / f.high, 1 / f.low}))) return true;
    }
    return false;
  }

  static bool comes_out_of(const Target& t, const Target& a, const Target& b) {
    if (meet(interval(t), combined(interval(a), interval(b), std::minus<>()))) return true;
    for (const Form form : kForms) {
      const Interval x = factor(a, form), y = factor(b, form);
      if (is_factor(t, combined(x, y, std::multiplies<>()))) return true;
      if (y.low > 0 && is_factor(t, combined(x, y, std::divides<>()))) return true;
    }
    return false;
  }

  [[noreturn]] void fail(const Target& t, const std::string& message, const std::string& advice) const {
    throw Error(source_.place(t.line, 0), message, advice);
  }

  const config::TomlSource& source_;
  std::vector<Target>& rows_;
};

}  // namespace

std::string_view name(Origin o) {
  return kNames[static_cast<std::size_t>(o)];
}

void resolve_origins(const config::TomlSource& source, std::vector<Target>& rows) {
  Origins(source, rows).run();
}

}  // namespace heddle::study
