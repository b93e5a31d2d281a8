// Any text as a configuration: an Error or a Config whose dump loads to the same values; never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/reader.h"

namespace {

using namespace heddle;

enum class Policy { Lrr, Gto };

struct Part {
  std::string name;
  Cycles latency = 1_cycles;
  void fields(config::Reader& r) {
    r.field("name", name, "a text");
    r.field("latency", latency, config::at_least(1_cycles), "cycles");
  }
};

struct Spec {
  std::uint32_t sms = 1;
  double share = 0.5;
  bool on = false;
  Bytes size = 1_KiB;
  Frequency clock = 1_GHz;
  Duration time = 1_ns;
  Policy policy = Policy::Gto;
  std::vector<std::int64_t> numbers;
  std::vector<Part> parts;
  void fields(config::Reader& r) {
    r.field("sms", sms, config::range(1, 64), "a number");
    r.field("share", share, "a share");
    r.field("on", on, "a switch");
    r.field("size", size, config::range(32_B, 1_MiB).power_of_two(), "a size");
    r.field("clock", clock, "a clock");
    r.field("time", time, "a time");
    r.choice("policy", policy, {{"lrr", Policy::Lrr, ""}, {"gto", Policy::Gto, ""}}, "a policy");
    r.field("numbers", numbers, "numbers");
    r.list("part", parts, "parts");
  }
};

void must_be_equal(const config::Config& a, const config::Config& b) {
  if (a.dump(false) != b.dump(false)) std::abort();
}

void read_all(config::Config& config) {
  try {
    config::read<Spec>(config);
    config.check_all_read();
  } catch (const Error&) {
    return;
  }
  config::Config again = config::Config::parse(config.dump(), "dump");  // must not throw
  config::read<Spec>(again);
  must_be_equal(config, again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("inherits") != std::string_view::npos) return 0;  // would read files of this machine
  config::Config config;
  try {
    config = config::Config::parse(text, "input");
  } catch (const Error&) {
    // As the argument of --set it may still be fine.
  }
  try {
    config.set(text.substr(0, text.find('\n')));
  } catch (const Error&) {
  }
  must_be_equal(config, config::Config::parse(config.dump(), "dump"));
  read_all(config);
  return 0;
}
