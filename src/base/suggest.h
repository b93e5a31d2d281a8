// "Did you mean ...?" for names that people type.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; upper and lower case
// are the same letter.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that `word` most likely meant; nothing when none is close. A candidate whose last part
// after a dot equals the word counts as close ("size" for "l1.size"). Ties go to the first candidate.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// "did you mean 'lru'?", or an empty text.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace heddle
