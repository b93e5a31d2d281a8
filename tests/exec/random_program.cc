#include "random_program.h"

#include <algorithm>

#include "workload/random.h"

namespace heddle::exec {
namespace {

using Kind = Statement::Kind;
using Op = Statement::Op;
using Body = std::vector<Statement>;
using workload::Random;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  RandomProgram make() {
    RandomProgram p;
    for (int f = 0; f < kFunctions; ++f) {
      function_ = f;
      p.functions.push_back(body(0, 0, 5));
      if (below(2) == 0) {
        Statement s = plain(Kind::Recurse);
        p.functions.back().insert(
            p.functions.back().begin() + below(static_cast<int>(p.functions.back().size()) + 1), s);
      }
    }
    function_ = kFunctions;
    may_return_ = below(2) == 0;
    p.kernel = body(0, 0, 10);
    return p;
  }

 private:
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint32_t>(n))); }

  Statement plain(Kind kind) {
    Statement s;
    s.kind = kind;
    s.op = static_cast<Op>(below(7));
    s.cmp = below(4);
    s.d = below(kVars);
    s.a = below(kVars);
    s.b = below(kVars);
    s.flag = below(kFlags);
    s.sense = below(2) == 0;
    s.has_imm = below(2) == 0;
    s.imm = below(3) == 0 ? static_cast<std::uint32_t>(random_.next()) : static_cast<std::uint32_t>(below(8));
    return s;
  }

  Body body(int depth, int loops, int length) {
    Body out;
    const int n = 1 + below(length);
    for (int i = 0; i < n; ++i) out.push_back(statement(depth, loops));
    return out;
  }

  Statement statement(int depth, int loops) {
    constexpr Kind kSimple[] = {Kind::Compute, Kind::Compute, Kind::Compute, Kind::Guarded, Kind::Select,
                                Kind::Compare, Kind::Compare, Kind::Widen,   Kind::Narrow,  Kind::Memory};
    const int choice = below(20);
    if (depth >= 4 || choice < 10) return plain(kSimple[below(10)]);
    if (choice < 12) return nested(Kind::If, 2, depth, loops);
    if (choice < 15)
      return loops >= 2 ? nested(Kind::If, 2, depth, loops)
                        : nested(below(2) == 0 ? Kind::While : Kind::DoWhile, 1, depth, loops + 1);
    if (choice == 15) return nested(Kind::Switch, 4, depth, loops);
    if (choice == 16 && loops > 0) {
      Statement s = plain(below(2) == 0 ? Kind::Break : Kind::Continue);
      s.imm = 1 + static_cast<std::uint32_t>(below(loops));
      return s;
    }
    if (choice == 17 && (function_ < kFunctions || may_return_)) {
      return plain(Kind::Return);
    }
    if (choice >= 18 && function_ > 0) {
      Statement s = plain(choice == 18 ? Kind::Call : Kind::CallAny);
      s.callee = below(function_);
      s.callee2 = below(function_);
      return s;
    }
    return plain(kSimple[below(10)]);
  }

  Statement nested(Kind kind, int bodies, int depth, int loops) {
    Statement s = plain(kind);
    for (int i = 0; i < bodies; ++i) s.bodies.push_back(body(depth + 1, loops, 4));
    return s;
  }

  Random random_;
  int function_ = 0;
  bool may_return_ = true;
};

// ---- meaning ------------------------------------------------------------------------------------------

class Interpreter {
 public:
  explicit Interpreter(const RandomProgram& p) : program_(p) {}

  bool run(ThreadState& state) {
    Frame frame{.s = state};
    execute(program_.kernel, frame);
    state = frame.s;
    return fuel_ > 0;
  }

 private:
  struct Frame {
    ThreadState s;
    std::array<std::uint32_t, 4> cell{};
    int function = kFunctions;
    std::uint32_t depth = 0;
    int leave_loops = 0;  // loops still to be left
    bool returned = false;
    bool next_turn = false;
  };

  static std::uint32_t compute(const Statement& t, const Frame& f) {
    const std::uint32_t x = f.s.v[static_cast<unsigned>(t.a)];
    const std::uint32_t y = t.has_imm ? t.imm : f.s.v[static_cast<unsigned>(t.b)];
    switch (t.op) {
      case Op::Add:
        return x + y;
      case Op::Sub:
        return x - y;
      case Op::Mul:
        return x * y;
      case Op::Xor:
        return x ^ y;
      case Op::And:
        return x & y;
      case Op::Or:
        return x | y;
      case Op::Min:
        return std::min(x, y);
    }
    return 0;
  }
  static bool compare(const Statement& t, std::uint32_t x, std::uint32_t y) {
    return t.cmp == 0 ? x == y : t.cmp == 1 ? x != y : t.cmp == 2 ? x < y : x >= y;
  }

  std::uint32_t call(int function, std::uint32_t a, std::uint32_t b, std::uint32_t depth) {
    Frame f;
    f.function = function;
    f.depth = depth;
    f.s.v[0] = a;
    f.s.v[1] = b;
    execute(program_.functions[static_cast<unsigned>(function)], f);
    return f.s.v[0];
  }

  // False: the rest of the surrounding body is not executed.
  bool execute(const Body& body, Frame& f) {
    for (const Statement& t : body) {
      if (--fuel_ <= 0) return false;
      step(t, f);
      if (f.returned || f.leave_loops > 0 || f.next_turn) return false;
    }
    return true;
  }

  // True: another turn.
  bool turn(const Statement& t, Frame& f) {
    execute(t.bodies[0], f);
    f.next_turn = false;
    if (f.returned || fuel_ <= 0) return false;
    if (f.leave_loops > 0) {
      --f.leave_loops;
      return false;
    }
    return true;
  }

  void step(const Statement& t, Frame& f) {
    auto& v = f.s.v;
    const auto d = static_cast<unsigned>(t.d), a = static_cast<unsigned>(t.a), b = static_cast<unsigned>(t.b);
    const auto flag = static_cast<unsigned>(t.flag);
    const bool guard = f.s.q[flag] == t.sense;
    switch (t.kind) {
      case Kind::Compute:
        v[d] = compute(t, f);
        break;
      case Kind::Guarded:
        if (guard) v[d] = compute(t, f);
        break;
      case Kind::Select:
        v[d] = f.s.q[flag] ? v[a] : v[b];
        break;
      case Kind::Compare:
        f.s.q[flag] = compare(t, v[a], t.has_imm ? t.imm : v[b]);
        break;
      case Kind::Widen:
        f.s.w[d % kWide] = f.s.w[d % kWide] * kWideFactor + v[a];
        break;
      case Kind::Narrow:
        v[d] = static_cast<std::uint32_t>(f.s.w[a % kWide] >> 32);
        break;
      case Kind::Memory:
        f.cell[v[a] & 3] += v[b];
        v[d] = f.cell[t.imm & 3];
        break;
      case Kind::If:
        execute(t.bodies[compare(t, v[a], t.imm) ? 0 : 1], f);
        break;
      case Kind::While:
        for (std::uint32_t n = v[a] & 3; n != 0; --n)
          if (!turn(t, f)) break;
        break;
      case Kind::DoWhile:
        for (std::uint32_t n = v[a] & 3;; --n)
          if (!turn(t, f) || n == 0) break;
        break;
      case Kind::Switch:
        execute(t.bodies[v[a] & 3], f);
        break;
      case Kind::Break:
        if (guard) f.leave_loops = static_cast<int>(t.imm);
        break;
      case Kind::Continue:
        f.next_turn = guard;
        break;
      case Kind::Return:
        f.returned = guard;
        break;
      case Kind::Call:
        v[d] = call(t.callee, v[a], v[b], v[b] & 3);
        break;
      case Kind::CallAny:
        v[d] = call((v[a] & 1) != 0 ? t.callee : t.callee2, v[a], v[b], v[b] & 3);
        break;
      case Kind::Recurse:
        if (f.depth != 0) v[d] = call(f.function, v[a], f.depth - 1, f.depth - 1);
        break;
    }
  }

  const RandomProgram& program_;
  int fuel_ = 20000;
};

}  // namespace

RandomProgram make_random_program(std::uint64_t seed) {
  return Generator(seed).make();
}

bool interpret(const RandomProgram& program, ThreadState& state) {
  return Interpreter(program).run(state);
}

ThreadState initial_state(std::uint32_t gid) {
  ThreadState s;
  s.v = {gid, gid * 40503, 7, gid ^ 21, gid >> 2, 1};
  return s;
}

}  // namespace heddle::exec
