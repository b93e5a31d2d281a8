// mum: MUMmerGPU's search for reads in a reference, suffix tree by texture.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/mum/suffix_tree.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;
using mum::SuffixTree;

constexpr std::uint32_t block = 64;
constexpr std::int32_t read_length = 25, least = 20;  // `least` bases are a match
constexpr std::int32_t starts = read_length - least + 1;
constexpr std::uint32_t tree_width = 4096, text_width = 65536;  // texels of a row

struct Size {
  std::uint32_t bases;   // of the reference, which is the beginning of ...
  std::uint32_t genome;  // ... so many, of which reads are taken
  std::uint32_t reads;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {2'000, 8'000, 500};
    case Scale::Small:
      return {20'000, 80'000, 8'000};
    case Scale::Paper:
      return {140'000, 5'227'293, 50'000};
  }
  return {};
}

std::string make_bases(std::uint32_t count, Random& random) {
  std::string bases;
  for (std::uint32_t i = 0; i < count; ++i) bases += "ACGT"[random.below(4)];
  return bases;
}

// Pieces of the genome, which is at random beyond the reference, and nowhere the same for two reads there.
std::vector<std::string> make_reads(const Size& size, const std::string& reference, Random& random) {
  std::vector<std::string> reads;
  for (std::uint32_t i = 0; i < size.reads; ++i) {
    const std::uint32_t begin = random.below(size.genome - read_length + 1);
    std::string read = begin < reference.size() ? reference.substr(begin, read_length) : "";
    read += make_bases(read_length - static_cast<std::uint32_t>(read.size()), random);
    reads.push_back(std::move(read));
  }
  return reads;
}

// --- textures ---
struct Texel {
  std::uint32_t x = 0, y = 0, z = 0, w = 0;
};

// Nodes in columns of 32; see number_of in mum.cu.
std::uint32_t address_of(std::int32_t number) {
  const std::uint32_t in_band = number & 0x1ffff, band = static_cast<std::uint32_t>(number) >> 17;
  return in_band >> 5 | ((band << 5) + (in_band & 31)) << 16;
}
std::size_t texel_of(std::uint32_t address) {
  return (address >> 16) * std::size_t{tree_width} + (address & 0xffff);
}

struct TreeTextures {
  std::vector<Texel> nodes, children;
  std::uint32_t rows;
};

TreeTextures make_textures(const SuffixTree& tree, const std::vector<std::int32_t>& numbers) {
  const std::uint32_t count = static_cast<std::uint32_t>(tree.nodes().size());
  TreeTextures t;
  t.rows = (count + tree_width - 1) / tree_width + 32;
  t.nodes.resize(std::size_t{t.rows} * tree_width);
  t.children.resize(t.nodes.size());
  for (std::uint32_t i = SuffixTree::root; i < count; ++i) {
    const SuffixTree::Node& n = tree.nodes()[i];
    std::array<std::uint32_t, 5> to{};
    for (std::size_t c = 0; c < to.size(); ++c) to[c] = address_of(numbers[n.children[c]]);
    const std::size_t at = texel_of(address_of(numbers[i]));
    t.nodes[at] = {static_cast<std::uint32_t>(n.begin), static_cast<std::uint32_t>(n.end), to[4],
                   address_of(numbers[n.link])};
    t.children[at] = {to[0], to[1], to[2], to[3]};
  }
  return t;
}

// Four neighbours below each other; 'Z' where there is nothing.
std::vector<char> make_text_texture(const std::string& text) {
  const std::size_t rows = (text.size() + text_width - 1) / text_width + 4;
  std::vector<char> texels(rows * text_width, 'Z');
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t in_band = i % (4 * text_width), band = i / (4 * text_width);
    texels[(4 * band + in_band % 4) * text_width + in_band / 4] = text[i];
  }
  return texels;
}

// --- checking ---
struct Match {  // as in mum.cu
  std::int32_t node, on_edge;
};

// Lengths of matches, without the tree: by binary search in the sorted suffixes. 0: shorter than counts.
class Searcher {
 public:
  explicit Searcher(std::string_view reference) {
    for (std::size_t i = 0; i < reference.size(); ++i) suffixes_.push_back(reference.substr(i, read_length));
    std::sort(suffixes_.begin(), suffixes_.end());
  }

  std::int32_t longest(std::string_view piece) const {
    const auto at = std::lower_bound(suffixes_.begin(), suffixes_.end(), piece);
    std::size_t most = 0;
    if (at != suffixes_.end()) most = common(*at, piece);
    if (at != suffixes_.begin()) most = std::max(most, common(*std::prev(at), piece));
    return most < least ? 0 : static_cast<std::int32_t>(most);
  }

 private:
  static std::size_t common(std::string_view a, std::string_view b) {
    return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  }
  std::vector<std::string_view> suffixes_;
};

class Mum : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"reference", fmt::format("{} bases at random", size.bases)},
            {"reads", fmt::format("{} of {} bases, of a genome of {} that begins with the reference",
                                  size.reads, read_length, size.genome)},
            {"matches", fmt::format("of at least {} bases, from every base of a read", least)},
            {"grid", fmt::format("{} CTAs of {} threads", grid(size), block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const std::string reference = make_bases(size.bases, random);
    const std::vector<std::string> reads = make_reads(size, reference, random);
    const SuffixTree tree(reference);
    const std::vector<std::int32_t> numbers = mum::numbered(tree);

    load_embedded(device, info_.name);
    const std::vector<Match> matches = search(device, tree, numbers, reads);
    std::vector<std::int32_t> node_of(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) node_of[numbers[i]] = static_cast<std::int32_t>(i);
    const Searcher searcher(reference);
    std::vector<std::int32_t> got, want;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const std::string_view piece = std::string_view(reads[i / starts]).substr(i % starts);
      got.push_back(length_of(tree, node_of, matches[i], piece));
      want.push_back(searcher.longest(piece));
    }
    return compare_equal(got, want, "length of match");
  }

 private:
  static std::uint32_t grid(const Size& size) { return (size.reads + block - 1) / block; }

  static std::vector<Match> search(Device& device, const SuffixTree& tree,
                                   const std::vector<std::int32_t>& numbers,
                                   const std::vector<std::string>& reads) {
    const TreeTextures textures = make_textures(tree, numbers);
    const std::vector<char> text = make_text_texture(tree.text());
    const auto tree_texture = [&](const std::vector<Texel>& texels, std::string_view label) {
      return device.texture({.texels = device.upload(texels, label),
                             .kind = TexelKind::Unsigned,
                             .channels = 4,
                             .width = tree_width,
                             .height = textures.rows});
    };
    const std::uint64_t nodes = tree_texture(textures.nodes, "nodes");
    const std::uint64_t children = tree_texture(textures.children, "children");
    const std::uint64_t bases =
        device.texture({.texels = device.upload(text, "reference"),
                        .kind = TexelKind::Signed,
                        .channel_bits = 8,
                        .width = text_width,
                        .height = static_cast<std::uint32_t>(text.size() / text_width)});
    std::vector<char> all;
    std::vector<std::int32_t> begins, lengths;
    for (const std::string& read : reads) {
      begins.push_back(static_cast<std::int32_t>(all.size()));
      lengths.push_back(read_length);
      all.push_back('q');
      all.insert(all.end(), read.begin(), read.end());
      all.push_back(0);
    }
    const auto count = static_cast<std::int32_t>(reads.size());
    const std::size_t slots = reads.size() * starts;
    const DevicePtr matches = device.allocate(slots * sizeof(Match), "matches");
    const DevicePtr d_reads = device.upload(all, "reads"), d_begins = device.upload(begins, "begins"),
                    d_lengths = device.upload(lengths, "lengths");
    device.launch(
        {.kernel = "match_reads",
         .grid = {(static_cast<std::uint32_t>(count) + block - 1) / block},
         .block = {block},
         .args = args(matches, d_reads, d_begins, d_lengths, count, least, nodes, children, bases)});
    return device.download<Match>(matches, slots);
  }

  // How long a match is that ends at this node; -1 where the reference says something else there.
  static std::int32_t length_of(const SuffixTree& tree, const std::vector<std::int32_t>& node_of,
                                const Match& match, std::string_view piece) {
    if (match.node == 0) return 0;
    if (match.node < 0 || static_cast<std::size_t>(match.node) >= node_of.size()) return -1;
    const SuffixTree::Node& node = tree.nodes()[node_of[match.node]];
    const std::int32_t above = match.on_edge == 0 ? node.depth : tree.nodes()[node.parent].depth;
    const std::int32_t length = above + match.on_edge;
    const std::int32_t end = match.on_edge == 0 ? node.end + 1 : node.begin + match.on_edge;
    if (length > static_cast<std::int32_t>(piece.size()) || end < length) return -1;
    return tree.text().compare(end - length, length, piece.substr(0, length)) == 0 ? length : -1;
  }

  WorkloadInfo info_{.name = "mum",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "MUM",
                     .summary = "MUMmerGPU: reads searched in a suffix tree, which is read by texture",
                     .order_reason = {},
                     .kernels = {{"match_reads", ""}}};
};

}  // namespace

const Workload& mum_workload() {
  static const Mum workload;
  return workload;
}

}  // namespace heddle::workloads
