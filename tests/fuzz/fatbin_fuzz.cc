// Any bytes as a container: an Error, or entries that lie inside of it and unpack to what they say; never a
// crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "fatbin/fatbin.h"

namespace {

using namespace heddle;

void check(const fatbin::Entry& e, std::span<const std::byte> container) {
  if (!e.payload.empty() &&
      (e.payload.data() < container.data() || e.payload.size() > container.size() ||
       static_cast<std::size_t>(e.payload.data() - container.data()) > container.size() - e.payload.size()))
    std::abort();
  if (e.unpacked_bytes > (16u << 20)) return;  // allowed, but slow
  try {
    const std::string contents = fatbin::unpack(e);
    if (contents.size() > e.unpacked_bytes) std::abort();
    if (e.kind == fatbin::Kind::Cubin) fatbin::registers(std::as_bytes(std::span(contents)));
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto container = std::as_bytes(std::span(data, size));
  try {
    const std::vector<fatbin::Entry> all = fatbin::entries(container);
    for (const fatbin::Entry& e : all) check(e, container);
    const fatbin::Entry* chosen = fatbin::choose_ptx(all, 90);
    if (chosen != nullptr && chosen->kind != fatbin::Kind::Ptx) std::abort();
    for (const fatbin::Entry& e : all)  // one that fits goes before one that does not
      if (chosen != nullptr && chosen->architecture > 90 && e.kind == fatbin::Kind::Ptx &&
          e.architecture <= 90 && e.specific == chosen->specific)
        std::abort();
  } catch (const Error&) {
  }
  return 0;
}
