// Memory that the host does not have is refused with the numbers: local memory, and pages that kernels touch.
#include <cstdlib>

#include "base/host_memory.h"
#include "bench.h"

namespace heddle::exec {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What this process may have from now on: so much more than it has.
class MoreMemory {
 public:
  explicit MoreMemory(std::uint64_t bytes) {
    setenv("HEDDLE_HOST_MEMORY", "1000GiB", 1);
    const HostMemory all = host_memory();
    const std::uint64_t resident = (std::uint64_t{1000} << 30) - all.available;
    const bool known = all.available > (std::uint64_t{900} << 30);
    setenv("HEDDLE_HOST_MEMORY",
           std::to_string((known ? resident : std::uint64_t{128} << 20) + bytes).c_str(), 1);
  }
  ~MoreMemory() { unsetenv("HEDDLE_HOST_MEMORY"); }
  MoreMemory(const MoreMemory&) = delete;
  MoreMemory& operator=(const MoreMemory&) = delete;
};

std::string local_text(const std::string& bytes, const std::string& globals = {},
                       const std::string& more = {}) {
  return kernel_text(".local .align 16 .b8 big[" + bytes +
                         "]; //here\nmov.u64 %rd1, big; st.local.u32 [%rd1], %tid; " + more +
                         "ld.local.u32 %r1, [%rd1]; st.global.u32 [%mine], %r1;",
                     globals);
}

std::string load_error(const std::string& text) {
  FunctionalDevice device;
  try {
    device.load_module(text, "local.ptx");
  } catch (const Error& e) {
    return e.what();
  }
  return "loaded";
}

TEST(LocalMemory, MoreThanAnyCardGivesIsRefusedWhenLoaded) {
  EXPECT_EQ(load_error(local_text("524288")), "loaded");
  const std::string text = local_text("524304");
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("//here")), '\n');
  EXPECT_THAT(load_error(text), AllOf(HasSubstr("local.ptx:" + std::to_string(line) + ":"),
                                      HasSubstr("'k' needs 524304 bytes of local memory"),
                                      HasSubstr("524288"), HasSubstr("'big' with 524304 bytes")));
  for (const char* bytes : {"400000000", "4294967280"})
    EXPECT_THAT(load_error(local_text(bytes)), HasSubstr(bytes));
}

TEST(LocalMemory, FunctionsCount) {
  const char* const function =
      ".func f() { .local .b32 x[65536]; .reg .b64 %a; mov.u64 %a, x; st.local.u32 [%a], 1; ret; }";
  EXPECT_EQ(load_error(local_text("262144", function, "call f; ")), "loaded");
  EXPECT_THAT(load_error(local_text("262160", function, "call f; ")),
              AllOf(HasSubstr("the functions it calls need 524304 bytes"), HasSubstr("524288")));
  EXPECT_THAT(load_error(local_text("16", ".func f(.param .b8 a[600000]) { ret; }",
                                    "{ .param .b8 a[600000]; call f, (a); } ")),
              HasSubstr("'a' with 600000 bytes"));
}

TEST(LocalMemory, OfManyThreadsMustFit) {
  FunctionalDevice device;
  device.load_module(local_text("409600"), "local.ptx");
  const auto out = device.allocate(4096, "out");
  const workload::Launch launch{"k", {1, 1, 1}, {1024, 1, 1}, 0, args(out)};
  {
    const MoreMemory limit(std::uint64_t{100} << 20);
    try {
      device.launch(launch);
      ADD_FAILURE() << "ran";
    } catch (const HostMemoryError& e) {
      EXPECT_THAT(e.what(),
                  AllOf(HasSubstr("local memory of a warp of kernel 'k', 409600 bytes for each thread"),
                        HasSubstr("13107200 bytes do not fit")));
    }
  }
  EXPECT_NO_THROW(device.launch(launch));
}

TEST(TouchedMemory, StopsBeforeTheHostHasNoneLeft) {
  FunctionalDevice device;
  device.load_module(
      kernel_text("mul.wide.u32 %rd1, %gid, 4096; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %gid;"),
      "touch.ptx");
  const auto out = device.allocate(std::uint64_t{512} << 20, "out");
  const MoreMemory limit(std::uint64_t{100} << 20);
  try {
    device.launch({"k", {4096, 1, 1}, {32, 1, 1}, 0, args(out)});
    ADD_FAILURE() << "ran";
  } catch (const HostMemoryError& e) {
    EXPECT_THAT(e.what(), HasSubstr("the host's memory is used up"));
  }
}

}  // namespace
}  // namespace heddle::exec
