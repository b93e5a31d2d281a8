// Accesses at a fixed place of a variable, in every space and by every instruction that has an address: those
// outside of the variable are errors when the module is loaded, or, where they may never be executed, when a
// thread gets there. None reaches the host's memory.
#include <tuple>

#include "bench.h"

namespace heddle::exec {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The access is at $ in `access`; that is put in place of ACCESS in `body` or in `globals`.
struct FixedForm {
  const char* name;
  const char* access;
  unsigned variable_bytes, access_bytes;
  const char* body = "ACCESS";
  const char* globals = "";
};

constexpr char kFunctionOfOne[] =
    ".func (.param .b32 got) f(.param .align 16 .b8 v[16]) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 99; "
    "not.pred %p2, "
    "%p1;\nACCESS\nst.param.b32 [got], 1; ret; }";
constexpr char kCall[] =
    "{ .param .align 16 .b8 a[16]; .param .b32 g; st.param.b32 [a], 7;\ncall (g), f, (a);\n"
    "ld.param.b32 %r9, [g]; }";
constexpr char kFunctionOfResult[] =
    ".func (.param .align 16 .b8 v[16]) f() { .reg .pred %p<4>; .reg .b32 %r<8>;\n"
    "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 99; not.pred %p2, %p1;\nACCESS\nret; }";
constexpr char kCallForResult[] = "{ .param .align 16 .b8 g[16]; call (g), f; ld.param.b32 %r9, [g+12]; }";
constexpr char kSharedTile[] = ".reg .b32 %a<8>; .shared .align 32 .b8 v[512];\nACCESS";

const FixedForm kFixedForms[] = {
    {"param", "ld.param.u32 %r1, [k_out$];", 8, 4},
    {"param_byte", "ld.param.u8 %r1, [k_out$];", 8, 1},
    {"param_vector", "ld.param.v2.u32 {%r1, %r2}, [k_out$];", 8, 8},
    {"function_param", "ld.param.u32 %r1, [v$];", 16, 4, kCall, kFunctionOfOne},
    {"function_param_vector", "ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [v$];", 16, 16, kCall, kFunctionOfOne},
    {"function_result", "st.param.b32 [v$], %r0;", 16, 4, kCallForResult, kFunctionOfResult},
    {"argument", "st.param.b64 [v$], %rd1;", 16, 8,
     "{ .param .align 16 .b8 v[16]; .param .b32 g;\nACCESS\ncall (g), f, (v); ld.param.b32 %r1, [g]; }",
     ".func (.param .b32 got) f(.param .align 16 .b8 p[16]) { st.param.b32 [got], 1; ret; }"},
    {"result", "ld.param.b32 %r1, [v$];", 16, 4, "{ .param .align 16 .b8 v[16]; call (v), f;\nACCESS\n}",
     ".func (.param .align 16 .b8 p[16]) f() { st.param.b32 [p], 1; ret; }"},
    {"local", "st.local.u32 [v$], %r1;", 16, 4, ".local .align 16 .b8 v[16];\nACCESS"},
    {"local_vector", "ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [v$];", 16, 16,
     ".local .align 16 .b8 v[16];\nACCESS"},
    {"local_by_generic", "ld.u32 %r1, [v$];", 16, 4, ".local .align 16 .b8 v[16];\nACCESS"},
    {"shared", "st.shared.u32 [v$], %r1;", 16, 4,
     ".shared .align 16 .b8 v[16], w[4096];\nst.shared.u32 [w], 0;\nACCESS"},
    {"shared_vector", "ld.shared.v2.u64 {%rd1, %rd2}, [v$];", 16, 16, ".shared .align 16 .b8 v[16];\nACCESS"},
    {"shared_volatile", "ld.volatile.shared.u32 %r1, [v$];", 16, 4, ".shared .align 16 .b8 v[16];\nACCESS"},
    {"shared_of_module", "ld.shared.u32 %r1, [v$];", 16, 4, "ACCESS", ".shared .align 16 .b8 v[16];"},
    {"shared_atomic", "atom.shared.add.u32 %r1, [v$], 1;", 16, 4, ".shared .align 16 .b8 v[16];\nACCESS"},
    {"shared_reduction", "red.shared.add.u64 [v$], 1;", 16, 8, ".shared .align 16 .b8 v[16];\nACCESS"},
    {"constant", "ld.const.u32 %r1, [v$];", 16, 4, "ACCESS", ".const .align 16 .b8 v[16];"},
    {"constant_vector", "ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [v$];", 16, 16, "ACCESS",
     ".const .align 16 .b8 v[16];"},
    {"copy", "cp.async.cg.shared.global [v$], [%out], 16;", 32, 16, ".shared .align 16 .b8 v[32];\nACCESS"},
    {"bulk_to_shared",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [v$], [%out], 32, [m];", 64, 32,
     ".shared .align 16 .b8 v[64]; .shared .align 8 .b64 m;\nsetp.eq.u32 %p5, %tid, 0; @%p5 "
     "mbarrier.init.shared.b64 [m], 1; "
     "mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 1024;\nACCESS"},
    {"bulk_from_shared", "cp.async.bulk.global.shared::cta.bulk_group [%out], [v$], 32;", 64, 32,
     ".shared .align 16 .b8 v[64];\nACCESS"},
    {"bulk_mbarrier",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out], 16, [v$];", 16, 8,
     ".shared .align 16 .b8 s[64], v[16];\nsetp.eq.u32 %p5, %tid, 0; @%p5 mbarrier.init.shared.b64 [v+8], 1; "
     "mbarrier.expect_tx.relaxed.cta.shared.b64 [v+8], 512;\nACCESS"},
    {"mbarrier", "mbarrier.init.shared.b64 [v$], 1;", 16, 8, ".shared .align 16 .b8 v[16];\nACCESS"},
    {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [v$];", 64, 16,
     ".shared .align 16 .b8 v[64];\nACCESS"},
    {"stmatrix", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [v$], {%r1, %r2};", 64, 16,
     ".shared .align 16 .b8 v[64];\nACCESS"},
    {"wmma_load",
     "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [v$];", 512,
     512, kSharedTile},
    {"wmma_store", "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [v$], {%a0, %a1, %a2, %a3};", 512, 512,
     kSharedTile},
    {"wmma_strided",
     "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [v$], 24;",
     1008, 752, ".reg .b32 %a<8>; .shared .align 32 .b8 v[1008];\nACCESS"},
};

std::string with(std::string text, const std::string& mark, const std::string& value) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), value);
}

struct FixedText {
  std::string body;
  Case rest;
};

// Threads 0 to 98 have %p1, none has %p2.
FixedText text_of(const FixedForm& f, std::int64_t offset, const std::string& before = {}) {
  std::string at = offset == 0 ? "" : (offset > 0 ? "+" : "") + std::to_string(offset);
  const std::string access = before + with(f.access, "$", at) + " //access\nEND:";
  FixedText text;
  text.body = "setp.lt.u32 %p1, %tid, 99; not.pred %p2, %p1;\n" + with(f.body, "ACCESS", access);
  text.rest.globals = with(f.globals, "ACCESS", access);
  text.rest.words = 256;
  text.rest.block = {8, 1, 1};
  if (std::string_view(f.name).find("matrix") != std::string_view::npos ||
      std::string_view(f.name).starts_with("wmma"))
    text.rest.block = {32, 1, 1};
  return text;
}

std::string load_error(const FixedText& text) {
  try {
    Bench b(text.body, text.rest);
  } catch (const Error& e) {
    EXPECT_EQ(e.place().file, "bench.ptx");
    EXPECT_NE(e.place().column, 0u);
    const std::string module = kernel_text(text.body, text.rest.globals);
    const auto end = module.begin() + static_cast<std::ptrdiff_t>(module.find("//access"));
    EXPECT_EQ(e.place().line, 1 + std::count(module.begin(), end, '\n'));
    return e.what();
  }
  return "loaded";
}

class FixedAccess : public testing::TestWithParam<FixedForm> {
 protected:
  std::vector<std::int64_t> outside() const {
    const FixedForm& f = GetParam();
    const std::int64_t size = f.variable_bytes, bytes = f.access_bytes;
    std::vector<std::int64_t> all = {size,      size + 4096,     -bytes,         -4096,    400'000'000,
                                     1ll << 32, (1ll << 40) + 4, INT64_MAX - 15, INT64_MIN};
    if (bytes > 1) all.push_back(size - bytes / 2);
    return all;
  }
  auto message() const {
    const FixedForm& f = GetParam();
    return AllOf(HasSubstr(" of " + std::to_string(f.access_bytes) + " bytes at ["),
                 HasSubstr("which has " + std::to_string(f.variable_bytes) + " bytes"));
  }
};

TEST_P(FixedAccess, LastPlaceInside) {
  const FixedForm& f = GetParam();
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{f.variable_bytes} - f.access_bytes}) {
    if (offset == 0 && std::string_view(f.name) == "bulk_mbarrier") continue;  // is at 8
    const FixedText text = text_of(f, offset);
    Bench b(text.body, text.rest);
    EXPECT_NO_THROW(b.run()) << f.name << " at " << offset;
  }
}

TEST_P(FixedAccess, OutsideIsAnErrorOfTheModule) {
  for (const std::int64_t offset : outside())
    EXPECT_THAT(load_error(text_of(GetParam(), offset)), message()) << GetParam().name << " at " << offset;
}

TEST_P(FixedAccess, WhatIsNeverExecutedIsNoError) {
  for (const char* before : {"@%p2 ", "@%p1 bra END;\n", "@%p1 ret;\n"}) {
    if (std::string_view(before).find("ret") != std::string_view::npos && GetParam().globals[0] != '\0')
      continue;
    const FixedText text = text_of(GetParam(), outside()[0], before);
    Bench b(text.body, text.rest);
    EXPECT_NO_THROW(b.run()) << GetParam().name << " after " << before;
  }
}

TEST_P(FixedAccess, WhoGetsThereStops) {
  for (const std::int64_t offset : outside())
    for (const char* before : {"@%p1 ", "@%p2 bra END;\n"}) {
      const FixedText text = text_of(GetParam(), offset, before);
      Bench b(text.body, text.rest);
      const Error e = b.run_error();
      EXPECT_THAT(e.what(), AllOf(message(), HasSubstr("thread (0,0,0) of CTA (0,0,0)")));
      EXPECT_EQ(e.place().line, b.line("access"));
    }
}

INSTANTIATE_TEST_SUITE_P(Spaces, FixedAccess, testing::ValuesIn(kFixedForms),
                         [](const auto& form) { return std::string(form.param.name); });

// The launch decides how much there is.
TEST(FixedAccessAtRunTime, SharedMemoryOfTheLaunch) {
  const char* const body = "ld.shared.u32 %r1, [v+60]; //access";
  const char* const globals = ".extern .shared .align 16 .b8 v[];";
  EXPECT_NO_THROW(Bench(body, {.globals = globals, .dynamic_shared = 64}).run());
  Bench small(body, {.globals = globals, .dynamic_shared = 32});
  EXPECT_THAT(small.run_error().what(), HasSubstr("out-of-bounds load of 4 bytes at shared address 0x3c"));
  Bench before("ld.shared.u32 %r1, [v+-4]; //access", {.globals = globals, .dynamic_shared = 32});
  EXPECT_THAT(before.run_error().what(), HasSubstr("out-of-bounds"));
}

// Variables in global memory: as every other access there.
TEST(FixedAccessAtRunTime, GlobalVariables) {
  for (const char* offset : {"+16", "+-4", "+64", "+400000000", "+1099511627776", "+9223372036854775792"}) {
    Bench b("ld.global.u32 %r1, [v" + std::string(offset) + "];",
            {.globals = ".global .align 16 .b8 v[16];"});
    EXPECT_THAT(b.run_error().what(), HasSubstr("out-of-bounds load of 4 bytes at global address")) << offset;
  }
  EXPECT_NO_THROW(Bench("ld.global.u32 %r1, [v+12];", {.globals = ".global .align 16 .b8 v[16];"}).run());
}

// An address may be anything as long as nothing is accessed there.
TEST(FixedAccessAtRunTime, AddressesOutsideMayBeComputed) {
  Bench b(
      ".shared .align 16 .b8 s[16]; .local .align 16 .b8 l[16];\n"
      "mov.u32 %r1, s+16; mov.u64 %rd1, l+-16; mov.u64 %rd2, k_out+64; prefetch.global.L2 [g+4096];\n"
      "st.shared.u32 [%r1+-4], 5; st.local.u32 [%rd1+16], 6; ld.param.u64 %rd3, [%rd2+-64];\n"
      "ld.shared.u32 %r2, [s+12]; ld.local.u32 %r3, [l]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2;",
      {.globals = ".global .align 16 .b8 g[16];", .block = {1, 1, 1}});
  EXPECT_EQ(b.run()[0], 11u);
}

// Parameters at a place that is known at run time.
TEST(FixedAccessAtRunTime, ParametersByRegister) {
  const auto body = [](std::int64_t at) {
    return "mov.u64 %rd1, p1; ld.global.u32 %r9, [%out]; cvt.u64.u32 %rd2, %r9; add.u64 %rd1, %rd1, %rd2; "
           "add.s64 %rd1, %rd1, " +
           std::to_string(at) + "; ld.param.u32 %r1, [%rd1]; st.global.u32 [%mine], %r1;";
  };
  KernelArgs more;
  const std::uint32_t words[4] = {10, 11, 12, 13};
  more.add_bytes(words, sizeof words, 8);
  const char* const params = ", .param .align 8 .b8 p1[16]";
  Bench inside(body(12), {.params = params, .more = more, .block = {1, 1, 1}});
  EXPECT_EQ(inside.run()[0], 13u);
  for (const std::int64_t at :
       {std::int64_t{16}, std::int64_t{4096}, std::int64_t{-16}, std::int64_t{1} << 40}) {
    Bench b(body(at), {.params = params, .more = more, .block = {1, 1, 1}});
    EXPECT_THAT(b.run_error().what(), HasSubstr("out-of-bounds load of 4 bytes at param address")) << at;
  }
}

// A range that begins at the end of the address space and goes on at its beginning.
TEST(FixedAccessAtRunTime, BulkCopyAroundTheEndOfTheAddressSpace) {
  for (const char* copy :
       {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 64;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 64, [m];"}) {
    Bench b(
        ".shared .align 16 .b8 s[64]; .shared .align 8 .b64 m; mbarrier.init.shared.b64 [m], 1;\n"
        "mov.u64 %rd1, 0xffffffffffffffe0;\n" +
            std::string(copy),
        {.block = {1, 1, 1}});
    EXPECT_THAT(b.run_error().what(), HasSubstr("out-of-bounds"));
  }
}

TEST(FixedAccessAtRunTime, PointerToAFunctionOfAnotherType) {
  Bench b(
      "P: .callprototype _ (.param .align 16 .b8 a[4096]);\n"
      "{ .param .align 16 .b8 a[4096]; st.param.b32 [a], 1; mov.u64 %rd1, f; call %rd1, (a), P; //bad\n}",
      {.globals = ".func f(.param .b32 a) { ret; }"});
  EXPECT_THAT(b.run_error().what(), AllOf(HasSubstr("indirect call of 'f'"), HasSubstr("4096 bytes")));
}

TEST(FixedAccessAtRunTime, AKernelsParameterIsNoArgument) {
  try {
    Bench b("call f, (k_out);", {.globals = ".func f(.param .b64 a) { ret; }"});
    ADD_FAILURE() << "loaded";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'k_out', a parameter of the kernel"));
  }
}

}  // namespace
}  // namespace heddle::exec
