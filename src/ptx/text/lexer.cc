#include "ptx/text/lexer.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>

#include "base/error.h"

namespace heddle::ptx {
namespace {

enum CharClass : std::uint8_t { kOther = 0, kBlank = 1, kNameStart = 2, kDigit = 4, kHex = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> c{};
  for (const char b : {' ', '\t', '\r', '\n', '\f', '\v', '\0'}) c[static_cast<unsigned char>(b)] = kBlank;
  for (int i = 'a'; i <= 'z'; ++i) c[i] = kNameStart;
  for (int i = 'A'; i <= 'Z'; ++i) c[i] = kNameStart;
  for (int i = '0'; i <= '9'; ++i) c[i] = kDigit | kHex;
  for (int i = 'a'; i <= 'f'; ++i) c[i] |= kHex;
  for (int i = 'A'; i <= 'F'; ++i) c[i] |= kHex;
  c['_'] = c['$'] = c['%'] = kNameStart;
  return c;
}
constexpr auto kClasses = make_classes();

bool in_class(char c, unsigned mask) {
  return (kClasses[static_cast<unsigned char>(c)] & mask) != 0;
}

unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == Tok::End) return "the end of the file";
  constexpr std::size_t kMaxShown = 60;
  if (token.text.size() > kMaxShown) return fmt::format("'{}...'", token.text.substr(0, kMaxShown));
  return fmt::format("'{}'", token.text);
}

Lexer::Lexer(const Source& source) : source_(source) {
  advance();
}

void Lexer::expect(std::uint16_t punct, std::string_view where) {
  if (accept(punct)) return;
  fail_here(fmt::format("expected '{}' {}, found {}", static_cast<char>(punct), where, describe(token_)));
}

Token Lexer::expect_name(std::string_view what) {
  if (token_.kind != Tok::Name) fail_here(fmt::format("expected {}, found {}", what, describe(token_)));
  return take();
}

std::uint64_t Lexer::expect_int(std::string_view what) {
  if (token_.kind != Tok::Int) fail_here(fmt::format("expected {}, found {}", what, describe(token_)));
  return take().value;
}

void Lexer::new_line() {
  ++line_;
  line_start_ = pos_;
}

void Lexer::skip_block_comment() {
  const Spot start = spot();
  pos_ += 2;
  for (;;) {
    if (pos_ >= source_.text.size()) source_.fail(start, "this comment is never closed: expected '*/'");
    if (at(pos_) == '*' && at(pos_ + 1) == '/') break;
    if (at(pos_++) == '\n') new_line();
  }
  pos_ += 2;
}

void Lexer::skip_blanks() {
  const std::string_view text = source_.text;
  while (pos_ < text.size()) {
    const char c = text[pos_];
    if (in_class(c, kBlank)) {
      ++pos_;
      if (c == '\n') new_line();
    } else if ((c == '/' && at(pos_ + 1) == '/') || (c == '@' && at(pos_ + 1) == '@')) {
      // `@@dwarf ...` lines of old PTX carry debug data for whoever wants it: a comment to us.
      pos_ = std::min(text.find('\n', pos_), text.size());
    } else if (c == '/' && at(pos_ + 1) == '*') {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  const std::string_view text = source_.text;
  token_.at = spot();
  if (pos_ >= text.size()) {
    token_.kind = Tok::End;
    token_.text = {};
    return;
  }
  const std::size_t start = pos_;
  const char c = text[pos_];
  if (in_class(c, kNameStart)) {
    do ++pos_;
    while (pos_ < text.size() && in_class(text[pos_], kNameStart | kDigit));
    token_.kind = Tok::Name;
  } else if (c == '.' && in_class(at(pos_ + 1), kNameStart | kDigit)) {
    ++pos_;
    for (;;) {
      while (pos_ < text.size() && in_class(text[pos_], kNameStart | kDigit)) ++pos_;
      if (at(pos_) != ':' || at(pos_ + 1) != ':') break;
      pos_ += 2;  // .L2::128B, .shared::cta
    }
    token_.kind = Tok::Dot;
  } else if (in_class(c, kDigit)) {
    lex_number();
  } else if (c == '"') {
    lex_string();
    return;
  } else {
    lex_punct();
  }
  token_.text = text.substr(start, pos_ - start);
}

void Lexer::lex_string() {
  const std::size_t start = ++pos_;
  while (pos_ < source_.text.size() && at(pos_) != '"' && at(pos_) != '\n') pos_ += at(pos_) == '\\' ? 2 : 1;
  if (at(pos_) != '"') source_.fail(token_.at, "this string is never closed: expected '\"' on the same line");
  token_.kind = Tok::String;
  token_.text = source_.text.substr(start, pos_ - start);
  ++pos_;
}

void Lexer::lex_punct() {
  const char c = at(pos_);
  const char d = at(pos_ + 1);
  static constexpr std::string_view kPairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  token_.kind = Tok::Punct;
  for (const std::string_view p : kPairs) {
    if (p[0] != c || p[1] != d) continue;
    token_.punct = punct2(c, d);
    pos_ += 2;
    return;
  }
  static constexpr std::string_view kSingles = "()[]{}<>,;:=+-*/%!~&|^?@.";
  if (kSingles.find(c) == std::string_view::npos) {
    const auto byte = static_cast<unsigned char>(c);
    source_.fail(token_.at, byte >= 0x20 && byte < 0x7f
                                ? fmt::format("'{}' does not belong in PTX", c)
                                : fmt::format("byte 0x{:02x} does not belong in PTX", byte));
  }
  token_.punct = static_cast<unsigned char>(c);
  ++pos_;
}

// 0f and eight hexadecimal digits, or 0d and sixteen.
bool Lexer::lex_hex_float() {
  const char kind = static_cast<char>(at(pos_ + 1) | 0x20);
  if (at(pos_) != '0' || (kind != 'f' && kind != 'd')) return false;
  const std::size_t digits = kind == 'f' ? 8 : 16;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = at(pos_ + 2 + i);
    if (!in_class(c, kHex))
      source_.fail(token_.at, fmt::format("a 0{} constant has {} hexadecimal digits", kind, digits));
    value = value << 4 | digit_value(c);
  }
  pos_ += 2 + digits;
  token_.kind = kind == 'f' ? Tok::F32 : Tok::F64;
  token_.value = value;
  return true;
}

void Lexer::lex_integer(unsigned base, std::size_t digits_at) {
  std::uint64_t value = 0;
  std::size_t i = digits_at;
  for (; in_class(at(i), kHex) && digit_value(at(i)) < base; ++i) {
    if (__builtin_mul_overflow(value, static_cast<std::uint64_t>(base), &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(digit_value(at(i))), &value))
      source_.fail(token_.at, "this integer does not fit in 64 bits");
  }
  if (i == digits_at)
    source_.fail(token_.at, fmt::format("expected a digit of base {} in this integer", base));
  token_.kind = Tok::Int;
  token_.value = value;
  token_.is_unsigned = static_cast<std::int64_t>(value) < 0;
  if (at(i) == 'U') {
    token_.is_unsigned = true;
    ++i;
  }
  pos_ = i;
}

void Lexer::lex_decimal() {
  const char* begin = source_.text.data() + pos_;
  const char* end = source_.text.data() + source_.text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{}) source_.fail(token_.at, "this floating-point constant does not fit in .f64");
  token_.kind = Tok::F64;
  token_.value = std::bit_cast<std::uint64_t>(value);
  pos_ += static_cast<std::size_t>(stop - begin);
}

void Lexer::lex_number() {
  if (!lex_hex_float()) {
    const char second = static_cast<char>(at(pos_ + 1) | 0x20);
    std::size_t i = pos_;
    while (in_class(at(i), kDigit)) ++i;
    if (at(pos_) == '0' && second == 'x') {
      lex_integer(16, pos_ + 2);
    } else if (at(pos_) == '0' && second == 'b') {
      lex_integer(2, pos_ + 2);
    } else if ((at(i) == '.' && !in_class(at(i + 1), kNameStart)) || (at(i) | 0x20) == 'e') {
      lex_decimal();
    } else {
      lex_integer(at(pos_) == '0' ? 8 : 10, pos_);
    }
  }
  if (in_class(at(pos_), kNameStart | kDigit))
    source_.fail(spot(), fmt::format("'{}' does not belong in a number", at(pos_)));
}

}  // namespace heddle::ptx
