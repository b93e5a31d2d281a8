// sto: StoreGPU's MD5 of a sliding window, blocks in shared memory.
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/sto/md5_constants.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 128;
constexpr std::int32_t window = 52, offset = 4;  // bytes

std::uint32_t ctas(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 8;
    case Scale::Small:
      return 64;
    case Scale::Paper:
      return 384;
  }
  return 0;
}

// RFC 1321, on bytes; the first word of the hash.
std::uint32_t md5_first_word(std::vector<std::uint8_t> message) {
  const std::uint64_t bits = message.size() * 8;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int i = 0; i < 8; ++i) message.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));

  std::array<std::uint32_t, 4> state{md5_begin[0], md5_begin[1], md5_begin[2], md5_begin[3]};
  for (std::size_t first = 0; first < message.size(); first += 64) {
    const auto word = [&](std::size_t i) {
      const std::uint8_t* const b = &message[first + 4 * i];
      return b[0] | b[1] << 8 | b[2] << 16 | std::uint32_t{b[3]} << 24;
    };
    auto [a, b, c, d] = state;
    for (std::uint32_t i = 0; i < 64; ++i) {
      std::uint32_t mix = 0, from = 0;
      switch (i / 16) {
        case 0:
          mix = (b & c) | (~b & d);
          from = i;
          break;
        case 1:
          mix = (b & d) | (c & ~d);
          from = 5 * i + 1;
          break;
        case 2:
          mix = b ^ c ^ d;
          from = 3 * i + 5;
          break;
        default:
          mix = c ^ (b | ~d);
          from = 7 * i;
          break;
      }
      const std::uint32_t turned =
          std::rotl(a + mix + md5_sines[i] + word(from % 16), static_cast<int>(md5_turns[i / 16][i % 4]));
      a = d;
      d = c;
      c = b;
      b += turned;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
  }
  return state[0];
}

class Sto : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"data", fmt::format("{} bytes at random", bytes(options.scale))},
            {"windows", fmt::format("{} bytes, {} apart", window, offset)},
            {"hash", "MD5, its first four bytes"},
            {"grid", fmt::format("{} CTAs of {} threads, a window each", ctas(options.scale), block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    Random random(options.seed);
    std::vector<std::uint8_t> data(bytes(options.scale));
    for (std::uint8_t& b : data) b = static_cast<std::uint8_t>(random.below(256));
    const auto windows = static_cast<std::int32_t>(ctas(options.scale) * block);

    load_embedded(device, info_.name);
    const DevicePtr d_data = device.upload(data, "data");
    const DevicePtr hashes = device.allocate(std::uint64_t(windows) * 4, "hashes");
    device.launch({.kernel = "md5_overlap",
                   .grid = {ctas(options.scale)},
                   .block = {block},
                   .args = args(d_data, window, offset, windows, hashes)});

    std::vector<std::int32_t> want;
    for (std::int32_t i = 0; i < windows; ++i) {
      const auto first = data.begin() + std::ptrdiff_t{i} * offset;
      want.push_back(static_cast<std::int32_t>(md5_first_word({first, first + window})));
    }
    return compare_equal(device.download<std::int32_t>(hashes, want.size()), want, "hashes");
  }

 private:
  static std::size_t bytes(Scale scale) {
    return std::size_t{ctas(scale)} * block * offset + window - offset;
  }

  WorkloadInfo info_{.name = "sto",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "STO",
                     .summary = "StoreGPU: MD5 of a sliding window, blocks in shared memory",
                     .order_reason = {},
                     .kernels = {{"md5_overlap", ""}}};
};

}  // namespace

const Workload& sto_workload() {
  static const Sto workload;
  return workload;
}

}  // namespace heddle::workloads
