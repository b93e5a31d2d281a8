// Arithmetic over what a point measured: "l1.reads_forwarded / l1.reads_in", "1 - (a + b) / c".
//
// A name with or without dots is a statistic; one that begins with $ is a parameter of the machine, as a
// number in its base unit ("$l1.sets"; "48KiB" counts 49152).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::study {

class Expression {
 public:
  Expression() = default;
  // Throws Error with the column at which something else was expected.
  static Expression parse(std::string_view text);

  // What names stand for; may throw Error.
  struct Names {
    std::function<double(std::string_view)> statistic;
    std::function<double(std::string_view)> parameter;
  };
  // Not a number where something was divided by zero.
  double value(const Names& names) const;

  const std::string& text() const { return text_; }
  bool uses_statistics() const;
  std::vector<std::string> statistics() const;
  std::vector<std::string> parameters() const;

 private:
  enum class Kind : std::uint8_t { Number, Statistic, Parameter, Add, Subtract, Multiply, Divide, Negate };
  struct Step {  // of a stack machine
    Kind kind = Kind::Number;
    double number = 0;
    std::string name;
  };
  friend class ExpressionParser;

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace heddle::study
