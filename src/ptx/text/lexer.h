// Tokens of PTX text. The lexer is lazy: one token of lookahead, views into the text, no allocation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/ir/source.h"

namespace heddle::ptx {

enum class Tok : std::uint8_t {
  End,
  Name,    // identifiers, registers, opcodes: letters, digits, _ $ %
  Dot,     // ".reg", ".u32", ".L2::128B", with the dot
  Int,     // value
  F32,     // 0f3F800000: value is the bits
  F64,     // 0d... or decimal: value is the bits
  String,  // without the quotes
  Punct,   // punct: one character, or two packed by punct2
};

constexpr std::uint16_t punct2(char a, char b) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(a) | static_cast<unsigned char>(b) << 8);
}

struct Token {
  Tok kind = Tok::End;
  bool is_unsigned = false;  // Int: written with U, or too large for a signed 64-bit integer
  std::uint16_t punct = 0;
  Spot at;
  std::string_view text;
  std::uint64_t value = 0;

  bool is(std::uint16_t p) const { return kind == Tok::Punct && punct == p; }
  bool is_dot(std::string_view with_dot) const { return kind == Tok::Dot && text == with_dot; }
};

// "end of file" or the token in quotes, for "found ..." in messages.
std::string describe(const Token& token);

class Lexer {
 public:
  explicit Lexer(const Source& source);

  const Token& peek() const { return token_; }
  Token take() {
    Token t = token_;
    advance();
    return t;
  }
  void skip() { advance(); }
  bool accept(std::uint16_t punct) {
    if (!token_.is(punct)) return false;
    advance();
    return true;
  }
  bool accept_dot(std::string_view with_dot) {
    if (!token_.is_dot(with_dot)) return false;
    advance();
    return true;
  }
  // `where` ends the message: "expected ';' after the instruction, found ...".
  void expect(std::uint16_t punct, std::string_view where);
  Token expect_name(std::string_view what);
  std::uint64_t expect_int(std::string_view what);

  const Source& source() const { return source_; }
  [[noreturn]] void fail_here(std::string message, std::string advice = {}) const {
    source_.fail(token_.at, std::move(message), std::move(advice));
  }

 private:
  void advance();
  void skip_blanks();
  void skip_block_comment();
  void new_line();
  void lex_number();
  bool lex_hex_float();
  void lex_integer(unsigned base, std::size_t digits_at);
  void lex_decimal();
  void lex_string();
  void lex_punct();
  char at(std::size_t i) const { return i < source_.text.size() ? source_.text[i] : '\0'; }
  Spot spot() const { return {line_, static_cast<std::uint32_t>(pos_ - line_start_ + 1)}; }

  const Source& source_;
  std::size_t pos_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
};

}  // namespace heddle::ptx
