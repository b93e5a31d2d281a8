// Device printf under timing: all of it, in the order of each thread, and in pieces of a window.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "bench.h"

namespace heddle::gpu {
namespace {

struct Sink final : exec::OutputSink {
  void write(const std::string& t) override {
    text += t;
    longest = std::max(longest, t.size());
    ++pieces;
  }
  std::string text;
  std::size_t longest = 0, pieces = 0;
};

constexpr std::uint32_t kCtas = 64, kThreads = 32, kTurns = 4;
constexpr std::size_t kFilling = 500;

// Each thread prints its number and the turn, behind `kFilling` letters.
const char* const kBody = R"(.local .align 8 .b8 buf[8]; mov.u64 %rd1, buf; cvta.local.u64 %rd2, %rd1;
mov.u64 %rd3, fmt; cvta.global.u64 %rd3, %rd3; mov.u32 %r1, 0; st.local.u32 [buf], %gid;
L: st.local.u32 [buf+4], %r1;
{ .param .b32 pr; .param .b64 pf; .param .b64 pa; st.param.b64 [pf], %rd3; st.param.b64 [pa], %rd2;
call (pr), vprintf, (pf, pa); }
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra L;)";

std::string globals() {
  const std::string format = std::string(kFilling, 'x') + "%d %d\n";
  std::string out =
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 fmt[" +
      std::to_string(format.size() + 1) + "] = {";
  for (const char c : format) out += std::to_string(static_cast<int>(c)) + ", ";
  return out + "0};\n";
}

void check_lines(const std::string& text) {
  std::map<int, int> next;  // turn, by thread
  std::istringstream lines(text);
  std::size_t n = 0;
  for (std::string line; std::getline(lines, line); ++n) {
    ASSERT_EQ(line.find_first_not_of('x'), kFilling);
    int thread = -1, turn = -1;
    ASSERT_EQ(std::sscanf(line.c_str() + kFilling, "%d %d", &thread, &turn), 2) << line;
    ASSERT_EQ(turn, next[thread]++) << "thread " << thread;
  }
  EXPECT_EQ(n, std::size_t{kCtas} * kThreads * kTurns);
  EXPECT_EQ(next.size(), std::size_t{kCtas} * kThreads);
}

TEST(Printf, ComesInPiecesOfAWindow) {
  std::string first;
  for (const std::uint32_t threads : {1u, 2u}) {
    Sink sink;
    MachineOptions machine;
    machine.threads = threads;
    TimingDevice device(spec_of("clustered60"), {.machine = machine, .output = &sink});
    device.load_module(kernel_text(kBody, globals()), "printf.ptx");
    const workload::DevicePtr none{};
    device.launch({"k", {kCtas}, {kThreads}, 0, workload::args(none, none, none, std::uint32_t{0})});
    check_lines(sink.text);
    EXPECT_GT(sink.text.size(), std::size_t{3} << 20);
    EXPECT_LE(sink.longest, std::size_t{64} << 10) << "of one SM in one window";
    EXPECT_GE(sink.pieces, kCtas);
    if (first.empty()) first = sink.text;
    EXPECT_TRUE(sink.text == first) << "with " << threads << " threads";
  }
}

}  // namespace
}  // namespace heddle::gpu
