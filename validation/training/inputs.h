// Contents of the kernels' buffers, made from seeds with integer arithmetic and exact products alone: the
// same on every host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace training {

using Words = std::vector<std::uint32_t>;
using Make = std::function<Words()>;

struct Dim {
  unsigned x = 1, y = 1, z = 1;
  Dim(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct Arg {
  enum Kind { Scalar, Memory, Texture } kind = Scalar;
  enum Type { U32, F32, F64 } type = U32;     // how written words are summed up
  enum Check { None, Sum, All } check = All;  // Sum: the places are chance, the words are not
  std::uint64_t scalar = 0;
  std::size_t words = 0;  // 0: as many as contents
  Make make;              // none: zeros
  bool written = false;   // set anew before every launch
  bool by_value = false;
  std::vector<std::uint8_t> bytes;    // of a structure that is passed by value
  std::size_t width = 0, height = 0;  // of a texture of rows
  bool linear = false;
  unsigned channels = 1;
};
struct Constant {
  const char* name;
  Make make;
};
struct Case {
  const char* name;
  const char* theme;
  const char* kernel;
  Dim grid, block;
  unsigned shared = 0;
  std::vector<Arg> args;
  std::vector<Constant> constants = {};
};

class Random {  // SplitMix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0xd1342543de82ef95ull + 1) {}
  std::uint32_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * n) >> 32);
  }

 private:
  std::uint64_t state_;
};

inline std::uint32_t mix(std::uint32_t x) {  // as training.cuh has it
  x ^= x >> 16, x *= 0x7feb352du;
  x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// Scalars.
template <class T>
Arg value(T v) {
  Arg a;
  std::memcpy(&a.scalar, &v, sizeof v);
  return a;
}
inline Arg i32(std::int32_t v) {
  return value(v);
}
inline Arg u32(std::uint32_t v) {
  return value(v);
}
inline Arg f32(double v) {
  return value(static_cast<float>(v));
}
inline Arg f64(double v) {
  return value(v);
}
inline Arg structure(const std::vector<float>& v) {
  Arg a;
  a.by_value = true;
  a.bytes.resize(v.size() * 4);
  std::memcpy(a.bytes.data(), v.data(), a.bytes.size());
  return a;
}

// Memory that is read only.
inline Arg in(std::size_t words, Make make) {
  Arg a;
  a.kind = Arg::Memory, a.words = words, a.make = std::move(make);
  return a;
}
inline Arg random_u32(std::size_t n, unsigned seed) {
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (auto& v : w) v = r.next();
    return w;
  });
}
inline Arg random_range(std::size_t n, unsigned seed, std::uint32_t low,
                        std::uint32_t high) {  // high is not among them
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (auto& v : w) v = low + r.below(high - low);
    return w;
  });
}
inline Arg random_f32(std::size_t n, unsigned seed) {  // in [0, 1)
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (auto& v : w) {
      const float f = static_cast<float>(r.next() >> 8) * 0x1p-24f;
      std::memcpy(&v, &f, 4);
    }
    return w;
  });
}
inline Arg random_f64(std::size_t n, unsigned seed) {
  return in(2 * n, [=] {
    Random r(seed);
    Words w(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const double d = static_cast<double>(r.next()) * 0x1p-32;
      std::memcpy(&w[2 * i], &d, 8);
    }
    return w;
  });
}
inline Arg random_f16(std::size_t n, unsigned seed) {  // n pairs of halves in [0.5, 1)
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (auto& v : w) v = 0x38003800u | (r.next() & 0x03ff03ffu);
    return w;
  });
}
inline Arg random_warps(std::size_t n, unsigned seed) {  // the same for the 32 lanes of a warp
  return in(n, [=] {
    Words w(n);
    for (std::size_t i = 0; i < n; ++i) w[i] = mix(static_cast<std::uint32_t>(i / 32) + seed * 1000003u);
    return w;
  });
}
inline Arg sorted_u32(std::size_t n, unsigned seed) {
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (auto& v : w) v = r.next();
    std::sort(w.begin(), w.end());
    return w;
  });
}
inline Arg filled(std::size_t n, std::uint32_t v) {
  return in(n, [=] { return Words(n, v); });
}
inline Arg cycle(std::size_t n, unsigned seed) {  // one cycle through all words (Sattolo)
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    std::iota(w.begin(), w.end(), 0u);
    for (std::size_t i = n - 1; i > 0; --i) std::swap(w[i], w[r.below(static_cast<std::uint32_t>(i))]);
    return w;
  });
}

// Memory that is written: zeros, or with contents (in and out).
inline Arg out(std::size_t words, Arg::Type type, Arg::Check check = Arg::All) {
  Arg a;
  a.kind = Arg::Memory, a.words = words, a.type = type, a.check = check, a.written = true;
  return a;
}
inline Arg out_u32(std::size_t n, Arg::Check check = Arg::All) {
  return out(n, Arg::U32, check);
}
inline Arg out_f32(std::size_t n) {
  return out(n, Arg::F32);
}
inline Arg out_f64(std::size_t n) {
  return out(2 * n, Arg::F64);
}
inline Arg inout(Arg a, Arg::Type type, Arg::Check check = Arg::All) {
  a.written = true, a.type = type, a.check = check;
  return a;
}

// Textures of floats.
inline Arg texture(Arg a, std::size_t width = 0, std::size_t height = 0, bool linear = false) {
  a.kind = Arg::Texture, a.width = width, a.height = height, a.linear = linear;
  return a;
}

inline Arg quads(Arg a) {  // four floats each
  a.channels = 4;
  return a;
}

// Graphs and sparse matrices: many short rows, some long ones; columns sorted within a row.
struct Graph {
  Words begin, column, source, degree;
};
inline const Graph& graph(std::uint32_t vertices) {
  static std::map<std::uint32_t, Graph> made;
  Graph& g = made[vertices];
  if (!g.begin.empty()) return g;
  Random r(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    g.begin.push_back(static_cast<std::uint32_t>(g.column.size()));
    const std::uint32_t kind = r.below(1000);
    const std::uint32_t count = kind < 800 ? 1 + r.below(12) : kind < 985 ? r.below(40) : 40 + r.below(360);
    Words row;
    for (std::uint32_t k = 0; k < count; ++k) {
      // Half of the neighbours lie near.
      row.push_back(r.next() & 1 ? r.below(vertices) : (v + r.below(512)) % vertices);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (std::uint32_t c : row) g.column.push_back(c), g.source.push_back(v);
    g.degree.push_back(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(row.size())));
  }
  g.begin.push_back(static_cast<std::uint32_t>(g.column.size()));
  return g;
}
// Contents tell the size.
inline Arg made(Make make) {
  return in(0, std::move(make));
}
inline Arg graph_begin(std::uint32_t n) {
  return made([=] { return graph(n).begin; });
}
inline Arg graph_column(std::uint32_t n) {
  return made([=] { return graph(n).column; });
}
inline Arg graph_source(std::uint32_t n) {
  return made([=] { return graph(n).source; });
}
inline Arg graph_degree(std::uint32_t n) {
  return made([=] { return graph(n).degree; });
}
// Levels of a search under way: reached before, now, not yet.
inline Arg levels(std::size_t n, unsigned seed, std::uint32_t now) {
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (auto& v : w) {
      const std::uint32_t k = r.below(10);
      v = k < 2 ? now : k < 5 ? r.below(now) : ~0u;
    }
    return w;
  });
}
// Prefix sums of random lengths: where the lists of n bins begin.
inline Words list_begins(std::size_t n, unsigned seed, std::uint32_t most) {
  Random r(seed);
  Words w(n + 1);
  for (std::size_t i = 0; i < n; ++i) w[i + 1] = w[i] + r.below(most + 1);
  return w;
}
// Columns of an ELL matrix, -1 where a row has ended.
inline Arg ell_columns(std::size_t rows, std::size_t width, unsigned seed) {
  return in(rows * width, [=] {
    Random r(seed);
    Words w(rows * width, ~0u);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t length = width / 3 + r.below(static_cast<std::uint32_t>(width - width / 3 + 1));
      for (std::size_t k = 0; k < length; ++k) w[k * rows + i] = r.below(static_cast<std::uint32_t>(rows));
    }
    return w;
  });
}
// Trees: the first of two children of each node, 0 for a leaf; leaves at different depths.
inline Arg tree_children(std::size_t trees, std::size_t nodes, unsigned seed) {
  return in(trees * nodes, [=] {
    Random r(seed);
    Words w(trees * nodes);
    for (std::size_t t = 0; t < trees; ++t) {
      std::uint32_t used = 1;
      for (std::uint32_t v = 0; v < used; ++v)
        if (used + 2 <= nodes && (v < 31 || r.below(10) < 7)) w[t * nodes + v] = used, used += 2;
    }
    return w;
  });
}
// Lists through shuffled nodes (0 ends a list): heads, next nodes.
struct Lists {
  Words head, next;
};
inline const Lists& lists(std::size_t n, std::uint32_t longest) {
  static Lists made;
  if (made.head.size() == n) return made;
  Random r(99);
  Words length(n), place;
  std::uint32_t nodes = 1;
  for (auto& l : length) l = r.below(longest + 1), nodes += l;
  place.resize(nodes);
  std::iota(place.begin(), place.end(), 0u);
  for (std::uint32_t i = nodes - 1; i > 1; --i) std::swap(place[i], place[1 + r.below(i)]);
  made.head.assign(n, 0), made.next.assign(nodes, 0);
  std::uint32_t at = 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < length[i]; ++k, ++at) {
      const std::uint32_t node = place[at];
      made.next[node] = made.head[i], made.head[i] = node;
    }
  return made;
}
// A hash table with open addressing, as hash_find searches it.
inline Arg hash_table(std::size_t keys, std::uint32_t mask, unsigned seed) {
  return in(std::size_t{mask} + 1, [=] {
    Random r(seed);
    Words w(std::size_t{mask} + 1);
    for (std::size_t i = 0; i < keys; ++i) {
      const std::uint32_t k = r.next() | 1;
      std::uint32_t h = mix(k) & mask;
      while (w[h] != 0 && w[h] != k) h = (h + 1) & mask;
      w[h] = k;
    }
    return w;
  });
}
// Trees by their parents: each node's has a smaller number, the root's its own.
inline Arg smaller(std::size_t n, unsigned seed) {
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (std::size_t i = 1; i < n; ++i) w[i] = r.below(static_cast<std::uint32_t>(i));
    return w;
  });
}
inline Arg odd_u32(std::size_t n, unsigned seed) {
  return in(n, [=] {
    Random r(seed);
    Words w(n);
    for (auto& v : w) v = r.next() | 1;
    return w;
  });
}

}  // namespace training
