// How long a warp takes to hand over more requests than the buffers on their way hold, where something is
// slow: with one place more before that, it is done one interval earlier.
#pragma once

#include "bench.h"

namespace heddle::gpu {

inline constexpr std::uint32_t kLoads = 8;  // of 32 lines each

// Cycles from the first load to the end of the one from shared memory.
inline std::uint32_t backlog_cycles(const Settings& settings) {
  // Few places everywhere, but enough for their wires at the slow place's rate.
  Settings all = {"l1.miss_queue=2",
                  "cluster.request_buffer=2",
                  "cluster.injection_buffer=2",
                  "noc.request.input_buffer=2",
                  "noc.request.output_buffer=2",
                  "l2.queue=3",
                  "l2.reply_queue=2",
                  "noc.reply.input_buffer=3",
                  "noc.reply.output_buffer=2",
                  "cluster.response_fifo=4",
                  "l1.mshr_entries=512",
                  "l2.mshr_entries=512",
                  "l2.mshr_merges=1",
                  "l2.port_bytes=128B",
                  "noc.reply.flit=136B",
                  "gpu.l2_at_start=host_copies",
                  "latency.network_to_partition=4",
                  "latency.partition_to_network=4"};
  all.insert(all.end(), settings.begin(), settings.end());
  Bench b(spec_of(kLab, all));
  b.load(
      "mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\nmov.u64 %rd2, buffer;\nmov.u32 %r61, "
      "%clock;\n" +
          times(kLoads, "ld.global.cg.u32 %r#, [%rd1+#*4096];") +
          "ld.shared.u32 %r60, [%rd2];\nadd.u32 %r60, %r60, 0;\nmov.u32 %r59, %clock;\nsub.u32 %r59, %r59, "
          "%r61;\n"
          "add.u32 %r59, %r59, %r60;\nst.global.u32 [%b], %r59;\n" +
          use(kLoads),
      ".shared .align 4 .b8 buffer[128];\n");
  const auto a = b.words(std::vector<std::uint32_t>(kLoads * 1024)), out = b.words(1);
  b.run({.threads = 32}, a, out);
  return b.read(out, 1)[0];
}

}  // namespace heddle::gpu
