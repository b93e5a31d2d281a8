// Energy of single events on a real card: README.md.
//   nvcc -O3 -std=c++20 -arch=sm_90 micro.cu -o micro -ldl && ./micro --all > micro.csv
#include "bench.h"
#include "micro_memory.h"

namespace {

using Kernel = void (*)(const unsigned*, unsigned*, unsigned long long, int);
using Events = std::vector<std::pair<std::string, double>>;

// What a kernel starts from, and reads.
enum Data { Zeros, Words, Floats, Doubles, Halves };

struct Row {
  const char* name;
  const char* kernel_name;
  Kernel kernel;
  Data data;
  int sms, ctas, threads;  // 0 SMs: all; CTAs of an SM
  Events events;           // of a warp and a round of the loop, as machine instructions; loops have LOOP besides
  bool sleeps = false;
  const char* half = "";  // empty: by its name
};

// Register operands of a warp instruction, in 32-bit registers: read, written. Memory: addresses of 64 bits.
struct Operands {
  const char* event;
  double reads, writes;
};
constexpr Operands kOperands[] = {{"ffma", 3, 1}, {"fadd", 2, 1}, {"fmul", 2, 1}, {"dfma", 6, 2}, {"iadd", 2, 1}, {"imad", 3, 1},
                                  {"imad_add", 2, 1}, {"logic", 3, 1}, {"shift", 3, 1}, {"compare", 2, 0}, {"select", 2, 1}, {"mufu", 1, 1},
                                  {"convert", 1, 1}, {"shuffle", 1, 1}, {"hmma", 10, 4}, {"lds", 1, 1}, {"sts", 2, 0}, {"ldc", 1, 1},
                                  {"ldg", 2, 1}, {"stg", 3, 0}, {"red", 3, 0}};

std::vector<Row> rows() {
  std::vector<Row> r;
#define ALL_SMS 0, 1, 1024
#define HALF_SMS 66, 1, 1024
#define ROW(NAME, KERNEL, DATA, SHAPE, ...) r.push_back({#NAME, "do_" #KERNEL, do_##KERNEL, DATA, SHAPE, Events{__VA_ARGS__}});
#define LOOP {"uniform", 1}, {"compare", 1}, {"branch", 1}
  // The same on all SMs with random words and with zeros, and on half of them.
#define THREE(NAME, DATA, ...)                  \
  ROW(NAME, NAME, DATA, ALL_SMS, __VA_ARGS__)   \
  ROW(NAME##_zero, NAME, Zeros, ALL_SMS, __VA_ARGS__) \
  ROW(NAME##_sm66, NAME, DATA, HALF_SMS, __VA_ARGS__)
#define TWO(NAME, DATA, ...)                  \
  ROW(NAME, NAME, DATA, ALL_SMS, __VA_ARGS__) \
  ROW(NAME##_sm66, NAME, DATA, HALF_SMS, __VA_ARGS__)

#define BRANCHES {"branch", 9}, {"uniform", 1}, {"compare", 1}, {"ldc", 1}
  TWO(branch, Words, BRANCHES)
#define FFMA {"ffma", 128}, LOOP
  THREE(ffma, Floats, FFMA)
  ROW(ffma_imm, ffma_imm, Floats, ALL_SMS, FFMA, {"register_reads", -128})
  ROW(ffma_same_zero, ffma_same, Zeros, ALL_SMS, FFMA, {"register_reads", -256})
#define SHAPE_W1 0, 1, 128
#define SHAPE_W2 0, 1, 256
#define SHAPE_W16 0, 2, 1024
#define SHAPE_SM1 1, 1, 1024
#define SHAPE_SM33 33, 1, 1024
  ROW(ffma_w1, ffma, Floats, SHAPE_W1, FFMA)
  ROW(ffma_w2, ffma, Floats, SHAPE_W2, FFMA)
  ROW(ffma_w16, ffma, Floats, SHAPE_W16, FFMA)
  ROW(ffma_sm1, ffma, Floats, SHAPE_SM1, FFMA)
  ROW(ffma_sm33, ffma, Floats, SHAPE_SM33, FFMA)
  THREE(fadd, Floats, {"fadd", 128}, LOOP)
  THREE(fmul, Floats, {"fmul", 128}, LOOP)
  THREE(dfma, Doubles, {"dfma", 128}, LOOP)
  THREE(iadd, Words, {"iadd", 57}, {"imad_add", 71}, LOOP)
  ROW(iadd3, iadd3, Words, ALL_SMS, {"iadd", 128}, LOOP, {"register_reads", 128})
  THREE(imad, Words, {"imad", 128}, LOOP)
  THREE(logic, Words, {"logic", 128}, LOOP)
  TWO(shift, Words, {"shift", 128}, LOOP)
  TWO(compare, Words, {"compare", 128}, {"select", 128}, LOOP)
  TWO(convert, Words, {"convert", 256}, LOOP)
  TWO(ex2, Floats, {"mufu", 256}, LOOP)
  ROW(rsqrt, rsqrt, Floats, ALL_SMS, {"mufu", 128}, {"fmul", 128}, LOOP)
  THREE(hmma, Halves, {"hmma", 64}, LOOP)
  THREE(shuffle, Words, {"shuffle", 128}, LOOP)
  ROW(ffma_iadd, ffma_iadd, Floats, ALL_SMS, {"ffma", 128}, {"iadd", 106}, {"imad_add", 22}, LOOP)

#define LDS {"lds", 32}, {"logic", 16}, {"shared_passes", 32}, LOOP
  THREE(lds, Words, LDS)
  ROW(lds_4way, lds_4way, Words, ALL_SMS, {"lds", 32}, {"logic", 16}, {"shared_passes", 128}, LOOP)
  ROW(lds_16, lds_16, Words, ALL_SMS, {"lds", 8}, {"logic", 16}, {"shared_passes", 32}, {"register_writes", 24}, LOOP)
  THREE(sts, Words, {"sts", 32}, {"shared_passes", 32}, LOOP)
  ROW(sts_4way, sts_4way, Words, ALL_SMS, {"sts", 32}, {"shared_passes", 128}, LOOP)
  ROW(ffma_lds, ffma_lds, Floats, ALL_SMS, {"ffma", 128}, {"lds", 32}, {"shared_passes", 32}, LOOP)
  TWO(ldc, Words, {"ldc", 32}, {"logic", 17}, {"imad", 1}, LOOP)

#define OWN_LOOP {"iadd", 2}, {"uniform", 2}, {"compare", 1}, {"branch", 1}
  THREE(l1_4, Words, {"ldg", 32}, {"logic", 16}, {"l1_sectors", 128}, {"l1_lines", 32}, OWN_LOOP)
#define QUADS {"ldg", 8}, {"logic", 16}, {"register_writes", 24}
  ROW(l1_16, l1_16, Words, ALL_SMS, QUADS, {"l1_sectors", 128}, {"l1_lines", 32}, OWN_LOOP)
  ROW(l1_gather, l1_gather, Words, ALL_SMS, {"ldg", 32}, {"logic", 16}, {"l1_sectors", 1024}, {"l1_lines", 1024}, OWN_LOOP)
  THREE(l2_read, Words, QUADS, {"l2_read_sectors", 128}, OWN_LOOP)
#define STORES {"stg", 8}, {"register_reads", 24}
  THREE(l2_write, Words, STORES, {"l2_write_sectors", 128}, OWN_LOOP)
  TWO(red, Words, {"red", 16}, {"l2_atomic_sectors", 512}, OWN_LOOP)

#define WHOLE_LOOP {"iadd", 2}, {"imad", 1}, {"logic", 2}, {"uniform", 1}, {"compare", 1}, {"branch", 1}
#define FULL 0, 2, 1024
#define SLOW 0, 1, 128
#define READS {"l2_read_sectors", 128}, {"dram_read_bytes", 4096}
#define WRITES {"l2_write_sectors", 128}, {"dram_write_bytes", 4096}
  ROW(dram_read, dram_read, Words, FULL, QUADS, READS, WHOLE_LOOP)
  ROW(dram_read_zero, dram_read, Zeros, FULL, QUADS, READS, WHOLE_LOOP)
  ROW(dram_read_slow, dram_read, Words, SLOW, QUADS, READS, WHOLE_LOOP)
  ROW(dram_write, dram_write, Words, FULL, STORES, WRITES, WHOLE_LOOP)
  ROW(dram_write_zero, dram_write, Zeros, FULL, STORES, WRITES, WHOLE_LOOP)
  ROW(dram_write_sm66, dram_write, Words, HALF_SMS, STORES, WRITES, WHOLE_LOOP)
  ROW(dram_copy, dram_copy, Words, ALL_SMS, {"ldg", 8}, {"register_writes", 24}, STORES, READS, WRITES, {"iadd", 2}, {"imad_add", 2}, WHOLE_LOOP)
  ROW(dram_random, dram_random, Words, ALL_SMS, {"ldg", 8}, {"imad", 8}, {"imad_add", 1}, {"logic", 12}, {"iadd", 16}, {"l2_read_sectors", 256},
      {"dram_read_bytes", 16384}, LOOP)
  ROW(ffma_dram, ffma_dram, Floats, ALL_SMS, {"ffma", 128}, {"ldg", 8}, {"register_writes", 24}, READS, {"imad_add", 2}, WHOLE_LOOP)

#define ONE_WARP 1, 1, 32
#define SLEEPING 0, 1, 32
#define SLEEPING_FULL 0, 2, 1024
  ROW(idle_awake, sleep, Words, ONE_WARP, {"sleep", 1}, LOOP)
  ROW(idle_resident, sleep, Words, SLEEPING, {"sleep", 1}, LOOP)
  ROW(idle_resident_w16, sleep, Words, SLEEPING_FULL, {"sleep", 1}, LOOP)
  for (Row& row : r) {
    row.sleeps = row.kernel == do_sleep;
    if (row.sleeps) row.half = "idle";
    if (row.data == Zeros) row.half = "zeros";
    if (row.kernel == do_iadd3) row.half = "other";  // two instructions of PTX are one of the machine
  }
  return r;
}

__device__ unsigned hash(unsigned long long i) {
  i = (i + 1) * 0x9e3779b97f4a7c15ull;
  i = (i ^ (i >> 31)) * 0xbf58476d1ce4e5b9ull;
  return (unsigned)(i >> 32);
}
// Floating-point values are in [0.5, 1), of random sign where they are factors (f16).
__global__ void fill(unsigned* to, unsigned long long words, int data) {
  for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < words; i += (unsigned long long)gridDim.x * blockDim.x) {
    const unsigned h = hash(i);
    to[i] = data == Words                ? h
            : data == Floats             ? 0x3f000000u | h >> 9
            : data == Halves             ? 0x38003800u | (h & 0x83ff83ffu)
            : data == Doubles && i % 2   ? 0x3fe00000u | h >> 12
                                         : h;
  }
}

struct Buffers {
  unsigned* in[5];
  unsigned* out;
  unsigned long long bytes;
};

Buffers allocate(bool filled) {
  Buffers b;
  b.bytes = filled ? 4ull << 30 : 1ull << 30;
  const unsigned long long small = 64ull << 20;
  for (int data = 0; data < 5; ++data) {
    const unsigned long long bytes = data == Words || data == Floats || data == Zeros ? b.bytes : small;
    energy::check(cudaMalloc(&b.in[data], bytes), "buffer");
    if (!filled) continue;
    if (data == Zeros) energy::check(cudaMemset(b.in[data], 0, bytes), "buffer");
    else fill<<<1024, 256>>>(b.in[data], bytes / 4, data);
  }
  energy::check(cudaMalloc(&b.out, b.bytes), "buffer");
  energy::check(cudaMemset(b.out, 0, 64 << 20), "buffer");
  unsigned words[1024];
  for (unsigned i = 0; i < 1024; ++i) words[i] = i * 2654435761u;
  energy::check(cudaMemcpyToSymbol(constants, words, sizeof words), "constants");
  energy::check(cudaDeviceSynchronize(), "buffers");
  return b;
}

energy::Case make_case(const Row& row, const Buffers& buffers, int all_sms) {
  const int sms = row.sms == 0 ? all_sms : std::min(row.sms, all_sms);
  const int ctas = sms * row.ctas, warps = ctas * (row.threads / 32);
  energy::Case c;
  c.name = row.name, c.half = row.half;
  c.scaled = true;
  const char* const data[] = {"zeros", "words", "floats", "doubles", "halves"};
  c.about = {{"kernel", row.kernel_name}, {"data", data[row.data]}, {"sms", std::to_string(sms)}, {"ctas", std::to_string(ctas)},
             {"threads", std::to_string(row.threads)}};
  Events sums;
  const auto add = [&](const std::string& event, double n) {
    for (auto& [name, sum] : sums)
      if (name == event) return void(sum += n);
    sums.emplace_back(event, n);
  };
  for (const auto& [event, n] : row.events) {
    add(event, n * warps);
    for (const Operands& o : kOperands)
      if (event == o.event) add("register_reads", n * warps * o.reads), add("register_writes", n * warps * o.writes);
  }
  c.per_round = sums;
  const unsigned* in = buffers.in[row.data];
  const unsigned long long bytes = row.sleeps ? 20000 : buffers.bytes;
  c.launch = [=, kernel = row.kernel, threads = row.threads, out = buffers.out](int rounds) { kernel<<<ctas, threads>>>(in, out, bytes, rounds); };
  return c;
}

}  // namespace

int main(int argc, char** argv) {
  const energy::Options options = energy::parse(argc, argv);
  std::vector<energy::Case> cases;
  energy::Case idle;
  idle.name = "idle_context", idle.half = "idle";
  cases.push_back(idle);
  Buffers buffers{};
  int sms = 132;
  if (!options.list) {
    cudaDeviceProp properties;
    energy::check(cudaGetDeviceProperties(&properties, 0), "device");
    sms = properties.multiProcessorCount;
    buffers = allocate(options.count == 0);
  }
  for (const Row& row : rows()) {
    if (!options.list) {
      int fit = 0;
      energy::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, row.kernel, row.threads, 0), row.name);
      if (fit < row.ctas) std::fprintf(stderr, "%s: only %d of %d CTAs fit on an SM\n", row.name, fit, row.ctas);
    }
    cases.push_back(make_case(row, buffers, sms));
  }
  energy::split(cases, 2);
  return energy::Bench(options, cases).run();
}
