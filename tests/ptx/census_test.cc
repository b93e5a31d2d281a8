// Every opcode that a census of real programs found must decode, or be refused for a known reason.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ptx_text.h"

namespace heddle::ptx {
namespace {

std::vector<std::string> split(const std::string& s, char at) {
  std::vector<std::string> parts;
  std::stringstream in(s);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

// A register of the size of a type's last two or three letters.
std::string reg(const std::string& type, int n = 1) {
  if (type == "pred") return fmt::format("%p{}", n);
  if (type == "f16x2" || type == "bf16x2") return fmt::format("%r{}", n);
  if (type.ends_with("64")) return fmt::format("%rd{}", n);
  if (type.ends_with("16") || type.ends_with("8")) return fmt::format("%h{}", n);
  return fmt::format("%r{}", n);
}

class Opcode {
 public:
  explicit Opcode(const std::string& text) : text_(text), words_(split(text, '.')) {}

  std::string root() const { return words_[0]; }
  bool has(std::string_view w) const { return std::find(words_.begin(), words_.end(), w) != words_.end(); }
  std::string type() const { return words_.back(); }
  std::string type_before() const { return words_.size() > 1 ? words_[words_.size() - 2] : ""; }
  int vector() const { return has("v4") ? 4 : has("v2") ? 2 : 1; }

  std::string instruction() const { return fmt::format("{} {};", text_, operands()); }

 private:
  static bool one_of(const std::string& s, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), s) != list.end();
  }

  std::string values() const {
    if (vector() == 1) return reg(type());
    if (vector() == 2) return fmt::format("{{{}, {}}}", reg(type(), 0), reg(type(), 1));
    return fmt::format("{{{}, {}, {}, {}}}", reg(type(), 0), reg(type(), 1), reg(type(), 2), reg(type(), 3));
  }

  std::string operands() const {
    const std::string r = root(), t = type();
    if (one_of(r, {"ld", "st", "atom", "red", "prefetch", "cp", "tex", "sust"})) return memory_operands();
    if (one_of(r, {"mov", "not", "neg", "abs", "rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh",
                   "cvta", "brev"}))
      return fmt::format("{}, {}", reg(t), reg(t, 2));
    if (r == "cvt") return fmt::format("{}, {}", reg(type_before()), reg(t, 2));
    if (one_of(r, {"popc", "clz", "bfind"})) return fmt::format("%r1, {}", reg(t, 2));
    if (one_of(r, {"add", "addc", "sub", "subc", "div", "rem", "min", "max", "and", "or", "xor", "copysign"}))
      return fmt::format("{}, {}, {}", reg(t), reg(t, 2), reg(t, 3));
    if (r == "mul" || r == "mad" || r == "madc") return product_operands();
    if (r == "fma") return fmt::format("{}, {}, {}, {}", reg(t), reg(t, 2), reg(t, 3), reg(t, 4));
    if (r == "shl" || r == "shr") return fmt::format("{}, {}, 3", reg(t), reg(t, 2));
    if (r == "setp") return fmt::format("%p1, {}, {}", reg(t, 1), reg(t, 2));
    if (r == "set") return fmt::format("{}, {}, {}", reg(type_before()), reg(t, 1), reg(t, 2));
    if (r == "selp") return fmt::format("{}, {}, {}, %p1", reg(t), reg(t, 1), reg(t, 2));
    if (r == "bfi") return fmt::format("{}, {}, {}, 3, 4", reg(t), reg(t, 1), reg(t, 2));
    if (r == "lop3") return "%r1, %r2, %r3, %r4, 0x96";
    if (one_of(r, {"prmt", "shf", "dp4a", "vabsdiff4", "vabsdiff2"})) return "%r1, %r2, %r3, %r4";
    if (r == "bmsk") return "%r1, %r2, %r3";
    if (r == "wmma") return matrix_operands();
    return control_operands();
  }

  std::string product_operands() const {
    const std::string t = type();
    const std::string wide = !has("wide") ? t : t.ends_with("16") ? "b32" : "b64";
    const std::string s = fmt::format("{}, {}, {}", reg(wide), reg(t, 2), reg(t, 3));
    return root() == "mul" ? s : fmt::format("{}, {}", s, reg(wide, 4));
  }

  // Fragments of the tiles that real programs have: as many elements per lane as types and shape say.
  std::string matrix_operands() const {
    auto list = [](int n, const std::string& register_name) {
      std::string s = "{";
      for (int i = 0; i < n; ++i) s += (i == 0 ? "" : ", ") + register_name;
      return s + "}";
    };
    const bool f64 = has("f64"), bytes = has("u8") || has("s8");
    const std::string factor = list(f64                          ? 1
                                    : bytes                      ? 2
                                    : has("bf16") || has("tf32") ? 4
                                                                 : 8,
                                    f64 ? "%rd1" : "%r1");
    const std::string sum = list(f64 ? 2 : type() == "f16" ? 4 : 8, f64 ? "%rd2" : "%r2");
    if (has("load")) return fmt::format("{}, [%rd5], %r3", has("c") ? sum : factor);
    if (has("store")) return fmt::format("[%rd5], {}, %r3", sum);
    return fmt::format("{0}, {1}, {1}, {0}", sum, factor);
  }

  std::string memory_operands() const {
    const std::string r = root();
    if (r == "ld") return fmt::format("{}, [{}]", values(), address());
    if (r == "st") return fmt::format("[{}], {}", address(), values());
    if (r == "atom")
      return fmt::format("{}, [{}], {}{}", reg(type()), address(), reg(type(), 2),
                         has("cas") ? fmt::format(", {}", reg(type(), 3)) : "");
    if (r == "red") return fmt::format("[{}], {}", address(), reg(type(), 2));
    if (r == "prefetch") return "[%rd1+128]";
    if (r == "tex")
      return fmt::format("{{%r0, %r1, %r2, %r3}}, [%rd1, {{{}}}]", has("1d")   ? "%r4"
                                                                   : has("2d") ? "%r4, %r5"
                                                                               : "%r4, %r5, %r6, %r6");
    if (r == "sust") return fmt::format("[%rd1, {{%r4, %r5}}], {}", values());
    if (has("commit_group") || has("wait_all")) return "";
    if (has("mbarrier")) return "[%r1]";
    if (has("wait_group")) return "1";
    return "[%r1], [%rd2], 16";
  }

  std::string address() const {
    if (has("param")) return root() == "st" ? "pvar" : "k_param_1";
    return has("shared") || has("local") ? "%r5+4" : "%rd5+-8";
  }

  std::string control_operands() const {
    const std::string r = root();
    if (r == "bra") return "L";
    if (r == "bar" && has("red")) return reg(type()) + ", 0, %p2";
    if (r == "bar" && has("warp")) return "%r1";
    if (r == "bar" || r == "barrier") return "0";
    if (r == "mbarrier") return mbarrier_operands();
    if (r == "nanosleep") return "%r1";
    if (r == "shfl") return "%r1|%p1, %r2, 1, 31, -1";
    if (r == "vote") return reg(type()) + ", %p2, -1";
    if (r == "match") return fmt::format("%r1, {}, -1", reg(type(), 2));
    if (r == "activemask") return "%r1";
    return "";
  }

  std::string mbarrier_operands() const {
    if (has("init")) return "[%r1], 32";
    if (has("arrive")) return "%rd1, [%r1]";
    if (has("parity")) return "%p1, [%r1], %r2";
    return has("test_wait") ? "%p1, [%r1], %rd2" : "[%r1]";
  }

  std::string text_;
  std::vector<std::string> words_;
};

TEST(Census, EveryOpcodeOfRealProgramsDecodes) {
  std::ifstream in(HEDDLE_TESTS_DIR "/ptx/census.csv");
  ASSERT_TRUE(in);
  std::string line;
  std::getline(in, line);
  int decoded = 0;
  while (std::getline(in, line)) {
    std::string text = split(line, ',').at(0);
    if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
    if (text.starts_with("(") || text.starts_with("call")) continue;  // covered by other tests
    const Opcode o(text);
    std::vector<Unsupported> unsupported;
    const std::string body = fmt::format("L:\n{}", o.instruction());
    try {
      const Module m = parse_module(kernel_text(body), "test.ptx", {}, &unsupported);
      const Instr& i = m.find_function("k")->instrs.at(0);
      EXPECT_EQ(unsupported.size(), 0u)
          << o.instruction() << (unsupported.empty() ? "" : unsupported[0].reason);
      EXPECT_EQ(i.op == Op::Trap, text == "trap") << text;
      ++decoded;
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
  EXPECT_GT(decoded, 600);
}

}  // namespace
}  // namespace heddle::ptx
