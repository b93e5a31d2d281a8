// MUMmerGPU: exact matches of short reads in a reference, by its suffix tree, a thread per read. Nodes, their
// children and the reference are read by texture, each laid out in two dimensions so that what is used
// together lies close. A thread looks for the longest match from base after base of its read: it walks down
// from the root, and from where it stopped over a suffix link to where the next one begins.
#include "heddle_device.h"

// As in mum.cc. An address has the column of a texel in its lower and the row in its upper half; 0 is none.
constexpr unsigned root = 1u << 16;
struct Match {
  int node, on_edge;  // how far beyond the node's parent; 0: at the node itself
};

HEDDLE_DEVICE uint4 texel(cudaTextureObject_t texture, unsigned address) {
  return tex2D<uint4>(texture, static_cast<float>(address & 0xffff), static_cast<float>(address >> 16));
}

// Four neighbours in the reference are below each other.
HEDDLE_DEVICE char base_at(cudaTextureObject_t reference, int position) {
  const int in_band = position & 0x3ffff, band = position >> 18;
  return tex2D<char>(reference, static_cast<float>(in_band >> 2),
                     static_cast<float>((band << 2) + (in_band & 3)));
}

HEDDLE_DEVICE int number_of(unsigned address) {
  const unsigned x = address & 0xffff, y = address >> 16;
  return static_cast<int>((x << 5) + (y & 31) + (y >> 5 << 17));
}

HEDDLE_DEVICE unsigned child_for(uint4 children, char base) {
  switch (base) {
    case 'A':
      return children.x;
    case 'C':
      return children.y;
    case 'G':
      return children.z;
    case 'T':
      return children.w;
    default:
      return 0;
  }
}

HEDDLE_DEVICE void record(Match* match, unsigned address, int on_edge, int reached, int least) {
  if (reached <= least) return;
  match->node = number_of(address);
  match->on_edge = on_edge;
}

// Goes along an edge as far as the read agrees; whether it ends there by a base that differs.
HEDDLE_DEVICE bool leaves_edge(cudaTextureObject_t reference, int edge_end, const char* read, int& position,
                               int& reached, char& base) {
#pragma unroll 1
  while (position <= edge_end && base != 0) {
    if (base_at(reference, position) != base) return true;
    ++reached;
    ++position;
    base = read[reached];
  }
  return false;
}

// A read is 'q', its bases and 0. Its matches lie where `begins` and the shortest length that counts put
// them.
extern "C" __global__ void match_reads(Match* matches, const char* reads, const int* begins,
                                       const int* lengths, int count, int least, cudaTextureObject_t nodes,
                                       cudaTextureObject_t children, cudaTextureObject_t reference) {
  const int id = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
  if (id >= count) return;
  const int last = lengths[id] - least, begin = begins[id];
  Match* match = matches + begin - __umul24(id, least + 1);
  const char* read = reads + begin;

  unsigned at = 0;
  int reached = 0;  // the first base of the read, from `read`, that the path to `at` does not have
  int known = 0;    // bases behind it that are known to match
#pragma unroll 1
  for (int start = 0; start <= last; ++start, ++match, ++read) {
    if (at == 0 || reached < 1) {
      at = root;
      reached = 1;
      known = 0;
    }
    char base = read[reached];
    unsigned before = at;
    int edge_begin = 0, position = 0;
    bool differs = false;
#pragma unroll 1
    while (base != 0 && !differs) {
      before = at;
      at = child_for(texel(children, at), base);
      if (at == 0) break;
      const uint4 node = texel(nodes, at);
      const int edge_end = static_cast<int>(node.y);
      edge_begin = static_cast<int>(node.x);
      if (known != 0) {
        const int length = edge_end - edge_begin + 1, step = known >= length ? length : known;
        position = edge_begin + step;
        reached += step;
        known -= step;
      } else {  // the first base of the edge led here
        ++reached;
        position = edge_begin + 1;
      }
      base = read[reached];
      differs = leaves_edge(reference, edge_end, read, position, reached, base);
    }
    if (at == 0) {
      record(match, before, 0, reached, least);
      known = 0;
      reached -= 1;
    } else {
      known = position - edge_begin;
      record(match, at, known, reached, least);
      reached -= known + 1;
    }
    at = texel(nodes, before).w;
  }
}
