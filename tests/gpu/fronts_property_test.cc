// Programs whose result does not depend on time leave the same memory behind every load front: threads read
// a common input, read, write and exchange words of their own, add to counters of all, and meet at barriers.
#include <rapidcheck.h>

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "bench.h"
#include "gpu/catalog.h"
#include "tests/contract/variants.h"

namespace heddle::gpu {
namespace {

constexpr std::uint32_t kThreads = 96, kMostCtas = 4, kAll = kThreads * kMostCtas;
constexpr std::uint32_t kInput = 1024, kSlots = 8, kCounters = 64;
constexpr std::uint32_t kValues = 6;  // %r0 to %r5

// Own words lie beside those of the next thread, or a thread's lie together.
struct Op {
  enum class Kind : std::uint8_t {
    Input,
    LoadOwn,
    StoreOwn,
    AtomicOwn,
    Add,
    Local,
    Neighbour,
    Barrier,
    Fence,
    Skip
  };
  Kind kind = Kind::Input;
  std::uint32_t value = 0, other = 0;  // registers
  std::uint32_t slot = 0;              // of own words; of Input: how far lanes are from each other
  bool together = false;
  std::uint32_t variant = 0;
};
void showValue(const Op& op, std::ostream& os) {
  os << fmt::format("{{{} r{} r{} slot {} {} {}}}", int(op.kind), op.value, op.other, op.slot,
                    op.together ? "together" : "beside", op.variant);
}

rc::Gen<Op> operations() {
  using K = Op::Kind;
  return rc::gen::build<Op>(rc::gen::set(&Op::kind, rc::gen::weightedElement<K>({{6, K::Input},
                                                                                 {5, K::LoadOwn},
                                                                                 {5, K::StoreOwn},
                                                                                 {3, K::AtomicOwn},
                                                                                 {2, K::Add},
                                                                                 {1, K::Local},
                                                                                 {1, K::Neighbour},
                                                                                 {1, K::Barrier},
                                                                                 {1, K::Fence},
                                                                                 {2, K::Skip}})),
                            rc::gen::set(&Op::value, rc::gen::inRange(0u, kValues)),
                            rc::gen::set(&Op::other, rc::gen::inRange(0u, kValues)),
                            rc::gen::set(&Op::slot, rc::gen::inRange(0u, kSlots)),
                            rc::gen::set(&Op::together),
                            rc::gen::set(&Op::variant, rc::gen::inRange(0u, 6u)));
}

// %r8 to %r11, %rd1 and %rd2 and %p1 are the program's own.
class Program {
 public:
  explicit Program(const std::vector<Op>& ops) {
    line(".local .align 4 .b8 stack[32];");
    for (std::uint32_t v = 0; v < kValues; ++v)
      line(fmt::format("mad.lo.u32 %r{}, %gid, {}, {};", v, 7 + 10 * v, v));
    for (std::uint32_t s = 0; s < kSlots; ++s) line(fmt::format("st.local.u32 [stack+{}], %gid;", 4 * s));
    for (const Op& op : ops) {
      add(op);
      if (skipped_ != 0 && --skipped_ == 0) end_skip();
    }
    if (skipped_ != 0) end_skip();
    for (std::uint32_t v = 0; v < kSlots; ++v) {
      own({.slot = v, .together = false});
      line(fmt::format("ld.global.u32 %r8, [%rd1]; add.u32 %r0, %r0, %r8;"));
    }
    for (std::uint32_t v = 1; v < kValues; ++v) line(fmt::format("add.u32 %r0, %r0, %r{};", v));
    own({.slot = 0, .together = false});
    line("st.global.u32 [%rd1], %r0;");
  }
  const std::string& text() const { return text_; }

 private:
  void line(const std::string& l) { text_ += l + "\n"; }
  void word(std::string_view base, const std::string& index) {
    line(fmt::format("mul.wide.u32 %rd1, {}, 4; add.u64 %rd1, %rd1, {};", index, base));
  }
  // One of the thread's own words, in %rd1.
  void own(const Op& op) {
    if (op.together)
      line(fmt::format("mad.lo.u32 %r8, %gid, {}, {};", kSlots, kSlots * kAll + op.slot));
    else
      line(fmt::format("add.u32 %r8, %gid, {};", op.slot * kAll));
    word("%b", "%r8");
  }
  void end_skip() {
    skipped_ = 0;
    line(fmt::format("S{}:", labels_++));
  }
  void neighbour(const Op& op) {
    line("mul.wide.u32 %rd1, %tid, 4; mov.u64 %rd2, buffer; add.u64 %rd1, %rd1, %rd2;");
    line(fmt::format("st.shared.u32 [%rd1], %r{}; bar.sync 0;", op.value));
    line(fmt::format("add.u32 %r8, %tid, {}; rem.u32 %r8, %r8, {};", 1 + op.slot, kThreads));
    line("mul.wide.u32 %rd1, %r8, 4; add.u64 %rd1, %rd1, %rd2;");
    line(fmt::format("ld.shared.u32 %r8, [%rd1]; bar.sync 0; add.u32 %r{0}, %r{0}, %r8;", op.other));
  }
  void input(const Op& op) {
    const std::array indices = {fmt::format("add.u32 %r8, %gid, {};", op.slot),
                                fmt::format("mad.lo.u32 %r8, %lane, {}, %cta;", 1 + 11 * op.slot),
                                fmt::format("mov.u32 %r8, {};", 100 * op.slot),
                                fmt::format("mul.lo.u32 %r8, %r{}, 40503;", op.other)};
    const std::array loads = {"ld.global.u32", "ld.global.u32", "ld.global.cg.u32", "ld.volatile.global.u32"};
    line(indices[op.variant % 4]);
    line(fmt::format("and.b32 %r8, %r8, {};", kInput - 1));
    word("%a", "%r8");
    line(fmt::format("{0} %r9, [%rd1]; add.u32 %r{1}, %r{1}, %r9;", loads[op.variant % 4], op.value));
  }

  void add(const Op& op) {
    using K = Op::Kind;
    switch (op.kind) {
      case K::Input:
        return input(op);
      case K::LoadOwn:
        own(op);
        return line(fmt::format("{0} %r9, [%rd1]; add.u32 %r{1}, %r{1}, %r9;",
                                op.variant == 0 ? "ld.volatile.global.u32" : "ld.global.u32", op.value));
      case K::StoreOwn:
        own(op);
        return line(fmt::format("st.global.u32 [%rd1], %r{};", op.value));
      case K::AtomicOwn:
        own(op);
        return line(fmt::format("atom.global.{0} %r9, [%rd1], %r{1}; add.u32 %r{2}, %r{2}, %r9;",
                                op.variant % 2 == 0 ? "exch.b32" : "add.u32", op.value, op.other));
      case K::Add:
        line(fmt::format("and.b32 %r8, %r{}, {};", op.other, kCounters - 1));
        word("%c", "%r8");
        return line(fmt::format("red.global.add.u32 [%rd1], %r{};", op.value));
      case K::Local:
        return line(
            fmt::format("ld.local.u32 %r9, [stack+{0}]; st.local.u32 [stack+{0}], %r{1}; "
                        "add.u32 %r{2}, %r{2}, %r9;",
                        4 * op.slot, op.value, op.other));
      case K::Neighbour:
      case K::Barrier:
        if (skipped_ != 0) return;  // not all lanes would come
        return op.kind == K::Neighbour ? neighbour(op) : line("bar.sync 0;");
      case K::Fence:
        return line("membar.gl;");
      case K::Skip:  // some lanes leave the next operations out
        if (skipped_ != 0) return;
        skipped_ = 2 + op.slot;
        line(fmt::format("and.b32 %r8, %r{}, {}; setp.ne.u32 %p1, %r8, 0;", op.value, 1 + op.variant));
        return line(fmt::format("@%p1 bra S{};", labels_));
    }
  }

  std::string text_;
  std::uint32_t skipped_ = 0, labels_ = 0;
};

std::vector<std::uint32_t> memory_after(const GpuSpec& spec, const std::string& program, std::uint32_t ctas) {
  Bench b(spec);
  b.load(program, fmt::format(".shared .align 4 .b8 buffer[{}];\n", 4 * kThreads));
  std::vector<std::uint32_t> input(kInput);
  for (std::uint32_t i = 0; i < kInput; ++i) input[i] = i * 2654435761u;
  const auto a = b.words(input), own = b.words(2 * kSlots * kAll), counters = b.words(kCounters);
  b.run({.ctas = ctas, .threads = kThreads}, a, own, counters);
  std::vector<std::uint32_t> all = b.read(own, 2 * kSlots * kAll);
  for (const std::uint32_t word : b.read(counters, kCounters)) all.push_back(word);
  return all;
}

// A front with up to three of its parameters changed.
Settings any_front() {
  const auto& kinds = load_fronts();
  const sm::LoadFrontKind& kind = kinds[*rc::gen::inRange<std::size_t>(0, kinds.size())];
  Settings settings = {fmt::format("sm.load_front={}", kind.name)};
  config::ParamTable table;
  config::Reader describe(nullptr, &table);
  kind.read(describe);
  for (std::uint32_t n = *rc::gen::inRange(0u, 4u); n > 0 && !table.params().empty(); --n) {
    const config::Param& p = table.params()[*rc::gen::inRange<std::size_t>(0, table.params().size())];
    const std::vector<std::string> values = contract::values_to_try(p);
    if (!values.empty())
      settings.push_back(fmt::format("sm.{}.{}={}", kind.name, p.path, *rc::gen::elementOf(values)));
  }
  return settings;
}

TEST(Fronts, LeaveTheSameMemory) {
  const bool held = rc::check("programs that do not depend on time", [] {
    const auto ops = *rc::gen::container<std::vector<Op>>(operations());
    const std::uint32_t ctas = *rc::gen::inRange(1u, kMostCtas + 1);
    Settings settings = any_front();
    settings.push_back(fmt::format("l1.mshr_entries={}", *rc::gen::element(1u, 4u, 32u)));
    settings.push_back(fmt::format("l1.sets={}", *rc::gen::element(2u, 64u)));
    std::string said;
    for (const std::string& s : settings) said += s + " ";
    const std::string program = Program(ops).text();
    const std::vector<std::uint32_t> want = memory_after(lab(), program, ctas);
    GpuSpec spec;
    try {
      spec = lab(settings);
    } catch (const Error&) {
      RC_DISCARD("values that exclude each other");
    }
    RC_LOG() << said << "\n" << program;
    RC_ASSERT(memory_after(spec, program, ctas) == want);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace heddle::gpu
