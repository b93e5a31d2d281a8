// The PTX of a random program.
#include <utility>

#include "random_program.h"

namespace heddle::exec {
namespace {

using Kind = Statement::Kind;
using Op = Statement::Op;
using Body = std::vector<Statement>;

class Printer {
 public:
  std::string print(const RandomProgram& p) {
    out_ = ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (int f = 0; f < kFunctions; ++f)
      out_ += ".func (.param .b32 r) f" + std::to_string(f) + "(.param .b32 a, .param .b32 b);\n";
    out_ += ".global .align 8 .u64 table[3] = {f0, f1, f2};\n";
    for (int f = 0; f < kFunctions; ++f) {
      function_ = f;
      out_ += ".func (.param .b32 r) f" + std::to_string(f) + "(.param .b32 a, .param .b32 b) {\n";
      declare();
      line("ld.param.b32 %v0, [a]; ld.param.b32 %v1, [b]; and.b32 %depth, %v1, 3;");
      print_body(p.functions[static_cast<unsigned>(f)]);
      line("RETURN: st.param.b32 [r], %v0;");
      line("ret;\n}");
    }
    function_ = kFunctions;
    out_ += ".visible .entry k(.param .u64 out) {\n";
    declare();
    line(
        ".reg .b64 %o; ld.param.u64 %o, [out]; mov.u32 %v0, %ctaid.x; mov.u32 %v1, %ntid.x; mov.u32 %v2, "
        "%tid.x;");
    line("mad.lo.u32 %v0, %v0, %v1, %v2; mad.wide.u32 %o, %v0, " + std::to_string(4 * kResultWords) +
         ", %o;");
    line(
        "mul.lo.u32 %v1, %v0, 40503; mov.u32 %v2, 7; xor.b32 %v3, %v0, 21; shr.u32 %v4, %v0, 2; mov.u32 %v5, "
        "1;");
    print_body(p.kernel);
    out_ += "RETURN:\n";
    for (int i = 0; i < kVars; ++i)
      line("st.global.u32 [%o+" + std::to_string(4 * i) + "], %v" + std::to_string(i) + ";");
    for (int i = 0; i < kWide; ++i)  // words: alignment of the whole is 4
      line("mov.b64 {%t, %t2}, %w" + std::to_string(i) + "; st.global.u32 [%o+" +
           std::to_string(4 * kVars + 8 * i) + "], %t; st.global.u32 [%o+" +
           std::to_string(4 * kVars + 8 * i + 4) + "], %t2;");
    for (int i = 0; i < kFlags; ++i)
      line("selp.u32 %t, 1, 0, %q" + std::to_string(i) + "; st.global.u32 [%o+" +
           std::to_string(4 * (kVars + 2 * kWide + i)) + "], %t;");
    line("ret; //end\n}");
    return out_;
  }

 private:
  static std::string v(int i) { return "%v" + std::to_string(i); }
  static std::string w(int i) { return "%w" + std::to_string(i % kWide); }
  static std::string q(int i) { return "%q" + std::to_string(i); }
  static std::string guard(const Statement& t) { return std::string(t.sense ? "@" : "@!") + q(t.flag) + " "; }
  static std::string second(const Statement& t) {
    return t.has_imm ? std::to_string(static_cast<std::int32_t>(t.imm)) : v(t.b);
  }
  static std::string operation(const Statement& t) {
    constexpr const char* kNames[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32",
                                      "and.b32", "or.b32",  "min.u32"};
    const std::string y = t.op == Op::Min && t.has_imm ? std::to_string(t.imm) : second(t);
    return std::string(kNames[static_cast<unsigned>(t.op)]) + " " + v(t.d) + ", " + v(t.a) + ", " + y + ";";
  }
  static std::string comparison(const Statement& t, const std::string& p, bool with_imm) {
    constexpr const char* kNames[] = {"eq", "ne", "lt", "ge"};
    return std::string("setp.") + kNames[t.cmp] + ".u32 " + p + ", " + v(t.a) + ", " +
           (with_imm ? std::to_string(t.imm) : v(t.b)) + ";";
  }
  void line(const std::string& text) { out_ += text + "\n"; }
  std::string label(const char* name) { return std::string(name) + std::to_string(++labels_); }

  void declare() {
    // Nothing initialises registers and local memory of a function but zero.
    line(".reg .b32 %v<6>, %t, %t2, %depth, %n<64>; .reg .b64 %w<2>, %x, %y; .reg .pred %q<2>, %c<64>;");
    line(".local .align 4 .b32 cell[4];");
    for (int i = 0; i < kVars; ++i) line("mov.u32 " + v(i) + ", 0;");
    for (int i = 0; i < kWide; ++i) line("mov.u64 " + w(i) + ", 0;");
    for (int i = 0; i < kFlags; ++i) line("setp.ne.u32 " + q(i) + ", 0, 0;");
    line(
        "mov.u32 %t, 0; st.local.u32 [cell], %t; st.local.u32 [cell+4], %t; st.local.u32 [cell+8], %t; "
        "st.local.u32 [cell+12], %t;");
    counters_ = 0;
    predicates_ = 0;
    loops_.clear();
  }

  void print_body(const Body& body) {
    for (const Statement& t : body) print_statement(t);
  }

  // Inside a block of its own, as compilers write calls.
  void print_call(const Statement& t, const std::string& b) {
    line("{ .param .b32 pr; .param .b32 pa; .param .b32 pb;");
    line("st.param.b32 [pa], " + v(t.a) + "; st.param.b32 [pb], " + b + ";");
    if (t.kind == Kind::CallAny) {
      const std::string proto = label("PROTO"), p = "%c" + std::to_string(predicates_++ % 64);
      line("and.b32 %t2, " + v(t.a) + ", 1; setp.ne.u32 " + p + ", %t2, 0;");
      line("mov.u64 %x, table; ld.global.u64 %y, [%x+" + std::to_string(8 * t.callee2) + "]; @" + p +
           " ld.global.u64 %y, [%x+" + std::to_string(8 * t.callee) + "];");
      line(proto + ": .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);");
      line("call (pr), %y, (pa, pb), " + proto + ";");
    } else {
      line("call (pr), f" + std::to_string(t.kind == Kind::Recurse ? function_ : t.callee) + ", (pa, pb);");
    }
    line("ld.param.b32 " + v(t.d) + ", [pr]; }");
  }

  void print_loop(const Statement& t, bool test_first) {
    const std::string n = "%n" + std::to_string(counters_++ % 64),
                      p = "%c" + std::to_string(predicates_++ % 64);
    const std::string top = label("TOP"), next = label("NEXT"), end = label("END");
    line("and.b32 " + n + ", " + v(t.a) + ", 3;");
    line(top + ":");
    if (test_first) line("setp.eq.u32 " + p + ", " + n + ", 0; @" + p + " bra " + end + ";");
    loops_.push_back({next, end});
    print_body(t.bodies[0]);
    loops_.pop_back();
    line(next + ":");
    if (!test_first) line("setp.eq.u32 " + p + ", " + n + ", 0; @" + p + " bra " + end + ";");
    line("sub.u32 " + n + ", " + n + ", 1; bra " + top + ";");
    line(end + ":");
  }

  void print_statement(const Statement& t) {
    switch (t.kind) {
      case Kind::Compute:
        line(operation(t));
        break;
      case Kind::Guarded:
        line(guard(t) + operation(t));
        break;
      case Kind::Select:
        line("selp.b32 " + v(t.d) + ", " + v(t.a) + ", " + v(t.b) + ", " + q(t.flag) + ";");
        break;
      case Kind::Compare:
        line(comparison(t, q(t.flag), t.has_imm));
        break;
      case Kind::Widen:
        line("cvt.u64.u32 %x, " + v(t.a) + "; mad.lo.u64 " + w(t.d) + ", " + w(t.d) + ", " +
             std::to_string(static_cast<std::int64_t>(kWideFactor)) + ", %x;");
        break;
      case Kind::Narrow:
        line("mov.b64 {_, " + v(t.d) + "}, " + w(t.a) + ";");
        break;
      case Kind::Memory:
        line("and.b32 %t, " + v(t.a) +
             ", 3; mov.u64 %x, cell; mad.wide.u32 %x, %t, 4, %x; ld.local.u32 %t, [%x]; add.u32 %t, %t, " +
             v(t.b) + "; st.local.u32 [%x], %t; ld.local.u32 " + v(t.d) + ", [cell+" +
             std::to_string(4 * (t.imm & 3)) + "];");
        break;
      case Kind::If: {
        const std::string p = "%c" + std::to_string(predicates_++ % 64), no = label("ELSE"),
                          end = label("FI");
        line(comparison(t, p, true) + " @!" + p + " bra " + no + ";");
        print_body(t.bodies[0]);
        line("bra " + end + ";\n" + no + ":");
        print_body(t.bodies[1]);
        line(end + ":");
        break;
      }
      case Kind::While:
        print_loop(t, true);
        break;
      case Kind::DoWhile:
        print_loop(t, false);
        break;
      case Kind::Switch: {
        const std::string table = label("TABLE"), end = label("ESAC");
        std::vector<std::string> cases;
        std::string list;
        for (int i = 0; i < 4; ++i) {
          cases.push_back(label("CASE"));
          list += (i == 0 ? "" : ", ") + cases.back();
        }
        line("and.b32 %t, " + v(t.a) + ", 3;\n" + table + ": .branchtargets " + list + ";\nbrx.idx %t, " +
             table + ";");
        for (unsigned i = 0; i < 4; ++i) {
          line(cases[i] + ":");
          print_body(t.bodies[i]);
          line("bra " + end + ";");
        }
        line(end + ":");
        break;
      }
      case Kind::Break:
        line(guard(t) + "bra " + loops_[loops_.size() - t.imm].second + ";");
        break;
      case Kind::Continue:
        line(guard(t) + "bra " + loops_.back().first + ";");
        break;
      case Kind::Return:
        line(guard(t) + "bra RETURN;");
        break;
      case Kind::Call:
      case Kind::CallAny:
        print_call(t, v(t.b));
        break;
      case Kind::Recurse: {
        const std::string p = "%c" + std::to_string(predicates_++ % 64), skip = label("FLAT");
        line("setp.eq.u32 " + p + ", %depth, 0; @" + p + " bra " + skip + "; sub.u32 %t, %depth, 1;");
        print_call(t, "%t");
        line(skip + ":");
        break;
      }
    }
  }

  std::string out_;
  int labels_ = 0, counters_ = 0, predicates_ = 0, function_ = 0;
  std::vector<std::pair<std::string, std::string>> loops_;  // where continue and break go
};

}  // namespace

std::string to_ptx(const RandomProgram& program) {
  return Printer().print(program);
}

}  // namespace heddle::exec
