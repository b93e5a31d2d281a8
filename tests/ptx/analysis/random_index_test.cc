// Random sums, printed as PTX in random ways, are found again.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdlib>

#include "addresses.h"

namespace heddle::ptx {
namespace {

// Registers of address_kernel with ctaid.x, ctaid.y, tid.x, tid.y, n, and the loop's counter.
constexpr std::array<const char*, 6> kVariables{"%r50", "%r51", "%r52", "%r53", "%r55", "%r40"};

struct Term {
  int variable;
  int pitch;  // times m
  int factor;
};

int pick(int least, int end) {
  return *rc::gen::inRange(least, end);
}

class Printer {
 public:
  std::string text;

  std::string fresh() { return fmt::format("%x{}", n_++); }
  std::string fresh64() { return fmt::format("%y{}", n64_++); }
  std::string declarations() const {
    return fmt::format(".reg .b32 %x<{}>; .reg .b64 %y<{}>;\n", n_ + 1, n64_ + 1);
  }

  // value * factor, added to `sum` (empty: 0).
  std::string add_scaled(const std::string& sum, const std::string& value, int factor) {
    const std::string d = fresh();
    if (!sum.empty() && pick(0, 2) == 0) {
      line(fmt::format("mad.lo.s32 {}, {}, {}, {};", d, value, factor, sum));
      return d;
    }
    const std::string product = scaled(value, factor);
    if (sum.empty()) return product;
    if (pick(0, 2) == 0) {
      line(fmt::format("add.s32 {}, {}, {};", d, product, sum));
    } else {
      const std::string minus = fresh();
      line(fmt::format("neg.s32 {}, {};", minus, product));
      line(fmt::format("sub.s32 {}, {}, {};", d, sum, minus));
    }
    return d;
  }

  // base + 4 * index
  std::string address(const std::string& base, const std::string& index) {
    const std::string wide = fresh64(), sum = fresh64();
    switch (pick(0, 3)) {
      case 0:
        line(fmt::format("mul.wide.s32 {}, {}, 4; add.s64 {}, {}, {};", wide, index, sum, base, wide));
        break;
      case 1:
        line(fmt::format("cvt.s64.s32 {}, {}; shl.b64 {}, {}, 2; add.s64 {}, {}, {};", wide, index, wide,
                         wide, sum, wide, base));
        break;
      default:
        line(fmt::format("mad.wide.s32 {}, {}, 4, {};", sum, index, base));
        break;
    }
    return sum;
  }

  void line(const std::string& l) { text += l + "\n"; }

 private:
  std::string scaled(const std::string& value, int factor) {
    const std::string d = fresh();
    const bool power = factor > 0 && (factor & (factor - 1)) == 0;
    const int way = pick(0, 3);
    if (power && way == 0) {
      line(fmt::format("shl.b32 {}, {}, {};", d, value, __builtin_ctz(static_cast<unsigned>(factor))));
    } else if (way == 1) {
      const std::string half = fresh();
      line(
          fmt::format("mul.lo.s32 {}, {}, {}; mul.lo.s32 {}, {}, {};", half, value, factor - 1, d, value, 1));
      line(fmt::format("add.s32 {}, {}, {};", d, half, d));
    } else {
      line(fmt::format("mul.lo.s32 {}, {}, {};", d, value, factor));
    }
    return d;
  }

  unsigned n_ = 0, n64_ = 0;
};

std::vector<Term> random_terms() {
  std::vector<Term> terms;
  const int n = pick(1, 6);
  for (int i = 0; i < n; ++i) {
    int factor = pick(-40, 41);
    if (factor == 0) factor = 16;
    terms.push_back({pick(0, static_cast<int>(kVariables.size())), pick(0, 2), factor});
  }
  return terms;
}

std::string index_of(Printer& p, const std::vector<Term>& terms) {
  std::string sum;
  for (const Term& t : terms) {
    std::string value = kVariables[static_cast<std::size_t>(t.variable)];
    if (t.pitch != 0) {
      const std::string product = p.fresh();
      p.line(fmt::format("mul.lo.s32 {}, {}, %r56;", product, value));
      value = product;
    }
    sum = p.add_scaled(sum, value, t.factor);
  }
  return sum;
}

// What the sum must be: 4 * (terms), and 4 * pointer_step per iteration.
Sum truth(const Analysed& a, const std::vector<Term>& terms, int start, int step, int pointer_step,
          int constant) {
  Atoms& atoms = const_cast<Atoms&>(a.found.atoms);
  const auto atom = [&](AtomKind k, std::uint32_t i) { return Sum::of(atoms.simple(k, i)); };
  const Sum iteration = atom(AtomKind::Iteration, 0);
  const std::array<Sum, 6> values{atom(AtomKind::Ctaid, 0),      atom(AtomKind::Ctaid, 1),
                                  atom(AtomKind::Tid, 0),        atom(AtomKind::Tid, 1),
                                  atom(AtomKind::Parameter, 24), Sum(start) + Sum(step) * iteration};
  Sum sum = Sum(4 * pointer_step) * iteration + Sum(constant);
  for (const Term& t : terms) {
    Sum one = Sum(4 * t.factor) * values[static_cast<std::size_t>(t.variable)];
    if (t.pitch != 0) one = one * atom(AtomKind::Parameter, 28);
    sum = sum + one;
  }
  return sum;
}

TEST(RandomIndex, IsFoundAgain) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Term> terms = random_terms();
    const int start = pick(-3, 9), step = pick(1, 9), pointer_step = pick(0, 17), constant = 4 * pick(-8, 9);
    // In the loop, or once in front with the pointer moved on by it.
    const bool index_inside =
        std::any_of(terms.begin(), terms.end(), [](const Term& t) { return t.variable == 5; }) ||
        pick(0, 2) == 0;
    Printer p;
    std::string pointer = "%rd31";
    if (!index_inside) pointer = p.address(pointer, index_of(p, terms));
    p.line(fmt::format("mov.u64 %rd20, {}; mov.u32 %r40, {}; mov.u32 %r41, 0;", pointer, start));
    p.line("L:");
    std::string at = "%rd20";
    if (index_inside) at = p.address(at, index_of(p, terms));
    p.line(fmt::format("ld.global.f32 %f1, [{}+{}];", at, constant));
    p.line(fmt::format("add.s64 %rd20, %rd20, {}; add.s32 %r40, %r40, {}; add.s32 %r41, %r41, 1;",
                       4 * pointer_step, step));
    p.line("setp.lt.s32 %p1, %r41, %r55; @%p1 bra L;");
    const Analysed a(p.declarations() + p.text);
    RC_ASSERT(a.found.accesses.size() == 1u);
    const Sum expected = truth(a, terms, start, step, pointer_step, constant);
    if (a.access().offset != expected)
      RC_FAIL("found " + a.offset() + ", expected " + text(a.found.atoms, a.module, a.kernel(), expected) +
              "\n" + p.text);
    RC_ASSERT(a.access().array == "a");
  }));
}

}  // namespace
}  // namespace heddle::ptx
