// Any text as the body of a kernel, and in front of a line "---" as functions and variables of its module:
// loaded and launched. An Error or an end; never an access to memory that is not the device's (the sanitizers
// see to that), never a crash. Without branches, so that every kernel ends.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "exec/functional/functional_device.h"
#include "workload/launch.h"

namespace {

using namespace heddle;

constexpr std::string_view kBegin = R"(
.global .align 16 .b8 gv[64]; .const .align 16 .b8 cv[64]; .extern .shared .align 16 .b8 dyn[];
.visible .entry k(.param .u64 out, .param .align 16 .b8 pv[32]) {
.shared .align 16 .b8 sv[64]; .local .align 16 .b8 lv[64];
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 40;
)";

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

void run(std::string_view text) {
  // One call at most: recursion ends with the stack.
  if (count(text, "bra") + count(text, "brx") != 0 || count(text, "call") > 1) return;
  std::string_view module;
  if (const std::size_t at = text.find("---\n"); at != std::string_view::npos) {
    module = text.substr(0, at);
    text.remove_prefix(at + 4);
  }
  std::string ptx = ".version 8.1\n.target sm_90\n.address_size 64\n";
  ptx.append(module).append(kBegin).append(text).append("\nret;\n}\n");
  exec::FunctionalDevice device({.spin_limit = 100'000});
  device.load_module(ptx, "fuzz.ptx");
  const workload::DevicePtr out = device.allocate(1024, "out");
  workload::Launch launch{"k", {2, 1, 1}, {64, 1, 1}, 128, workload::args(out)};
  const std::byte more[32] = {};
  launch.args.add_bytes(more, sizeof more, 16);
  device.launch(launch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    run(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
  }
  return 0;
}
