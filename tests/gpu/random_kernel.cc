#include "random_kernel.h"

#include <array>

#include <fmt/format.h>

#include "workload/random.h"

namespace heddle::gpu {
namespace {

constexpr std::uint32_t kValues = 8;  // %r0 to %r7 hold what is computed

// %r8 to %r15, %rd1, %p1 and up are its own; %r16 counts loops.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string body() {
    line(".local .align 4 .b8 stack[128];");
    for (std::uint32_t v = 0; v < kValues; ++v)
      line(fmt::format("mad.lo.u32 %r{}, %gid, {}, %n;", v, 1 + random_.below(1000)));
    for (std::uint32_t n = 2 + random_.below(3); n > 0; --n) segment();
    global_address("%b", "%gid");
    for (std::uint32_t v = 1; v < kValues; ++v) line(fmt::format("add.u32 %r0, %r0, %r{};", v));
    line("st.global.u32 [%rd1], %r0;");
    return std::move(text_);
  }

 private:
  void line(const std::string& l) { text_ += l + "\n"; }
  std::string value() { return fmt::format("%r{}", random_.below(kValues)); }
  std::string label() { return fmt::format("R{}", labels_++); }

  void segment() {
    switch (random_.below(5)) {
      case 0:  // some lanes only
        divergent(2 + random_.below(4));
        break;
      case 1:
        repeated(random_.below(2) == 0 ? "2" : "%r14");
        break;
      case 2:
        line("bar.sync 0;");
        [[fallthrough]];
      default:
        straight(2 + random_.below(6));
    }
  }
  void straight(std::uint32_t operations) {
    for (; operations > 0; --operations) operation();
  }
  void divergent(std::uint32_t operations) {
    const std::string end = label();
    const std::uint32_t bits = 1 + random_.below(7);
    line(fmt::format("and.b32 %r8, {}, {};", value(), bits));
    line("setp.ne.u32 %p1, %r8, 0;");
    line(fmt::format("@%p1 bra {};", end));
    straight(operations);
    line(end + ":");
  }
  // As often as `rounds` says: a number, or a register that differs between lanes.
  void repeated(const std::string& rounds) {
    const std::string start = label();
    line(fmt::format("and.b32 %r14, {}, 3;", value()));
    line("mov.u32 %r16, 0;");
    line(start + ":");
    straight(1 + random_.below(4));
    line("add.u32 %r16, %r16, 1;");
    line(fmt::format("setp.lt.u32 %p2, %r16, {};", rounds));
    line(fmt::format("@%p2 bra {};", start));
  }

  // The word of `base` that `index` names, in %rd1.
  void global_address(std::string_view base, const std::string& index) {
    line(fmt::format("and.b32 %r9, {}, {};", index, kRandomWords - 1));
    line("mul.wide.u32 %rd1, %r9, 4;");
    line(fmt::format("add.u64 %rd1, %rd1, {};", base));
  }
  void any_global_address() {
    const std::array bases = {"%a", "%b", "%c"};
    const char* base = bases[random_.below(3)];
    switch (random_.below(5)) {
      case 0:  // the same for all
        line(fmt::format("mov.u32 %r10, {};", random_.below(kRandomWords)));
        break;
      case 1:  // lanes far from each other
        line(fmt::format("mad.lo.u32 %r10, %lane, {}, %cta;", 1 + random_.below(64)));
        break;
      case 2:  // anywhere
        line(fmt::format("mul.lo.u32 %r10, {}, 2654435761;", value()));
        line("shr.u32 %r10, %r10, 9;");
        break;
      default:
        line(fmt::format("add.u32 %r10, %gid, {};", random_.below(kRandomWords)));
    }
    global_address(base, "%r10");
  }
  void near_address(const char* where, std::uint32_t words) {
    line(fmt::format("and.b32 %r11, {}, {};", random_.below(2) == 0 ? "%tid" : value(), words - 1));
    line("mul.wide.u32 %rd2, %r11, 4;");
    line(fmt::format("mov.u64 %rd1, {};", where));
    line("add.u64 %rd1, %rd1, %rd2;");
  }

  void operation() {
    const std::array loads = {"ld.global.u32", "ld.global.u32", "ld.global.cg.u32", "ld.volatile.global.u32"};
    const std::string first = value(), second = value(), third = value();
    const bool store = random_.below(2) == 0;
    const std::uint32_t number = random_.below(32);
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        any_global_address();
        line(fmt::format("{} {}, [%rd1];", loads[number % 4], first));
        break;
      case 4:
      case 5:
        any_global_address();
        line(fmt::format("st.global.u32 [%rd1], {};", first));
        break;
      case 6:
        any_global_address();
        line(fmt::format("atom.global.add.u32 {}, [%rd1], 1;", first));
        break;
      case 7:
        any_global_address();
        line(fmt::format("red.global.add.u32 [%rd1], {};", first));
        break;
      case 8:
        near_address("buffer", 128);
        line(store ? fmt::format("st.shared.u32 [%rd1], {};", first)
                   : fmt::format("ld.shared.u32 {}, [%rd1];", first));
        break;
      case 9:
        line(store ? fmt::format("st.local.u32 [stack+{}], {};", 4 * number, first)
                   : fmt::format("ld.local.u32 {}, [stack+{}];", first, 4 * number));
        break;
      case 10:
        if (number % 3 == 0) line("membar.gl;");
        [[fallthrough]];
      default:
        line(fmt::format("mad.lo.u32 {}, {}, {}, {};", first, second, 3 + number, third));
    }
  }

  workload::Random random_;
  std::string text_;
  std::uint32_t labels_ = 0;
};

}  // namespace

RandomKernel random_kernel(std::uint64_t seed) {
  return {".shared .align 4 .b8 buffer[512];\n", Writer(seed).body()};
}

}  // namespace heddle::gpu
