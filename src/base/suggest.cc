#include "base/suggest.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace heddle {
namespace {

// Nobody meant a name by typing more than this, and the distance takes quadratic time.
constexpr std::size_t kLongest = 128;

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = lower(first), b = lower(second);
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    std::size_t distance = edit_distance(word, candidate);
    // A whole word that is right, in the wrong table, is as good a guess as one wrong letter.
    if (last_part(candidate) == last_part(word)) distance = std::min<std::size_t>(distance, 1);
    if (distance >= best) continue;
    best = distance;
    found = &candidate;
  }
  return found == nullptr ? std::nullopt : std::optional<std::string>(*found);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto guess = nearest(word, candidates);
  return guess ? "did you mean '" + *guess + "'?" : std::string{};
}

}  // namespace heddle
