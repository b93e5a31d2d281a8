// Kernels of many kinds, as nvcc compiles them, in the simulator: against what an H200 computed, and the
// variants of one kernel against each other; as they are, and rewritten by techniques that change kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../golden/golden_data.h"
#include "compare.h"
#include "exec/functional/functional_device.h"
#include "launches.h"
#include "recorded.h"
#include "reference.h"
#include "techniques/cta_clustering/rewrite/clustered_device.h"

namespace silicon {
namespace {

using heddle::workload::DevicePtr;

std::uint64_t make_texture(heddle::exec::FunctionalDevice& device, const TextureSpec& spec) {
  heddle::exec::Texture t;
  t.address = static_cast<std::uint64_t>(device.upload(texel_words(spec), "texels"));
  t.width = static_cast<std::uint32_t>(spec.width);
  t.height = static_cast<std::uint32_t>(spec.height == 0 ? 1 : spec.height);
  t.pitch = t.width * 4u;
  t.format = spec.bytes4 ? heddle::exec::TexelFormat::Unsigned : heddle::exec::TexelFormat::Float;
  t.channel_bits = spec.bytes4 ? 8 : 32;
  t.channels = spec.bytes4 ? 4 : 1;
  t.normalized_coordinates = spec.normalized;
  t.normalized_values = spec.normalized_values;
  t.filter = spec.linear ? heddle::exec::TexFilter::Linear : heddle::exec::TexFilter::Point;
  t.address_u = t.address_v = static_cast<heddle::exec::TexAddress>(spec.mode);
  return device.textures().create(t);
}

// `device` is what the host program sees of `executor`.
std::vector<std::uint32_t> simulate(heddle::exec::FunctionalDevice& executor,
                                    heddle::workload::Device& device, const LaunchSpec& spec) {
  const DevicePtr in = device.upload(input_words(spec), "in");
  const DevicePtr out = device.allocate(spec.out_words * 4, "out");
  heddle::workload::Launch launch;
  launch.kernel = spec.kernel;
  launch.grid = {spec.grid[0], spec.grid[1], spec.grid[2]};
  launch.block = {spec.block[0], spec.block[1], spec.block[2]};
  launch.dynamic_shared = spec.shared;
  launch.args = heddle::workload::args(in, out, spec.n);
  if (spec.texture.width != 0) launch.args.add(make_texture(executor, spec.texture));
  if (launch.kernel == "struct_argument") launch.args.add(arguments());
  if (launch.kernel == "aes_rounds") device.copy_in(device.symbol("k_sbox"), sbox().data(), 256);
  device.launch(launch);
  const std::vector<std::uint32_t> words = device.download<std::uint32_t>(out, spec.out_words);
  device.release(out);
  device.release(in);
  return words;
}

// Launches of one file, named for messages by kernel, number and variant.
using Rewriting = std::optional<heddle::cta_clustering::ClusteredDevice::Options>;

template <class F>
void for_each_launch(const Rewriting& rewriting, F&& f) {
  std::map<std::string, std::vector<std::pair<std::size_t, LaunchSpec>>> files;
  const std::vector<LaunchSpec> all = launches();
  for (std::size_t i = 0; i < all.size(); ++i) files[all[i].file].push_back({i, all[i]});
  for (const auto& [file, specs] : files)
    for (const std::string& variant : variants(file)) {
      heddle::exec::FunctionalDevice executor;
      std::optional<heddle::cta_clustering::ClusteredDevice> rewritten;
      if (rewriting) rewritten.emplace(executor, *rewriting);
      heddle::workload::Device& device =
          rewritten ? static_cast<heddle::workload::Device&>(*rewritten) : executor;
      const std::string name = file + "." + variant + ".ptx";
      try {
        device.load_module(heddle::golden::read_zstd(std::string(SILICON_DIR) + "/recorded/" + name + ".zst"),
                           name);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        continue;
      }
      for (const auto& [index, spec] : specs) {
        const std::string label =
            std::string(spec.kernel) + " (launch " + std::to_string(index) + ", " + name + ")";
        try {
          f(index, spec, variant, label, simulate(executor, device, spec));
        } catch (const std::exception& error) {
          ADD_FAILURE() << label << ": " << error.what();
        }
      }
    }
}

void compare_kernels(const Rewriting& rewriting) {
  const Recorded recorded(std::string(SILICON_DIR) + "/recorded");
  std::map<std::size_t, std::vector<std::uint32_t>> first;
  std::size_t compared = 0;
  for_each_launch(rewriting, [&](std::size_t index, const LaunchSpec& spec, const std::string& variant,
                                 const std::string& label, const std::vector<std::uint32_t>& got) {
    if (const std::vector<std::uint32_t>* silicon = recorded.find(index, variant)) {
      ++compared;
      EXPECT_EQ(difference(spec, *silicon, got), "") << label << " differs from the recording";
    }
    if (const std::vector<std::uint32_t> expected = reference(spec); !expected.empty()) {
      EXPECT_EQ(difference(spec, expected, got), "") << label << " differs from the reference";
    }
    // bfloat's arithmetic depends on the architecture, fast mathematics on the flag.
    if (variant == "fast" || std::string(spec.kernel) == "bfloat") return;
    const auto [at, fresh] = first.emplace(index, got);
    if (!fresh) {
      EXPECT_EQ(difference(spec, at->second, got), "") << label << " differs from another variant";
    }
  });
  std::printf("%zu launches compared with a recording\n", compared);
}

TEST(Silicon, Kernels) {
  compare_kernels({});
}

TEST(Silicon, RedirectedKernels) {
  using namespace heddle::cta_clustering;
  compare_kernels(Redirection{5, {Order::Tile, 2, 3}});
}

TEST(Silicon, KernelsByAgents) {
  using namespace heddle::cta_clustering;
  compare_kernels(AgentOptions{{{Order::Column, 1, 1}}, {5, 2, 1}});
}

}  // namespace
}  // namespace silicon
