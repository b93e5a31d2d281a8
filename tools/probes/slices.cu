// Which slice of L2 each line lies in: SMs of one side of L2 add to two words; where both are in one slice of that side it takes twice as long.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/slices.cu -o slices && ./slices
// Prints for every KiB of a 2 MiB page the side that its first line is at home on, and the slices there of its lines 0 and 2.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__device__ unsigned smid() {
  unsigned s;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  return s;
}
// Atomics of one SM, line after line: the fastest of five.
__global__ void latency(char* p, const size_t* line, int lines, unsigned only, unsigned* t) {
  if (smid() != only) return;
  for (int l = 0; l < lines; ++l) {
    unsigned best = ~0u;
    for (int i = 0; i < 5; ++i) {
      const long long from = clock64();
      unsigned v;
      asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(p + line[l] * 128) : "memory");
      if (v == 12345) t[l + 1] = v;  // waits for it
      best = min(best, (unsigned)(clock64() - from));
    }
    t[l] = best;
  }
}
__global__ void __launch_bounds__(32) go(char* p, size_t a, size_t b, const int* rank, unsigned* t) {
  const int r = rank[smid()];
  if (r < 0) return;
  char* q = p + (r & 1 ? b : a) * 128 + (threadIdx.x & 7) * 4;
  const unsigned from = clock();
  for (int i = 0; i < 96; ++i) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(q) : "memory");
  __threadfence();
  if (threadIdx.x == 0 && r < 2) t[r] = clock() - from;
}
constexpr int kSms = 132, kMost = 1 << 17;
using Pairs = std::vector<std::pair<size_t, size_t>>;
char* p;
unsigned* d;
size_t* list;
int* rank_of[2];
unsigned limit_of[2];
std::vector<unsigned> times(int side, const Pairs& pairs) {
  std::vector<unsigned> out, h;
  for (size_t at = 0; at < pairs.size(); at += kMost) {
    const size_t n = std::min<size_t>(kMost, pairs.size() - at);
    for (size_t i = 0; i < n; ++i) go<<<kSms, 32>>>(p, pairs[at + i].first, pairs[at + i].second, rank_of[side], d + 2 * i);
    h.resize(2 * n);
    cudaMemcpy(h.data(), d, 8 * n, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; ++i) out.push_back(h[2 * i] + h[2 * i + 1]);
  }
  return out;
}
std::vector<unsigned> latencies(const std::vector<size_t>& lines, unsigned sm) {
  std::vector<unsigned> t(lines.size());
  cudaMemcpy(list, lines.data(), 8 * lines.size(), cudaMemcpyHostToDevice);
  for (int pass = 0; pass < 2; ++pass) latency<<<kSms, 1>>>(p, list, (int)lines.size(), sm, d);
  cudaMemcpy(t.data(), d, 4 * t.size(), cudaMemcpyDeviceToHost);
  return t;
}
// The slices of lines that are at home on `side`; each new one is told from then on by its first line.
std::vector<int> classify(int side, const std::vector<size_t>& lines) {
  std::vector<size_t> known;
  std::vector<int> slice(lines.size(), -1);
  for (size_t asked = 0;;) {
    Pairs ask;
    std::vector<std::pair<size_t, size_t>> who;
    for (size_t i = 0; i < lines.size(); ++i)
      for (size_t k = asked; slice[i] < 0 && k < known.size(); ++k) ask.push_back({lines[i], known[k]}), who.push_back({i, k});
    const std::vector<unsigned> t = times(side, ask);
    for (size_t i = 0; i < ask.size(); ++i)
      if (t[i] > limit_of[side]) slice[who[i].first] = (int)who[i].second;
    asked = known.size();
    const auto left = std::find(slice.begin(), slice.end(), -1);
    if (left == slice.end() || known.size() > 120) return slice;
    known.push_back(lines[left - slice.begin()]);
  }
}
int main() {
  cudaMalloc(&p, 4 << 20), cudaMalloc(&d, 8ull * kMost), cudaMalloc(&list, 1 << 20);
  p = (char*)(((size_t)p + (2 << 20) - 1) / (2 << 20) * (2 << 20));
  cudaMemset(p, 0, 2 << 20);
  std::vector<size_t> lines, some;
  for (size_t kib = 0; kib < 2048; ++kib) lines.push_back(kib * 8), lines.push_back(kib * 8 + 2);
  for (size_t i = 0; i < 128; ++i) some.push_back(i * 8);
  // An SM is on the side of SM 0 where lines that are near for one are near for the other.
  std::vector<std::vector<unsigned>> t;
  for (int sm = 0; sm < kSms; ++sm) t.push_back(latencies(some, sm));
  std::vector<int> side_of(kSms);
  for (int sm = 0; sm < kSms; ++sm) {
    double together = 0;
    for (size_t l = 0; l < some.size(); ++l) {
      double mean = 0;
      for (const auto& of : t) mean += of[l] / double(kSms);
      together += (t[sm][l] - mean) * (t[0][l] - mean);
    }
    side_of[sm] = together > 0 ? 0 : 1;
  }
  std::vector<unsigned> near[2];
  for (int side = 0; side < 2; ++side) {
    std::vector<int> rank(kSms, -1);
    for (int sm = 0, n = 0; sm < kSms; ++sm)
      if (side_of[sm] == side) rank[sm] = n++;
    cudaMalloc(&rank_of[side], kSms * 4);
    cudaMemcpy(rank_of[side], rank.data(), kSms * 4, cudaMemcpyHostToDevice);
    Pairs pairs;
    for (size_t i = 0; i < 1024; ++i) pairs.push_back({0, i});
    std::vector<unsigned> sorted = times(side, pairs);
    const unsigned same = sorted[0];
    std::sort(sorted.begin() + 1, sorted.end());
    limit_of[side] = (sorted[sorted.size() / 2] + same) / 2;
    near[side] = latencies(lines, unsigned(std::find(side_of.begin(), side_of.end(), side) - side_of.begin()));
  }
  std::vector<int> slice(lines.size());
  for (int side = 0; side < 2; ++side) {
    std::vector<size_t> here, at;
    for (size_t i = 0; i < lines.size(); ++i)
      if ((near[0][i] < near[1][i]) == (side == 0)) here.push_back(lines[i]), at.push_back(i);
    const std::vector<int> s = classify(side, here);
    for (size_t i = 0; i < here.size(); ++i) slice[at[i]] = s[i];
  }
  printf("kib,home,first,second\n");
  for (size_t i = 0; i < lines.size(); i += 2) printf("%zu,%d,%d,%d\n", i / 2, near[0][i] < near[1][i] ? 0 : 1, slice[i], slice[i + 1]);
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
