// Small helpers on text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

std::string_view trim(std::string_view text);  // without white space at both ends
// "a,b,,c" at ',' gives a, b, "", c; an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char at);
std::string join(std::span<const std::string> parts, std::string_view between);
std::string lower(std::string_view text);  // ASCII only
// "4711": digits and nothing else; none: it is no such number, or too large.
std::optional<std::uint64_t> whole_number(std::string_view text);
// Text from outside, safe to show on a terminal: control and non-ASCII bytes as \xNN, cut after `limit`.
std::string printable(std::string_view text, std::size_t limit = 160);
// The same for what is printed whole: control bytes and what is no UTF-8 as \\xNN, letters of all languages
// as they are. `lines`: ends of lines and tabs stay, too.
std::string visible(std::string_view text, bool lines = false);
// How deep the brackets of a JSON text are nested.
std::size_t nesting(std::string_view json);
// Line `number` (from 1) of a text, without its end; empty when there is none.
std::string_view line_of(std::string_view text, std::uint32_t number);
bool is_utf8(std::string_view text);
// A word for the shell, quoted where it must be.
std::string shell_word(const std::string& word);
// The shortest form of `path=value` that --set reads as the same: names need no quotes.
std::string short_assignment(const std::string& assignment);
// "3 keys", "1 key", "2 launches".
std::string counted(std::uint64_t n, std::string_view noun);
// Breaks at spaces so that no line is longer than `width` (longer words stay whole); every line starts with
// `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace heddle
