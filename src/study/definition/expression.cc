#include "study/definition/expression.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "base/error.h"

namespace heddle::study {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return begins_name(c) || is_digit(c) || c == '.';
}

}  // namespace

// sum := product (('+' | '-') product)*; product := factor (('*' | '/') factor)*;
// factor := number | name | '$' name | '-' factor | '(' sum ')'
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression& out) : text_(text), out_(out) {}

  void run() {
    sum(0);
    if (skip_space(); at_ < text_.size()) fail("expected + - * / or the end");
  }

 private:
  using Kind = Expression::Kind;

  void sum(int depth) {
    product(depth);
    for (char c; (c = next_of("+-")) != 0;) {
      product(depth);
      add(c == '+' ? Kind::Add : Kind::Subtract);
    }
  }

  void product(int depth) {
    factor(depth);
    for (char c; (c = next_of("*/")) != 0;) {
      factor(depth);
      add(c == '*' ? Kind::Multiply : Kind::Divide);
    }
  }

  void factor(int depth) {
    if (depth > 50) fail("nested too deep");
    skip_space();
    if (next_of("-") != 0) {
      factor(depth + 1);
      return add(Kind::Negate);
    }
    if (next_of("(") != 0) {
      sum(depth + 1);
      if (next_of(")") == 0) fail("expected ')'");
      return;
    }
    if (at_ < text_.size() && is_digit(text_[at_])) return number();
    const bool parameter = next_of("$") != 0;
    if (at_ == text_.size() || !begins_name(text_[at_]))
      fail(parameter ? "expected a parameter's name after $" : "expected a number, a statistic or '('");
    const std::size_t from = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    add(parameter ? Kind::Parameter : Kind::Statistic);
    out_.steps_.back().name = text_.substr(from, at_ - from);
  }

  void number() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string digits(text_.substr(from, at_ - from));
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (*end != 0) fail("expected a number");
    add(Kind::Number);
    out_.steps_.back().number = value;
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char next_of(std::string_view any) {
    skip_space();
    if (at_ == text_.size() || any.find(text_[at_]) == std::string_view::npos) return 0;
    return text_[at_++];
  }
  void add(Kind kind) { out_.steps_.push_back({kind, 0, {}}); }
  [[noreturn]] void fail(const char* expected) const {
    throw Error(fmt::format("'{}', column {}: {}", text_, at_ + 1, expected));
  }

  std::string_view text_;
  Expression& out_;
  std::size_t at_ = 0;
};

Expression Expression::parse(std::string_view text) {
  Expression e;
  e.text_ = text;
  ExpressionParser(text, e).run();
  return e;
}

double Expression::value(const Names& names) const {
  std::vector<double> stack;
  const auto pop = [&] {
    const double v = stack.back();
    stack.pop_back();
    return v;
  };
  for (const Step& s : steps_) {
    if (s.kind == Kind::Number || s.kind == Kind::Statistic || s.kind == Kind::Parameter) {
      stack.push_back(s.kind == Kind::Number      ? s.number
                      : s.kind == Kind::Statistic ? names.statistic(s.name)
                                                  : names.parameter(s.name));
      continue;
    }
    const double b = pop();
    if (s.kind == Kind::Negate) {
      stack.push_back(-b);
      continue;
    }
    const double a = pop();
    stack.push_back(s.kind == Kind::Add        ? a + b
                    : s.kind == Kind::Subtract ? a - b
                    : s.kind == Kind::Multiply ? a * b
                    : b == 0                   ? std::numeric_limits<double>::quiet_NaN()
                                               : a / b);
  }
  return stack.back();
}

bool Expression::uses_statistics() const {
  return !statistics().empty();
}

std::vector<std::string> Expression::statistics() const {
  std::vector<std::string> names;
  for (const Step& s : steps_)
    if (s.kind == Kind::Statistic) names.push_back(s.name);
  return names;
}

std::vector<std::string> Expression::parameters() const {
  std::vector<std::string> names;
  for (const Step& s : steps_)
    if (s.kind == Kind::Parameter) names.push_back(s.name);
  return names;
}

}  // namespace heddle::study
