// aes: AES-128 encryption with round tables in shared memory and round keys by texture.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 256;  // threads, a word of the text each
constexpr std::size_t rounds = 10, key_words = 4 * (rounds + 1);

std::uint32_t ctas(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 8;
    case Scale::Small:
      return 64;
    case Scale::Paper:
      return 257;
  }
  return 0;
}

// --- the cipher of FIPS 197, byte by byte ---
using Byte = std::uint8_t;
using State = std::array<Byte, 16>;            // column after column
using Keys = std::array<Byte, 4 * key_words>;  // round after round

// Products of the field of 256 elements.
constexpr Byte times(Byte a, Byte b) {
  unsigned product = 0, power = a;
  for (unsigned bits = b; bits != 0; bits >>= 1) {
    if (bits & 1) product ^= power;
    power = power << 1 ^ (power & 0x80 ? 0x11bu : 0u);
  }
  return static_cast<Byte>(product);
}

constexpr std::array<Byte, 256> make_substitutes() {
  std::array<Byte, 256> all{};
  for (unsigned b = 0; b < 256; ++b) {
    Byte inverse = 1, power = static_cast<Byte>(b);  // b to the power of 254; 0 of 0
    for (unsigned bit = 1; bit < 8; ++bit) {
      power = times(power, power);
      inverse = times(inverse, power);
    }
    unsigned s = 0x63;
    for (unsigned turn = 0; turn < 5; ++turn)
      s ^= unsigned{inverse} << turn | unsigned{inverse} >> (8 - turn);
    all[b] = static_cast<Byte>(s);
  }
  return all;
}
constexpr std::array<Byte, 256> substitute = make_substitutes();

constexpr Keys expand(const State& key) {
  Keys keys{};
  for (std::size_t i = 0; i < key.size(); ++i) keys[i] = key[i];
  Byte power = 1;
  for (std::size_t word = 4; word < key_words; ++word) {
    std::array<Byte, 4> last{keys[4 * word - 4], keys[4 * word - 3], keys[4 * word - 2], keys[4 * word - 1]};
    if (word % 4 == 0) {
      last = {static_cast<Byte>(substitute[last[1]] ^ power), substitute[last[2]], substitute[last[3]],
              substitute[last[0]]};
      power = times(power, 2);
    }
    for (std::size_t i = 0; i < 4; ++i) keys[4 * word + i] = keys[4 * word - 16 + i] ^ last[i];
  }
  return keys;
}

constexpr State encrypted(State s, const Keys& keys) {
  const auto add_key = [&](std::size_t round) {
    for (std::size_t i = 0; i < s.size(); ++i) s[i] ^= keys[16 * round + i];
  };
  add_key(0);
  for (std::size_t round = 1; round <= rounds; ++round) {
    State shifted{};
    for (std::size_t i = 0; i < s.size(); ++i) shifted[i] = substitute[s[(i + 4 * (i % 4)) % 16]];
    s = shifted;
    for (std::size_t column = 0; column < 16 && round < rounds; column += 4)
      for (std::size_t i = 0; i < 4; ++i)
        s[column + i] = times(shifted[column + i], 2) ^ times(shifted[column + (i + 1) % 4], 3) ^
                        shifted[column + (i + 2) % 4] ^ shifted[column + (i + 3) % 4];
    add_key(round);
  }
  return s;
}

// The example of FIPS 197, C.1.
constexpr State example_key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr State example_text{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                             0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
constexpr State example_cipher{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                               0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
static_assert(encrypted(example_text, expand(example_key)) == example_cipher);

std::uint32_t word_of(Byte b0, Byte b1, Byte b2, Byte b3) {
  return b0 | b1 << 8 | b2 << 16 | std::uint32_t{b3} << 24;
}

// What a byte of row `row` contributes to its column in a round with mixing.
std::vector<std::uint32_t> round_table(std::size_t row) {
  std::vector<std::uint32_t> table;
  for (const Byte s : substitute) {
    const std::array<Byte, 4> column{times(s, 2), s, s, times(s, 3)};
    const auto at = [&](std::size_t i) { return column[(i + 4 - row) % 4]; };
    table.push_back(word_of(at(0), at(1), at(2), at(3)));
  }
  return table;
}

class Aes : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {
        {"text", fmt::format("{} bytes at random", ctas(options.scale) * block * 4)},
        {"key", "128 bits at random, 10 rounds"},
        {"grid", fmt::format("{} CTAs of {} threads, a word of the text each", ctas(options.scale), block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    Random random(options.seed);
    State key{};
    for (Byte& b : key) b = static_cast<Byte>(random.below(256));
    const Keys keys = expand(key);
    std::vector<State> text(std::size_t{ctas(options.scale)} * block / 4);
    for (State& s : text)
      for (Byte& b : s) b = static_cast<Byte>(random.below(256));

    load_embedded(device, info_.name);
    for (std::size_t row = 0; row < 4; ++row) {
      const std::vector<std::uint32_t> table = round_table(row);
      device.copy_in(device.symbol(fmt::format("table{}", row)), table.data(),
                     table.size() * sizeof(std::uint32_t));
    }
    const DevicePtr d_keys = device.upload(words(keys), "round keys");
    const std::uint64_t key_texture =
        device.texture({.texels = d_keys, .kind = TexelKind::Unsigned, .width = key_words});
    const std::vector<std::uint32_t> plain = words_of(text);
    const DevicePtr d_text = device.upload(plain, "text");
    const DevicePtr d_result = device.allocate(plain.size() * sizeof(std::uint32_t), "result");
    device.launch({.kernel = "aes_encrypt128",
                   .grid = {ctas(options.scale)},
                   .block = {block},
                   .args = args(d_result, d_text, key_texture)});

    for (State& s : text) s = encrypted(s, keys);
    const std::vector<std::uint32_t> want = words_of(text);
    const auto got = device.download<std::int32_t>(d_result, want.size());
    return compare_equal(got, std::vector<std::int32_t>(want.begin(), want.end()), "result");
  }

 private:
  template <class Bytes>
  static std::vector<std::uint32_t> words(const Bytes& bytes) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < bytes.size(); i += 4)
      all.push_back(word_of(bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]));
    return all;
  }
  static std::vector<std::uint32_t> words_of(const std::vector<State>& text) {
    std::vector<std::uint32_t> all;
    for (const State& s : text)
      for (const std::uint32_t w : words(s)) all.push_back(w);
    return all;
  }

  WorkloadInfo info_{.name = "aes",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "AES",
                     .summary = "AES-128 encryption: tables in shared memory, keys by texture",
                     .order_reason = {},
                     .kernels = {{"aes_encrypt128", ""}}};
};

}  // namespace

const Workload& aes_workload() {
  static const Aes workload;
  return workload;
}

}  // namespace heddle::workloads
