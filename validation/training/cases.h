// Every case: a kernel, its launch, its arguments. A case's name never changes its meaning: split.csv and the recordings refer to it.
#pragma once

#include "inputs.h"

// clang-format off: a table
namespace training {

constexpr unsigned K = 1024, M = 1024 * 1024;

inline void add_divergence(std::vector<Case>& c) {
  const char* t = "divergence";
  const unsigned n = 1056 * 256;
  c.push_back({"half_warp", t, "half_warp", 1056, 256, 0, {random_f32(n, 1), out_f32(n), i32(n), i32(32)}});
  c.push_back({"odd_even", t, "odd_even", 4096, 256, 0, {random_f32(M, 1), random_f32(M, 2), out_f32(M), i32(M), i32(16)}});
  c.push_back({"triangular", t, "triangular", 1024, 256, 0, {random_f32(16 * M, 1), random_f32(64, 2), out_f32(256 * K), i32(64)}});
  c.push_back({"random_trips", t, "random_trips", 2048, 256, 0, {random_range(512 * K, 1, 0, 64), random_f32(512 * K, 2), out_f32(512 * K), i32(512 * K)}});
  c.push_back({"collatz", t, "collatz", 512, 256, 0, {out_u32(128 * K), i32(128 * K), i32(1000001)}});
  c.push_back({"decision_code", t, "decision_code", 2048, 256, 0, {random_f32(6 * 512 * K, 1), out_u32(512 * K), i32(512 * K)}});
  c.push_back({"forest_walk", t, "forest_walk", 1024, 256, 0,
               {random_f32(6 * K, 1), tree_children(6, K, 2), random_f32(8 * 256 * K, 3), out_f32(256 * K), i32(256 * K), i32(6), i32(K)}});
  c.push_back({"and_condition", t, "and_condition", 2048, 256, 0,
               {random_f32(512 * K, 1), random_f32(512 * K, 2), out_f32(512 * K), i32(512 * K), f32(0.4), f32(0.7)}});
  c.push_back({"or_border", t, "or_border", {32, 88}, {32, 8}, 0, {random_f32(700000, 1), out_f32(700000), i32(1000), i32(700)}});
  c.push_back({"interpreter_lanes", t, "interpreter", 512, 256, 0, {random_u32(4 * M, 1), random_u32(128 * K, 2), out_u32(128 * K), i32(128 * K), i32(32)}});
  c.push_back({"interpreter_warps", t, "interpreter", 512, 256, 0, {random_warps(4 * M, 1), random_u32(128 * K, 2), out_u32(128 * K), i32(128 * K), i32(32)}});
  c.push_back({"switch16", t, "switch16", 2048, 256, 0, {random_u32(512 * K, 1), random_f32(512 * K, 2), out_f32(512 * K), i32(512 * K)}});
  c.push_back({"early_exit", t, "early_exit", 4096, 256, 0, {random_u32(M, 1), random_f32(M, 2), out_f32(M), i32(M)}});
  c.push_back({"binary_search", t, "binary_search", 4096, 256, 0, {sorted_u32(M, 1), random_u32(M, 2), out_u32(M), i32(M), i32(M)}});
  c.push_back({"burning_ship", t, "burning_ship", {48, 32}, {16, 16}, 0, {out_u32(768 * 512), i32(768), i32(512), i32(128)}});
  c.push_back({"newton_roots", t, "newton_roots", 4096, 256, 0, {random_f32(M, 1), out_f32(M), i32(M)}});
  c.push_back({"break_continue", t, "break_continue", 1024, 256, 0, {random_u32(256 * K, 1), out_u32(256 * K), i32(256 * K), i32(16)}});
  c.push_back({"rare_path", t, "rare_path", 2048, 256, 0, {random_u32(512 * K, 1), random_f32(512 * K, 2), out_f32(512 * K), i32(512 * K)}});
  c.push_back({"nested_lists", t, "nested_lists", 512, 256, 0,
               {made([] { return list_begins(128 * K, 1, 15); }), random_u32(15 * 128 * K, 2), random_f32(15 * 128 * K, 3), out_f32(128 * K), i32(128 * K)}});
  c.push_back({"point_in_polygon", t, "point_in_polygon", 2048, 256, 0,
               {random_f32(64, 1), i32(32), random_f32(512 * K, 2), random_f32(512 * K, 3), out_u32(512 * K), i32(512 * K)}});
  c.push_back({"clip_lines", t, "clip_lines", 4096, 256, 0, {random_f32(4 * M, 1), out_f32(M), i32(M)}});
}

inline void add_integer(std::vector<Case>& c) {
  const char* t = "integer";
  const unsigned n = 512 * K;
  c.push_back({"div_u32_variable", t, "div_u32_variable", 2048, 256, 0, {random_u32(n, 1), random_range(n, 2, 1, 65536), out_u32(n), i32(n), i32(16)}});
  c.push_back({"rem_s32_variable", t, "rem_s32_variable", 2048, 256, 0, {random_u32(4 * n, 1), random_range(4 * n, 2, 1, M), out_u32(n), i32(n)}});
  c.push_back({"permute_tensor", t, "permute_tensor", 9408, 256, 0,
               {random_f32(2408448, 1), out_f32(2408448), i32(48), i32(56), i32(56), i32(2408448)}});
  c.push_back({"div_invariant", t, "div_invariant", 2048, 256, 0, {random_u32(512 * K, 1), out_u32(512 * K), i32(512 * K), i32(37), i32(101), i32(24)}});
  c.push_back({"decimal_digits", t, "decimal_digits", 4096, 256, 0, {random_u32(M, 1), out_u32(M), i32(M)}});
  c.push_back({"dates", t, "dates", 2048, 256, 0, {random_u32(n, 1), out_u32(n), i32(n)}});
  c.push_back({"div_powers", t, "div_powers", 2048, 256, 0, {random_u32(512 * K, 1), out_u32(512 * K), i32(512 * K)}});
  c.push_back({"div_u64", t, "div_u64", 2048, 256, 0, {random_u32(2 * n, 1), random_u32(2 * n, 2), out_u32(2 * n), i32(n)}});
  c.push_back({"rem_s64_small", t, "rem_s64_small", 2048, 256, 0, {random_u32(n, 1), random_u32(n, 2), out_u32(2 * n), i32(n)}});
  c.push_back({"mod_pow", t, "mod_pow", 1024, 128, 0, {random_u32(128 * K, 1), random_u32(128 * K, 2), out_u32(128 * K), i32(128 * K), u32(2147483629u)}});
  c.push_back({"gcd", t, "gcd", 2048, 256, 0, {random_u32(n, 1), random_u32(n, 2), out_u32(n), i32(n)}});
  c.push_back({"trial_division", t, "trial_division", 1024, 128, 0, {random_u32(128 * K, 1), out_u32(128 * K), i32(128 * K)}});
  c.push_back({"crc_bits", t, "crc_bits", 2048, 256, 0, {random_u32(2 * n, 1), out_u32(n), i32(n), i32(2)}});
  c.push_back({"hamming", t, "hamming", 2048, 256, 0, {random_u32(4 * n, 1), random_u32(4 * 24, 2), out_u32(n), i32(n), i32(24)}});
  c.push_back({"morton", t, "morton", 4096, 256, 0, {random_u32(M, 1), random_u32(M, 2), random_u32(M, 3), out_u32(2 * M), i32(M)}});
  c.push_back({"long_product", t, "long_product", 2048, 256, 0, {random_u32(8 * n, 1), random_u32(8 * n, 2), out_u32(16 * n), i32(n)}});
  c.push_back({"digest_rounds", t, "digest_rounds", 1024, 128, 0, {random_u32(16 * 128 * K, 1), out_u32(128 * K), i32(128 * K)}});
  c.push_back({"xorshift_sum", t, "xorshift_sum", 2048, 256, 0, {random_u32(n, 1), out_u32(2 * n), i32(n), i32(32)}});
  c.push_back({"splitmix", t, "splitmix", 2048, 256, 0, {out_u32(2 * n), i32(n), i32(20)}});
}

inline void add_math(std::vector<Case>& c) {
  const char* t = "math";
  const unsigned n = 512 * K;
  c.push_back({"div_f32_chain", t, "div_f32_chain", 2048, 256, 0, {random_f32(n, 1), out_f32(n), i32(n), i32(24)}});
  c.push_back({"div_f32_stream", t, "div_f32_stream", 1056, 256, 0, {random_f32(4 * M, 1), random_f32(4 * M, 2), out_f32(4 * M), i32(4 * M), i32(1056 * 256)}});
  c.push_back({"normalise3", t, "normalise3", 16384, 256, 0,
               {inout(random_f32(4 * M, 1), Arg::F32), inout(random_f32(4 * M, 2), Arg::F32), inout(random_f32(4 * M, 3), Arg::F32), i32(4 * M)}});
  c.push_back({"quadratic", t, "quadratic", 8192, 256, 0, {random_f32(2 * M, 1), random_f32(2 * M, 2), random_f32(2 * M, 3), out_f32(4 * M), i32(2 * M)}});
  c.push_back({"log_sum_exp", t, "log_sum_exp", 2048, 256, 0, {random_f32(16 * n, 1), out_f32(n), i32(n), i32(16)}});
  c.push_back({"wave_sum", t, "wave_sum", 2048, 256, 0, {random_f32(n, 1), out_f32(n), i32(n), i32(6)}});
  c.push_back({"sine_large", t, "sine_large", 2048, 256, 0, {random_f32(512 * K, 1), out_f32(512 * K), i32(512 * K)}});
  c.push_back({"gamma_correct", t, "gamma_correct", 2048, 256, 0, {random_f32(4 * 512 * K, 1), out_f32(4 * 512 * K), i32(512 * K), f32(2.2)}});
  c.push_back({"gelu", t, "gelu", 1056, 256, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(4 * M)}});
  c.push_back({"silu_gate", t, "silu_gate", 4096, 256, 0, {random_f32(4 * M, 1), random_f32(4 * M, 2), out_f32(4 * M), i32(M)}});
  c.push_back({"option_delta", t, "option_delta", 2048, 256, 0, {random_f32(512 * K, 1), random_f32(512 * K, 2), out_f32(512 * K), i32(512 * K)}});
  c.push_back({"haversine", t, "haversine", 4096, 256, 0, {random_f32(M, 1), random_f32(M, 2), out_f32(M), i32(M), f32(0.7), f32(0.2)}});
  c.push_back({"phase_unwrap", t, "phase_unwrap", 4096, 256, 0, {random_f32(2 * M, 1), out_f32(M), i32(M)}});
  c.push_back({"fast_functions", t, "fast_functions", 2048, 256, 0, {random_f32(n, 1), out_f32(n), i32(n), i32(16)}});
  c.push_back({"horner", t, "horner", 2048, 256, 0, {random_f32(4 * n, 1), out_f32(4 * n), i32(n), i32(72)}});
  c.push_back({"div_f64", t, "div_f64", 1024, 256, 0, {random_f64(256 * K, 1), random_f64(256 * K, 2), out_f64(256 * K), i32(256 * K), i32(8)}});
  c.push_back({"roots_f64", t, "roots_f64", 2048, 256, 0, {random_f64(n, 1), out_f64(n), i32(n)}});
  c.push_back({"exp_log_f64", t, "exp_log_f64", 2048, 256, 0, {random_f64(n, 1), out_f64(n), i32(n)}});
  c.push_back({"sincos_f64", t, "sincos_f64", 2048, 256, 0, {random_f64(n, 1), out_f64(n), i32(n)}});
  c.push_back({"horner_f64", t, "horner_f64", 1024, 256, 0, {random_f64(256 * K, 1), out_f64(256 * K), i32(256 * K), i32(40)}});
  c.push_back({"mixed_dot", t, "mixed_dot", 2048, 256, 0, {random_f32(16 * n, 1), random_f32(16 * n, 2), out_f64(n), i32(n), i32(16)}});
  c.push_back({"quantise", t, "quantise", 16384, 256, 0, {random_f32(4 * M, 1), out_u32(4 * M), out_f32(4 * M), i32(4 * M), f32(0.01)}});
}

inline void add_atomics(std::vector<Case>& c) {
  const char* t = "atomics";
  const unsigned n = 256 * K;
  c.push_back({"atomic_one", t, "atomic_one", 4096, 256, 0, {random_u32(M, 1), out_u32(1), i32(M)}});
  c.push_back({"atomic_tickets", t, "atomic_tickets", 1024, 256, 0, {random_u32(n, 1), out_u32(1), out_u32(n, Arg::Sum), i32(n)}});
  c.push_back({"atomic_line", t, "atomic_line", 4096, 256, 0, {random_u32(M, 1), out_u32(32), i32(M)}});
  c.push_back({"atomic_stride_8", t, "atomic_strided", 4096, 256, 0, {random_u32(M, 1), out_u32(64 * K), i32(M), i32(8), i32(64 * K - 1)}});
  c.push_back({"atomic_stride_33", t, "atomic_strided", 2048, 256, 0, {random_u32(2 * n, 1), out_u32(M), i32(2 * n), i32(33), i32(M - 1)}});
  c.push_back({"histogram_256", t, "histogram_256", 264, 256, 0, {random_u32(2 * n, 1), out_u32(256), i32(2 * n)}});
  c.push_back({"histogram_4096", t, "histogram_large", 528, 256, 0, {random_u32(2 * M, 1), out_u32(4096), i32(2 * M), i32(4095)}});
  c.push_back({"histogram_1m", t, "histogram_large", 1056, 256, 0, {random_u32(2 * M, 1), out_u32(M), i32(2 * M), i32(M - 1)}});
  c.push_back({"histogram_cta", t, "histogram_cta", 264, 512, 0, {random_u32(8 * M, 1), out_u32(1024), i32(8 * M)}});
  c.push_back({"histogram_skewed", t, "histogram_skewed", 528, 256, 0, {random_u32(4 * M, 1), out_u32(64), i32(4 * M)}});
  c.push_back({"scatter_add_f32", t, "scatter_add_f32", 4096, 256, 0, {random_u32(M, 1), random_u32(M, 2), out_f32(n), i32(M), i32(n - 1)}});
  c.push_back({"scatter_add_f64", t, "scatter_add_f64", 2048, 256, 0, {random_u32(2 * n, 1), random_u32(2 * n, 2), out_f64(64 * K), i32(2 * n), i32(64 * K - 1)}});
  c.push_back({"shared_add_f32", t, "shared_add_f32", 264, 256, 0, {random_u32(M, 1), out_f32(128), i32(M)}});
  c.push_back({"cas_max", t, "cas_max", 4096, 256, 0, {random_f32(M, 1), out_u32(1024), i32(M), i32(1023)}});
  c.push_back({"hash_insert", t, "hash_insert", 4096, 256, 0, {random_u32(M, 1), out_u32(4 * M, Arg::Sum), i32(M), i32(4 * M - 1)}});
  c.push_back({"hash_find", t, "hash_find", 4096, 256, 0, {odd_u32(M, 7), hash_table(600000, M - 1, 7), out_u32(M), i32(M), i32(M - 1)}});
  c.push_back({"minmax_u64", t, "minmax_u64", 2048, 256, 0,
               {random_u32(2 * n, 1), random_u32(4 * n, 2), inout(filled(8192, ~0u), Arg::U32), out_u32(8192), i32(2 * n), i32(4095)}});
  c.push_back({"bitmap_mark", t, "bitmap_mark", 16384, 256, 0, {random_u32(4 * M, 1), out_u32(128 * K), i32(4 * M), u32(4 * M - 1)}});
  c.push_back({"append_by_warp", t, "append_by_warp", 16384, 256, 0, {random_u32(4 * M, 1), out_u32(1), out_u32(32), i32(4 * M)}});
  c.push_back({"bucket_locks", t, "bucket_locks", 512, 128, 0, {random_u32(64 * K, 1), out_u32(8192), out_u32(8192), i32(64 * K), i32(8191)}});
  c.push_back({"last_block_sum", t, "last_block_sum", 528, 256, 0, {random_u32(8 * M, 1), out_u32(528), out_u32(1), out_u32(1), i32(8 * M)}});
  c.push_back({"fence_often", t, "fence_often", 512, 256, 0, {random_u32(128 * K, 1), out_u32(512 * K), i32(128 * K), i32(12)}});
}

inline void add_gather(std::vector<Case>& c) {
  const char* t = "gather";
  const unsigned n = 512 * K;
  auto gather = [&](const char* name, int stride) {
    c.push_back({name, t, "gather_stride", 4096, 256, 0, {random_f32(16 * M, 1), out_f32(M), i32(M), i32(stride), i32(16 * M - 1)}});
  };
  gather("gather_stride_1", 1), gather("gather_stride_2", 2), gather("gather_stride_8", 8), gather("gather_stride_64", 64);
  auto scatter = [&](const char* name, int stride) {
    c.push_back({name, t, "scatter_stride", 8192, 256, 0, {random_f32(2 * M, 1), out_f32(2 * M), i32(2 * M), i32(stride), i32(2 * M - 1)}});
  };
  scatter("scatter_stride_4", 4), scatter("scatter_stride_32", 32);
  c.push_back({"gather_l1_4", t, "gather_l1", 1056, 256, 0, {random_f32(8192, 1), out_f32(1056 * 256), i32(1056 * 256), i32(4), i32(8191), i32(48)}});
  c.push_back({"gather_l1_36", t, "gather_l1", 1056, 256, 0, {random_f32(8192, 1), out_f32(1056 * 256), i32(1056 * 256), i32(36), i32(8191), i32(48)}});
  auto random = [&](const char* name, unsigned size) {
    c.push_back({name, t, "gather_random", 8192, 256, 0, {random_u32(2 * M, 1), random_f32(size, 2), out_f32(2 * M), i32(2 * M), i32(static_cast<int>(size - 1))}});
  };
  random("gather_random_16k", 16 * K), random("gather_random_16m", 16 * M);
  c.push_back({"gather_hashed", t, "gather_hashed", 2048, 256, 0, {random_f32(4 * M, 1), out_f32(512 * K), i32(512 * K), i32(4 * M - 1)}});
  c.push_back({"scatter_random", t, "scatter_random", 16384, 256, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(4 * M)}});
  c.push_back({"broadcast_table", t, "broadcast_table", 2048, 256, 0, {random_f32(80, 1), random_f32(n, 2), out_f32(n), i32(n), i32(80)}});
  c.push_back({"gather_float4", t, "gather_float4", 4096, 256, 0, {random_u32(M, 1), random_f32(4 * M, 2), out_f32(4 * M), i32(M), i32(M - 1)}});
  c.push_back({"embedding_bag", t, "embedding_bag", 1024, 256, 0,
               {random_u32(16 * 8192, 1), random_f32(128 * 64 * K, 2), out_f32(128 * 8192), i32(8192), i32(16), i32(64 * K - 1)}});
  c.push_back({"gather_twice", t, "gather_twice", 8192, 256, 0, {random_u32(2 * M, 1), random_u32(M, 2), random_f32(M, 3), out_f32(2 * M), i32(2 * M), i32(M - 1)}});
  c.push_back({"move_structures", t, "move_structures", 4096, 256, 0, {inout(random_f32(8 * M, 1), Arg::F32), i32(M), f32(0.125)}});
  c.push_back({"move_arrays", t, "move_arrays", 4096, 256, 0,
               {inout(random_f32(M, 1), Arg::F32), inout(random_f32(M, 2), Arg::F32), inout(random_f32(M, 3), Arg::F32), inout(random_f32(M, 4), Arg::F32),
                inout(random_f32(M, 5), Arg::F32), random_f32(M, 6), i32(M), f32(0.125)}});
  c.push_back({"sum_member", t, "sum_member", 4096, 256, 0, {random_f32(12 * M, 1), out_f32(M), i32(4 * M), i32(4)}});
  c.push_back({"chase_lane", t, "chase", 132, 1, 0, {cycle(4 * M, 1), out_u32(132), i32(60), i32(31775)}});
  c.push_back({"chase_warp", t, "chase", 132, 32, 0, {cycle(4 * M, 1), out_u32(132 * 32), i32(40), i32(991)}});
  c.push_back({"chase_many", t, "chase", 1056, 256, 0, {cycle(4 * M, 1), out_u32(1056 * 256), i32(10), i32(15)}});
  c.push_back({"chase_small", t, "chase", 132, 64, 0, {cycle(16 * K, 1), out_u32(132 * 64), i32(150), i32(1)}});
  c.push_back({"list_sum", t, "list_sum", 2048, 128, 0,
               {made([] { return lists(256 * K, 14).head; }), made([] { return lists(256 * K, 14).next; }), random_u32(14 * 256 * K + 1, 3), out_u32(256 * K), i32(256 * K)}});
  c.push_back({"chase_shared", t, "chase_shared", 264, 128, 0, {random_u32(4096, 1), out_u32(264 * 128), i32(400)}});
}

inline void add_constants(std::vector<Case>& c) {
  const char* t = "constants";
  const unsigned n = 512 * K;
  const Constant filter{"c_filter", random_f32(64, 11).make}, table{"c_table", random_f32(4096, 12).make}, atoms{"c_atoms", random_f32(4096, 13).make};
  std::vector<float> coefficients;
  for (int k = 0; k < 24; ++k) coefficients.push_back(static_cast<float>(k - 11) * 0.0625f);
  c.push_back({"constant_filter", t, "constant_filter", 2048, 256, 0, {random_f32(n, 1), out_f32(n), i32(n)}, {filter}});
  c.push_back({"constant_lookup_64", t, "constant_lookup", 2048, 256, 0, {random_u32(512 * K, 1), out_f32(512 * K), i32(512 * K), i32(63)}, {table}});
  c.push_back({"constant_lookup_4", t, "constant_lookup", 4096, 256, 0, {random_u32(M, 1), out_f32(M), i32(M), i32(3)}, {table}});
  c.push_back({"potential_grid", t, "potential_grid", {16, 64}, {32, 8}, 0, {out_f32(512 * 512), i32(512), i32(64), f32(0.001953125)}, {atoms}});
  c.push_back({"parameter_block", t, "parameter_block", 8192, 256, 0, {random_f32(2 * M, 1), out_f32(2 * M), i32(2 * M), structure(coefficients), i32(5)}});
  c.push_back({"constant_sweep", t, "constant_sweep", 1024, 256, 0, {random_f32(256 * K, 1), out_f32(256 * K), i32(256 * K)}, {table}});
  c.push_back({"texture_fetch", t, "texture_fetch", 8192, 256, 0, {texture(random_f32(256 * K, 1)), random_u32(2 * M, 2), out_f32(2 * M), i32(2 * M), i32(256 * K - 1)}});
  c.push_back({"texture_blur", t, "texture_blur", {64, 128}, {32, 8}, 0, {texture(random_f32(2048 * 1024, 1), 2048, 1024), out_f32(2048 * 1024), i32(2048), i32(1024)}});
  c.push_back({"texture_rotate", t, "texture_rotate", {64, 128}, {32, 8}, 0,
               {texture(random_f32(2 * M, 1), 2048, 1024, true), out_f32(2 * M), i32(2048), i32(1024), f32(0.8660254), f32(0.5)}});
}

inline void add_shared(std::vector<Case>& c) {
  const char* t = "shared";
  const unsigned n = 528 * 256;
  c.push_back({"transpose_conflicts", t, "transpose_conflicts", {64, 64}, {32, 8}, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(2048)}});
  c.push_back({"transpose_padded", t, "transpose_padded", {48, 48}, {32, 8}, 0, {random_f64(1536 * 1536, 1), out_f64(1536 * 1536), i32(1536)}});
  auto stride = [&](const char* name, int s) { c.push_back({name, t, "bank_stride", 528, 256, 0, {random_f32(8192, 1), out_f32(n), i32(s), i32(128)}}); };
  stride("bank_stride_1", 1), stride("bank_stride_2", 2), stride("bank_stride_8", 8), stride("bank_stride_32", 32);
  c.push_back({"bank_random", t, "bank_random", 528, 256, 0, {random_u32(2048, 1), out_u32(n), i32(128)}});
  c.push_back({"shared_broadcast", t, "shared_broadcast", 528, 256, 0, {random_f32(1024, 1), out_f32(n), i32(160)}});
  c.push_back({"shared_double", t, "shared_double", 528, 256, 0, {random_f64(2048, 1), out_f64(n), i32(128)}});
  c.push_back({"shared_float4", t, "shared_float4", 528, 256, 0, {random_f32(4096, 1), out_f32(4 * n), i32(96)}});
  c.push_back({"cipher_rounds", t, "cipher_rounds", 1024, 256, 0,
               {random_u32(4 * 256 * K, 1), random_u32(256, 2), random_u32(40, 3), out_u32(4 * 256 * K), i32(256 * K), i32(10)}});
  c.push_back({"crc_table", t, "crc_table", 512, 256, 0, {random_u32(24 * 128 * K, 1), out_u32(128 * K), i32(128 * K), i32(24)}});
  c.push_back({"reduce_interleaved", t, "reduce_interleaved", 8448, 256, 0, {random_u32(8448 * 256, 1), out_u32(8448)}});
  c.push_back({"reduce_modulo", t, "reduce_modulo", 8448, 256, 0, {random_u32(8448 * 256, 1), out_u32(8448)}});
  c.push_back({"dct_blocks", t, "dct_blocks", {16, 256}, {64, 8}, 0, {random_f32(2 * M, 1), out_f32(2 * M), i32(1024)}});
  c.push_back({"counting_sort", t, "counting_sort", 132, 512, (1024 + 24576) * 4, {random_u32(132 * 24576, 1), out_u32(132 * 24576), i32(24576)}});
  c.push_back({"barrier_64", t, "barrier_rounds", 2112, 64, 0, {random_u32(2112 * 64, 1), out_u32(2112 * 64), i32(96)}});
  c.push_back({"barrier_1024", t, "barrier_rounds", 264, 1024, 0, {random_u32(264 * 1024, 1), out_u32(264 * 1024), i32(64)}});
  c.push_back({"barrier_votes", t, "barrier_votes", 528, 256, 0, {random_u32(n, 1), out_u32(n), i32(64)}});
  c.push_back({"barrier_one_works", t, "barrier_one_works", 1056, 256, 0, {random_u32(1056 * 256, 1), out_u32(1056 * 256), i32(64)}});
}

inline void add_cooperative(std::vector<Case>& c) {
  const char* t = "cooperative";
  c.push_back({"reduce_shuffle", t, "reduce_shuffle", 528, 256, 0, {random_f32(8 * M, 1), out_f32(528), i32(2 * M)}});
  c.push_back({"reduce_redux", t, "reduce_redux", 4096, 256, 0, {random_u32(8 * M, 1), out_u32(32 * K), i32(32 * K), i32(8)}});
  c.push_back({"arg_max", t, "arg_max", 2112, 256, 0, {random_f32(2112 * 4096, 1), out_u32(2112), i32(4096)}});
  c.push_back({"scan_shuffle", t, "scan_shuffle", 2048, 1024, 0, {random_u32(2 * M, 1), out_u32(2 * M)}});
  c.push_back({"scan_steele", t, "scan_steele", 1584, 1024, 0, {random_u32(1584 * K, 1), out_u32(1584 * K)}});
  c.push_back({"scan_blelloch", t, "scan_blelloch", 4224, 256, 0, {random_u32(4224 * 512, 1), out_u32(4224 * 512)}});
  c.push_back({"scan_chained", t, "scan_chained", 2048, 256, 0, {random_u32(4 * M, 1), out_u32(4 * M), out_u32(2048), out_u32(2048), out_u32(1)}});
  c.push_back({"compact", t, "compact", 8192, 256, 0, {random_u32(2 * M, 1), out_u32(2 * M), out_u32(8192), u32(0x60000000u)}});
  c.push_back({"match_groups", t, "match_groups", 1024, 256, 0, {random_u32(256 * K, 1), out_u32(256 * K), i32(256 * K), i32(12)}});
  c.push_back({"vote_until", t, "vote_until", 4096, 256, 0, {random_f32(M, 1), out_u32(M), i32(M)}});
  c.push_back({"transpose_shuffle", t, "transpose_shuffle", 528, 256, 0, {random_u32(528 * 8 * 1024, 1), out_u32(528 * 8 * 1024)}});
  c.push_back({"segmented_scan", t, "segmented_scan", 8192, 256, 0, {random_f32(2 * M, 1), random_u32(2 * M, 2), out_f32(2 * M)}});
  c.push_back({"bitonic_cta", t, "bitonic_cta", 528, 512, 0, {inout(random_u32(528 * 1024, 1), Arg::U32)}});
  c.push_back({"bitonic_warp", t, "bitonic_warp", 8192, 256, 0, {inout(random_u32(2 * M, 1), Arg::U32)}});
  c.push_back({"merge_path", t, "merge_path", 1024, 256, 0, {sorted_u32(M, 1), sorted_u32(M, 2), out_u32(2 * M), i32(M), i32(8)}});
  c.push_back({"radix_counts", t, "radix_counts", 1056, 256, 0, {random_u32(1056 * 4096, 1), out_u32(1056 * 16), i32(4096), i32(8)}});
  c.push_back({"layer_norm", t, "layer_norm", 3168, 256, 0, {random_f32(3168 * 1024, 1), random_f32(1024, 2), random_f32(1024, 3), out_f32(3168 * 1024), i32(1024)}});
  c.push_back({"softmax_cta", t, "softmax_cta", 2112, 256, 8192, {random_f32(2112 * 2048, 1), out_f32(2112 * 2048), i32(2048)}});
  c.push_back({"attention_row", t, "attention_row", 264, 256, 0,
               {random_f32(2112 * 64, 1), random_f32(64 * 64, 2), random_f32(64 * 64, 3), out_f32(2112 * 64), i32(64)}});
}

inline void add_stream(std::vector<Case>& c) {
  const char* t = "stream";
  const unsigned n = 4 * M;
  auto a = [&](unsigned seed) { return random_f32(n, seed); };
  c.push_back({"copy_f32", t, "copy_f32", n / 256, 256, 0, {a(1), out_f32(n), i32(n)}});
  c.push_back({"copy_f32_1024", t, "copy_f32", n / 1024, 1024, 0, {a(1), out_f32(n), i32(n)}});
  c.push_back({"copy_f128", t, "copy_f128", 2 * M / 256, 256, 0, {random_f32(8 * M, 1), out_f32(8 * M), i32(2 * M)}});
  c.push_back({"copy_u8", t, "copy_u8", 2 * n / 256, 256, 0, {random_u32(2 * M, 1), out_u32(2 * M), i32(2 * n)}});
  c.push_back({"copy_u16", t, "copy_u16", 2 * n / 256, 256, 0, {random_u32(4 * M, 1), out_u32(4 * M), i32(2 * n)}});
  c.push_back({"copy_shifted", t, "copy_shifted", n / 256, 256, 0, {random_f32(n + 32, 1), out_f32(n), i32(n), i32(1)}});
  c.push_back({"copy_stride_grid", t, "copy_stride_grid", 264, 1024, 0, {random_f32(8 * M, 1), out_f32(8 * M), i32(8 * M)}});
  c.push_back({"copy_few_ctas", t, "copy_stride_grid", 132, 256, 0, {a(1), out_f32(n), i32(n)}});
  c.push_back({"copy_unrolled", t, "copy_unrolled", 2048, 256, 0, {a(1), out_f32(n), i32(n)}});
  c.push_back({"add_f32", t, "add_f32", n / 256, 256, 0, {a(1), a(2), out_f32(n), i32(n)}});
  c.push_back({"triad_f32", t, "triad_f32", n / 512, 512, 0, {a(1), a(2), out_f32(n), f32(3), i32(n)}});
  c.push_back({"triad_f128", t, "triad_f128", 2 * M / 256, 256, 0, {random_f32(8 * M, 1), random_f32(8 * M, 2), out_f32(8 * M), f32(3), i32(2 * M)}});
  c.push_back({"triad_f64", t, "triad_f64", 1056, 256, 0, {random_f64(2 * M, 1), random_f64(2 * M, 2), out_f64(2 * M), f64(3), i32(2 * M)}});
  c.push_back({"update_in_place", t, "update_in_place", 8 * M / 256, 256, 0, {inout(random_f32(8 * M, 1), Arg::F32), i32(8 * M), f32(0.5)}});
  c.push_back({"four_to_one", t, "four_to_one", n / 256, 256, 0, {a(1), a(2), a(3), a(4), out_f32(n), i32(n)}});
  c.push_back({"one_to_four", t, "one_to_four", n / 256, 256, 0, {a(1), out_f32(n), out_f32(n), out_f32(n), out_f32(n), i32(n)}});
  c.push_back({"read_only", t, "read_only", 1056, 256, 0, {random_f32(16 * M, 1), out_f32(1056 * 256), i32(n)}});
  c.push_back({"read_only_scalar", t, "read_only_scalar", 528, 512, 0, {random_f32(8 * M, 1), out_f32(528 * 512), i32(8 * M)}});
  c.push_back({"write_only", t, "write_only", 8 * M / 256, 256, 0, {out_f32(8 * M), i32(8 * M), f32(1)}});
  c.push_back({"write_f128", t, "write_f128", 528, 256, 0, {out_f32(16 * M), i32(n)}});
  c.push_back({"copy_ldg", t, "copy_ldg", n / 256, 256, 0, {a(1), out_f32(n), i32(n)}});
  c.push_back({"copy_cg", t, "copy_cg", n / 256, 256, 0, {a(1), out_f32(n), i32(n)}});
  c.push_back({"copy_cs", t, "copy_cs", 2 * M / 128, 128, 0, {random_f32(8 * M, 1), out_f32(8 * M), i32(2 * M)}});
  c.push_back({"reread_cg", t, "reread_cg", 528, 256, 0, {random_f32(M, 1), out_f32(528 * 256), i32(M), i32(12)}});
  c.push_back({"reread_ca", t, "reread_ca", 528, 256, 0, {random_f32(M, 1), out_f32(528 * 256), i32(M), i32(12)}});
  c.push_back({"shared_stream", t, "shared_stream", 264, 256, 0, {random_f32(256 * K, 1), out_f32(264 * 256), i32(64 * K)}});
  c.push_back({"row_per_thread", t, "row_per_thread", 2048, 128, 0, {random_f32(8 * M, 1), out_f32(256 * K), i32(256 * K), i32(8)}});
  c.push_back({"rgb_to_grey", t, "rgb_to_grey", 2 * n / 256, 256, 0, {random_u32(6 * M, 1), out_u32(2 * M), i32(2 * n)}});
}

inline void add_stencil(std::vector<Case>& c) {
  const char* t = "stencil";
  const unsigned n = 4 * M;
  c.push_back({"stencil_1d", t, "stencil_1d", n / 256, 256, 0, {random_f32(n, 1), out_f32(n), i32(n)}});
  c.push_back({"stencil_1d_shared", t, "stencil_1d_shared", 4 * M / 256, 256, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(4 * M)}});
  c.push_back({"five_point", t, "five_point", {64, 256}, {32, 8}, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(2048), i32(2048)}});
  c.push_back({"nine_point_f64", t, "nine_point_f64", {16, 512}, {64, 4}, 0, {random_f64(2 * M, 1), out_f64(2 * M), i32(1024), i32(2048)}});
  c.push_back({"heat_tiles", t, "heat_tiles", {64, 64}, {16, 16}, 0, {random_f32(768 * 768, 1), random_f32(768 * 768, 2), out_f32(768 * 768), i32(768), i32(768), i32(2)}});
  c.push_back({"seven_point", t, "seven_point", {4, 32, 128}, {64, 4}, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(256), i32(128), i32(128)}});
  c.push_back({"seven_point_march", t, "seven_point_march", {16, 32}, {32, 8}, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(512), i32(256), i32(32)}});
  c.push_back({"sobel_u8", t, "sobel_u8", {64, 256}, {32, 8}, 0, {random_u32(M, 1), out_u32(M), i32(2048), i32(2048)}});
  c.push_back({"game_of_life", t, "game_of_life", {64, 128}, {32, 8}, 0, {random_u32(512 * K, 1), out_u32(512 * K), i32(2048), i32(1024)}});
  c.push_back({"median_3x3", t, "median_3x3", {64, 128}, {32, 8}, 0, {random_f32(2 * M, 1), out_f32(2 * M), i32(2048), i32(1024)}});
  c.push_back({"bilateral", t, "bilateral", {64, 64}, {16, 8}, 0, {random_f32(1024 * 512, 1), out_f32(1024 * 512), i32(1024), i32(512)}});
  c.push_back({"filter_rows", t, "filter_rows", {32, 256}, {64, 4}, 0, {random_f32(2 * M, 1), out_f32(2 * M), random_f32(17, 2), i32(2048)}});
  c.push_back({"filter_columns", t, "filter_columns", {32, 32}, {32, 8}, 0, {random_f32(M, 1), out_f32(M), random_f32(17, 2), i32(1024), i32(1024)}});
  c.push_back({"lattice_d2q9", t, "lattice_d2q9", {16, 64}, {64, 8}, 0, {random_f32(9 * 1024 * 512, 1), out_f32(9 * 1024 * 512), i32(1024), i32(512)}});
  c.push_back({"diffusion", t, "diffusion", {128, 64}, {16, 16}, 0, {random_f32(2 * M, 1), out_f32(2 * M), i32(2048), i32(1024), f32(0.05)}});
  c.push_back({"red_black", t, "red_black", {64, 256}, {32, 8}, 0, {inout(random_f32(4 * M, 1), Arg::F32), random_f32(4 * M, 2), i32(2048), i32(2048), i32(1)}});
}

inline void add_dense(std::vector<Case>& c) {
  const char* t = "dense";
  c.push_back({"gemv_row_thread", t, "gemv_row_thread", 528, 128, 0, {random_f32(528 * 128 * 128, 1), random_f32(128, 2), out_f32(528 * 128), i32(528 * 128), i32(128)}});
  c.push_back({"gemv_row_warp", t, "gemv_row_warp", 1024, 256, 0, {random_f32(8 * M, 1), random_f32(1024, 2), out_f32(8192), i32(8192), i32(1024)}});
  c.push_back({"gemv_transposed", t, "gemv_transposed", 132, 128, 0, {random_f32(512 * 16896, 1), random_f32(512, 2), out_f32(16896), i32(512), i32(16896)}});
  c.push_back({"gemv_cta", t, "gemv_cta", 2112, 256, 0, {random_f32(2112 * 4096, 1), random_f32(4096, 2), out_f32(2112), i32(1024)}});
  c.push_back({"gemm_plain", t, "gemm_plain", {16, 64}, {32, 8}, 0, {random_f32(512 * 128, 1), random_f32(512 * 128, 2), out_f32(512 * 512), i32(512), i32(128)}});
  c.push_back({"gemm_memory_sum", t, "gemm_memory_sum", {16, 64}, {32, 8}, 0,
               {random_f32(512 * 64, 1), random_f32(64 * 512, 2), inout(random_f32(512 * 512, 3), Arg::F32), i32(512), i32(64)}});
  c.push_back({"gemm_tile16", t, "gemm_tile16", {32, 33}, {16, 16}, 0, {random_f32(528 * 192, 1), random_f32(192 * 512, 2), out_f32(528 * 512), i32(512), i32(192)}});
  c.push_back({"gemm_4x4", t, "gemm_4x4", {16, 16}, 256, 0, {random_f32(1024 * 128, 1), random_f32(1024 * 128, 2), out_f32(M), i32(1024), i32(128)}});
  c.push_back({"gemm_8x8", t, "gemm_8x8", {12, 11}, 256, 0, {random_f32(1408 * 96, 1), random_f32(96 * 1536, 2), out_f32(1408 * 1536), i32(1536), i32(96)}});
  c.push_back({"gemm_f64", t, "gemm_f64", {16, 16}, 256, 0, {random_f64(512 * 256, 1), random_f64(512 * 256, 2), out_f64(512 * 512), i32(512), i32(256)}});
  c.push_back({"gemm_half2", t, "gemm_half2", {8, 64}, {32, 8}, 0, {random_f16(512 * 128, 1), random_f16(256 * 256, 2), out_u32(512 * 256), i32(256), i32(256)}});
  c.push_back({"gemm_wmma", t, "gemm_wmma", {32, 32}, 128, 0, {random_f16(1024 * 384, 1), random_f16(768 * 512, 2), out_f32(M), i32(1024), i32(768)}});
  c.push_back({"rank_update", t, "rank_update", {16, 64}, {32, 8}, 0, {random_f32(512 * 128, 1), inout(random_f32(512 * 512, 2), Arg::F32), i32(512), i32(128)}});
  c.push_back({"outer_product", t, "outer_product", {16, 66}, 256, 0, {random_f32(4096, 1), random_f32(2048, 2), inout(random_f32(8 * M, 3), Arg::F32), i32(4096), i32(2048)}});
  c.push_back({"covariance", t, "covariance", {2, 512}, 256, 0, {random_f32(128 * 512, 1), random_f32(512, 2), out_f32(512 * 512), i32(128), i32(512)}});
  c.push_back({"small_products", t, "small_products", 1024, 256, 0, {random_f32(4 * M, 1), random_f32(4 * M, 2), out_f32(4 * M), i32(256 * K)}});
  c.push_back({"small_cholesky", t, "small_cholesky", 1024, 128, 0, {random_f32(36 * 128 * K, 1), out_f32(36 * 128 * K), i32(128 * K)}});
  c.push_back({"lu_tiles", t, "lu_tiles", 528, {32, 8}, 0, {inout(random_f32(528 * 1024, 1), Arg::F32)}});
  c.push_back({"triangular_solve", t, "triangular_solve", 1056, 128, 0, {random_f32(1024, 1), inout(random_f32(32 * 1056 * 128, 2), Arg::F32), i32(1056 * 128)}});
  c.push_back({"conv_channels", t, "conv_channels", {2, 8, 33}, {32, 8}, 0,
               {random_f32(24 * 4096, 1), random_f32(33 * 24 * 9, 2), out_f32(33 * 4096), i32(64), i32(64), i32(24)}});
  c.push_back({"conv_depthwise", t, "conv_depthwise", {4, 16, 132}, {32, 8}, 0, {random_f32(132 * 128 * 128, 1), random_f32(132 * 9, 2), out_f32(132 * 128 * 128), i32(128), i32(128)}});
  c.push_back({"conv_pointwise", t, "conv_pointwise", {66, 8}, 256, 0, {random_f32(96 * 16896, 1), random_f32(32 * 96, 2), out_f32(32 * 16896), i32(16896), i32(96)}});
  c.push_back({"max_pool", t, "max_pool", 3136, 256, 0, {random_f32(112 * 112 * 256, 1), out_f32(56 * 56 * 256), i32(112), i32(112), i32(256)}});
}

inline void add_sparse(std::vector<Case>& c) {
  const char* t = "sparse";
  const unsigned v = 192 * K, e = 24 * v;  // no more edges than this are read by index
  auto begin = [&] { return graph_begin(v); };
  auto column = [&] { return graph_column(v); };
  c.push_back({"csr_scalar", t, "csr_scalar", v / 128, 128, 0, {begin(), column(), random_f32(e, 1), random_f32(v, 2), out_f32(v), i32(v)}});
  c.push_back({"csr_vector", t, "csr_vector", v / 8, 256, 0, {begin(), column(), random_f32(e, 1), random_f32(v, 2), out_f32(v), i32(v)}});
  c.push_back({"ell_columns", t, "ell_columns", 1056, 256, 0, {ell_columns(1056 * 256, 12, 1), random_f32(1056 * 256 * 12, 2), random_f32(1056 * 256, 3), out_f32(1056 * 256), i32(1056 * 256), i32(12)}});
  c.push_back({"coo_atomic", t, "coo_atomic", 8192, 256, 0, {random_range(2 * M, 1, 0, 64 * K), random_range(2 * M, 2, 0, 64 * K), random_u32(2 * M, 3), random_u32(64 * K, 4), out_u32(64 * K), i32(2 * M)}});
  c.push_back({"csr_dense", t, "csr_dense", 32 * K / 8, 256, 0, {graph_begin(32 * K), graph_column(32 * K), random_f32(24 * 32 * K, 1), random_f32(32 * 32 * K, 2), out_f32(32 * 32 * K), i32(32 * K)}});
  c.push_back({"bfs_level", t, "bfs_level", v / 256, 256, 0, {begin(), column(), inout(levels(v, 1, 3), Arg::U32), i32(v), i32(3)}});
  c.push_back({"bfs_queue", t, "bfs_queue", 2112, 256, 0, {begin(), column(), random_range(16896, 1, 0, v), i32(16896), inout(levels(v, 2, 3), Arg::U32), out_u32(1), i32(3)}});
  c.push_back({"pagerank_pull", t, "pagerank_pull", v / 256, 256, 0, {begin(), column(), random_f32(v, 1), graph_degree(v), out_f32(v), i32(v)}});
  c.push_back({"sssp_relax", t, "sssp_relax", v / 256, 256, 0, {begin(), column(), random_u32(e, 1), levels(v, 3, 1000), inout(filled(v, 900), Arg::U32), i32(v)}});
  c.push_back({"triangles", t, "triangles", 512, 256, 0, {begin(), column(), graph_source(v), out_u32(128 * K), i32(128 * K)}});
  c.push_back({"label_hook", t, "label_hook", v / 256, 256, 0, {begin(), column(), random_range(v, 1, 0, v), out_u32(v), i32(v)}});
  c.push_back({"first_colour", t, "first_colour", v / 128, 128, 0, {begin(), column(), random_range(v, 1, 0, 32), out_u32(v), i32(v)}});
}

inline void add_physics(std::vector<Case>& c) {
  const char* t = "physics";
  c.push_back({"gravity_shared", t, "gravity_shared", 132, 128, 0, {random_f32(4 * 16896, 1), out_f32(4 * 16896), i32(640)}});
  c.push_back({"gravity_plain", t, "gravity_plain", 264, 128, 0, {random_f32(264 * 128, 1), random_f32(264 * 128, 2), random_f32(264 * 128, 3), out_f32(264 * 128), out_f32(264 * 128), i32(128)}});
  c.push_back({"lennard_jones", t, "lennard_jones", 1056, 128, 0,
               {random_f32(4 * 1056 * 128, 1), random_range(32 * 1056 * 128, 2, 0, 1056 * 128), out_f32(4 * 1056 * 128), i32(1056 * 128), i32(32), f32(0.25)}});
  c.push_back({"cell_pairs", t, "cell_pairs", 256, 128, 0,
               {made([] { return list_begins(32 * K, 1, 3); }), random_f32(3 * 32 * K, 2), random_f32(3 * 32 * K, 3), random_f32(3 * 32 * K, 4), out_u32(32 * K), i32(32), f32(0.2)}});
  c.push_back({"monte_carlo_pi", t, "monte_carlo_pi", 528, 256, 0, {out_u32(528 * 256), i32(64)}});
  c.push_back({"price_paths", t, "price_paths", 528, 256, 0, {out_f32(528 * 256), i32(48), f32(0.0005), f32(0.02)}});
  c.push_back({"binomial_tree", t, "binomial_tree", 264, 256, 0, {random_f32(264, 1), random_f32(264, 2), out_f32(264), i32(240), f32(1.02), f32(0.51), f32(0.9998)}});
  c.push_back({"random_walk", t, "random_walk", 512, 128, 0, {random_u32(64 * K, 1), out_u32(64 * K), i32(64 * K)}});
  c.push_back({"ising", t, "ising", {4, 2048}, 256, 0, {inout(random_u32(M, 1), Arg::U32), i32(2048), i32(2048), i32(0), u32(12345)}});
  c.push_back({"nearest_centre", t, "nearest_centre", 1024, 256, 0, {random_f32(8 * 256 * K, 1), random_f32(8 * 24, 2), out_u32(256 * K), i32(256 * K), i32(24)}});
  c.push_back({"trace_spheres", t, "trace_spheres", {32, 48}, {16, 8}, 0, {random_f32(4 * 40, 1), i32(40), out_f32(512 * 384), i32(512), i32(384)}});
  c.push_back({"fft_radix2", t, "fft_radix2", 3168, 256, 0, {inout(random_f32(3168 * 1024, 1), Arg::F32)}});
  c.push_back({"fft_pass4", t, "fft_pass4", 2048, 256, 0, {random_f32(4 * M, 1), out_f32(4 * M), i32(2 * M), i32(1024)}});
  c.push_back({"walsh_pass_far", t, "walsh_pass", 8192, 256, 0, {inout(random_f32(8 * M, 1), Arg::F32), i32(8 * M), i32(4096)}});
  c.push_back({"walsh_pass_near", t, "walsh_pass", 8192, 256, 0, {inout(random_f32(8 * M, 1), Arg::F32), i32(8 * M), i32(1)}});
  c.push_back({"sample_phases", t, "sample_phases", 528, 128, 0, {random_f32(4 * 160, 1), random_f32(528 * 128, 2), random_f32(528 * 128, 3), out_f32(2 * 528 * 128), i32(528 * 128), i32(160)}});
  c.push_back({"align_tiles", t, "align_tiles", 132, 32, 0, {random_u32(4225 * 4225, 1), inout(random_range(4225 * 4225, 2, 0, 100), Arg::U32), i32(4225), i32(131), i32(3)}});
  c.push_back({"cheapest_path", t, "cheapest_path", 4370, 256, 0, {random_u32(8 * M, 1), random_range(M, 2, 0, 1000), out_u32(M), i32(M), i32(8)}});
}

inline void add_bytes(std::vector<Case>& c) {
  const char* t = "bytes";
  const unsigned n = 1056 * 256;
  c.push_back({"count_char", t, "count_char", 1056, 256, 0, {random_u32(8 * n, 1), out_u32(n), i32(32), u32('e')}});
  c.push_back({"count_words", t, "count_words", 264, 256, 0, {random_u32(32 * 264 * 256, 1), out_u32(264 * 256), i32(128)}});
  c.push_back({"match_naive", t, "match_naive", 8192, 256, 0, {random_u32(M / 2 + 16, 1), random_u32(4, 2), out_u32(2 * M), i32(2 * M), i32(16)}});
  c.push_back({"match_automaton", t, "match_automaton", 528, 256, 0, {random_u32(16 * 528 * 256, 1), random_u32(256, 2), out_u32(528 * 256), i32(528 * 256), i32(64)}});
  c.push_back({"edit_distance", t, "edit_distance", 1024, 256, 0, {random_u32(3 * 256 * K, 1), random_u32(3 * 256 * K, 2), out_u32(256 * K), i32(256 * K)}});
  c.push_back({"upper_case", t, "upper_case", 16384, 256, 0, {inout(random_u32(4 * M, 1), Arg::U32), i32(4 * M)}});
  c.push_back({"base64", t, "base64", 8192, 256, 0, {random_u32(3 * M / 2, 1), random_u32(16, 2), out_u32(2 * M), i32(2 * M)}});
  c.push_back({"dot_bytes", t, "dot_bytes", 1024, 256, 0, {random_u32(4 * 8 * 256 * K, 1), random_u32(32, 2), out_u32(256 * K), i32(256 * K), i32(8)}});
  c.push_back({"blend_u16", t, "blend_u16", 8192, 256, 0, {random_u32(4 * M, 1), random_u32(4 * M, 2), out_u32(4 * M), i32(2 * M), u32(77)}});
  c.push_back({"block_sad", t, "block_sad", 985, 256, 0, {random_u32(256 * K, 1), random_u32(256 * K, 2), out_u32(985 * 256), i32(2048), i32(254 * 62)}});
  c.push_back({"half_axpy", t, "half_axpy", 4 * M / 256, 256, 0, {random_f16(4 * M, 1), inout(random_f16(4 * M, 2), Arg::U32), i32(4 * M), f32(0.5)}});
  c.push_back({"half_to_float", t, "half_to_float", 8 * M / 256, 256, 0, {random_f16(4 * M, 1), out_f32(8 * M), i32(8 * M)}});
  c.push_back({"run_lengths", t, "run_lengths", 1056, 256, 0, {random_u32(8 * n, 1), out_u32(n), i32(32)}});
}

inline void add_occupancy(std::vector<Case>& c) {
  const char* t = "occupancy";
  const unsigned n = 528 * 256;
  c.push_back({"chain_one_warp", t, "chain_fma", 132, 32, 0, {random_f32(32, 1), out_f32(132 * 32), i32(8192)}});
  c.push_back({"chain_last_wave", t, "chain_fma", 2122, 256, 0, {random_f32(256, 1), out_f32(2122 * 256), i32(256)}});
  c.push_back({"chains_fma4", t, "chains_fma4", 132, 128, 0, {random_f32(128, 1), out_f32(132 * 128), i32(2048)}});
  c.push_back({"mixed_latency", t, "mixed_latency", 132, 32, 0, {random_u32(M, 1), out_f32(132 * 32), i32(M - 1), i32(48)}});
  c.push_back({"sum_dependent", t, "sum_dependent", 132, 128, 0, {random_f32(M, 1), out_f32(132 * 128), i32(M)}});
  c.push_back({"sum_unrolled", t, "sum_unrolled", 132, 128, 0, {random_f32(4 * M, 1), out_f32(132 * 128), i32(4 * M)}});
  c.push_back({"big_shared", t, "big_shared", 132, 256, 200000, {random_f32(50000, 1), out_f32(132 * 256), i32(50000), i32(512)}});
  c.push_back({"many_registers", t, "many_registers", 528, 256, 0, {random_f32(M, 1), out_f32(n), i32(M), i32(16)}});
  c.push_back({"spilled_registers", t, "spilled_registers", 528, 256, 0, {random_f32(M, 1), out_f32(n), i32(M), i32(16)}});
  c.push_back({"local_histogram", t, "local_histogram", 528, 256, 0, {random_u32(32 * n, 1), out_u32(n), i32(n), i32(32)}});
  c.push_back({"local_stack", t, "local_stack", 528, 128, 0, {tree_children(1, 512, 1), random_f32(512, 2), out_f32(528 * 128), i32(4096)}});
  c.push_back({"insertion_sort", t, "insertion_sort", 1056, 128, 0, {random_f32(16 * 1056 * 128, 1), out_f32(16 * 1056 * 128), i32(1056 * 128)}});
  c.push_back({"loop_constant", t, "loop_constant", 4096, 256, 0, {random_f32(M, 1), out_f32(M), i32(M)}});
  c.push_back({"loop_branchy", t, "loop_branchy", 2048, 256, 0, {random_f32(512 * K, 1), out_f32(512 * K), i32(512 * K), i32(24)}});
  c.push_back({"loop_two_loads", t, "loop_two_loads", 2048, 256, 0, {random_f32(512 * K, 1), random_f32(512 * K, 2), out_f32(2 * M), i32(512 * K), i32(16)}});
  c.push_back({"loop_pipelined", t, "loop_pipelined", 2048, 256, 0, {random_f32(M, 1), out_f32(512 * K), i32(M), i32(16)}});
  c.push_back({"uneven_ctas", t, "uneven_ctas", 1500, 256, 0, {random_f32(4 * M, 1), out_f32(1500 * 256), i32(4 * M)}});
  c.push_back({"few_long_ctas", t, "few_long_ctas", 2112, 256, 0, {random_f32(512 * K, 1), out_f32(2112 * 256), i32(512 * K)}});
  c.push_back({"tiny_ctas_32", t, "tiny_ctas", 67584, 32, 0, {random_f32(67584 * 32, 1), out_f32(67584)}});
  c.push_back({"tiny_ctas_64", t, "tiny_ctas", 50688, 64, 0, {random_f32(50688 * 64, 1), out_f32(2 * 50688)}});
  c.push_back({"specialised_warps", t, "specialised_warps", 1056, 256, 0, {random_f32(1056 * 8 * 128, 1), out_f32(1056 * 128), i32(8)}});
  c.push_back({"copies_async", t, "copies_async", 528, 256, 0, {random_f32(528 * 16 * 1024, 1), out_f32(528 * 1024), i32(16)}});
}

inline void add_brief(std::vector<Case>& c) {
  const char* t = "brief";
  const unsigned n = 264 * 256;
  c.push_back({"brief_nothing", t, "brief_nothing", 132, 128, 0, {out_u32(132)}});
  c.push_back({"brief_add", t, "brief_add", 264, 256, 0, {random_f32(n, 1), random_f32(n, 2), out_f32(n), i32(n)}});
  c.push_back({"brief_arguments", t, "brief_arguments", 528, 256, 0,
               {random_f32(2 * n, 1), random_f32(2 * n, 2), random_f32(2 * n, 3), random_f32(2 * n, 4), out_f32(2 * n), i32(2 * n), f32(0.5), f32(0.25), f32(2), f32(3)}});
  c.push_back({"brief_reduce", t, "brief_reduce", 1, 1024, 0, {random_f32(16 * K, 1), out_f32(1), i32(16 * K)}});
  c.push_back({"brief_gemv", t, "brief_gemv", 132, 256, 0, {random_f32(1056 * 512, 1), random_f32(512, 2), out_f32(1056), i32(512)}});
  c.push_back({"brief_stencil", t, "brief_stencil", {16, 32}, {32, 8}, 0, {random_f32(512 * 256, 1), out_f32(512 * 256), i32(512), i32(256)}});
  c.push_back({"brief_transpose", t, "brief_transpose", {16, 16}, {32, 8}, 0, {random_f32(512 * 512, 1), out_f32(512 * 512), i32(512)}});
  c.push_back({"brief_scan", t, "brief_scan", 264, 256, 0, {random_u32(n, 1), out_u32(n)}});
  c.push_back({"brief_gather", t, "brief_gather", 264, 256, 0, {random_u32(n, 1), random_f32(256 * K, 2), out_f32(n), i32(256 * K - 1)}});
  c.push_back({"brief_atomic", t, "brief_atomic", 264, 256, 0, {random_u32(n, 1), out_u32(64)}});
  c.push_back({"brief_special", t, "brief_special", 264, 256, 0, {random_f32(n, 1), out_f32(n)}});
  c.push_back({"brief_f64", t, "brief_f64", 264, 256, 0, {random_f64(n, 1), out_f64(n), i32(n)}});
  c.push_back({"brief_branches", t, "brief_branches", 528, 256, 0, {random_f32(2 * n, 1), out_f32(2 * n), i32(2 * n)}});
  c.push_back({"brief_chain", t, "brief_chain", 132, 32, 0, {cycle(1024, 1), out_u32(132 * 32)}});
  c.push_back({"brief_long_code", t, "brief_long_code", 264, 256, 0, {random_f32(n, 1), out_f32(n), i32(n)}});
}

inline void add_more(std::vector<Case>& c) {
  const char* t = "more";
  const unsigned n = 512 * K, v = 192 * K, e = 24 * v;
  auto words = [](std::size_t count, unsigned seed) { return random_u32(count, seed).make; };
  auto floats = [](std::size_t count, unsigned seed) { return random_f32(count, seed).make; };
  c.push_back({"sbox_rounds", t, "sbox_rounds", 1024, 256, 0, {random_u32(n, 1), out_u32(n), i32(256 * K), i32(8)}, {{"c_sbox", words(256, 3)}}});
  c.push_back({"filter7", t, "filter7", {32, 128}, {32, 8}, 0, {random_f32(M, 1), out_f32(M), i32(1024), i32(1024)}, {{"c_seven", floats(49, 3)}}});
  c.push_back({"lights_by_block", t, "lights_by_block", 1024, 256, 0, {random_f32(n, 1), out_f32(n), i32(256 * K), i32(48)}, {{"c_lights", floats(4096, 3)}}});
  c.push_back({"words_in_order", t, "words_in_order", 1056, 256, 0, {random_f32(n, 1), out_f32(n), i32(1056 * 256), i32(1024)}, {{"c_words", floats(8192, 3)}}});
  c.push_back({"piecewise", t, "piecewise", 2048, 256, 0, {random_f32(n, 1), out_f32(n), i32(n)}, {{"c_lights", floats(4096, 3)}}});
  c.push_back({"words_apart", t, "words_apart", 1056, 256, 0, {out_f32(n), i32(128)}, {{"c_words", floats(8192, 3)}}});
  c.push_back({"texture_zoom", t, "texture_zoom", {64, 128}, {32, 8}, 0, {texture(random_f32(256 * K, 1), 512, 512, true), out_f32(2 * M), i32(2048), f32(0.25)}});
  c.push_back({"texture_transpose", t, "texture_transpose", {32, 128}, {32, 8}, 0, {texture(random_f32(M, 1), 1024, 1024), out_f32(M), i32(1024)}});
  c.push_back({"texture_random", t, "texture_random", 2048, 256, 0, {texture(random_f32(M, 1), 1024, 1024), random_u32(n, 2), out_f32(n), i32(n), i32(1023)}});
  c.push_back({"texture_march", t, "texture_march", {32, 64}, {32, 8}, 0, {texture(random_f32(M, 1), 1024, 1024, true), out_f32(n), i32(1024), i32(64)}});
  c.push_back({"texture_quads", t, "texture_quads", 2048, 256, 0, {quads(texture(random_f32(M, 1))), random_u32(n, 2), out_f32(n), i32(n), i32(256 * K - 1)}});
  c.push_back({"texture_bars", t, "texture_bars", {32, 64}, {32, 8}, 0, {texture(random_f32(M, 1), 1024, 1024), out_f32(n), i32(1024), i32(1024), i32(8)}});
  c.push_back({"pairs_of_quads", t, "pairs_of_quads", 512, 128, 0, {random_f32(4 * 64 * K, 1), random_range(32 * 64 * K, 2, 0, 64 * K), out_f32(4 * 64 * K), i32(64 * K), i32(32), f32(0.25)}});
  c.push_back({"lennard_jones_f64", t, "lennard_jones_f64", 512, 128, 0, {random_f64(64 * K, 1), random_f64(64 * K, 2), out_f64(64 * K), i32(64 * K), i32(32)}});
  c.push_back({"gravity_f64", t, "gravity_f64", 264, 128, 0, {random_f64(33792, 1), random_f64(33792, 2), random_f64(33792, 3), out_f64(33792), i32(128)}});
  c.push_back({"kepler", t, "kepler", 512, 128, 0, {random_f64(64 * K, 1), out_f64(64 * K), i32(64 * K), f64(0.3)}});
  c.push_back({"exponentials_f64", t, "exponentials_f64", 1024, 256, 0, {random_f64(256 * K, 1), out_f64(256 * K), i32(256 * K)}});
  c.push_back({"smoothed_density", t, "smoothed_density", 4096, 64, 0, {random_f32(4 * 4096 * 60, 1), made([] { return list_begins(4096, 1, 60); }), out_f32(4096 * 60), i32(4096), f32(0.1)}});
  c.push_back({"lattice", t, "lattice", 2048, 256, 0, {random_f32(9 * n, 1), out_f32(9 * n), i32(n)}});
  c.push_back({"spins_of_bytes", t, "spins_of_bytes", {4, 1024}, {256}, 0, {inout(random_range(n, 1, 0, 0x02020202), Arg::U32), i32(2048), i32(0), f32(0.44), i32(7)}});
  c.push_back({"springs", t, "springs", {32, 64}, {32, 8}, 0, {random_f32(n, 1), random_f32(n, 2), random_f32(n, 3), out_f32(n), i32(1024), i32(512)}});
  c.push_back({"tree_walk", t, "tree_walk", 512, 128, 0, {tree_children(1, 512, 1), random_f32(512, 2), out_f32(64 * K), i32(64 * K), f32(0.2)}});
  c.push_back({"neutrons", t, "neutrons", 512, 128, 0, {out_f64(64 * K), i32(64 * K), i32(64)}});
  c.push_back({"rows_by_block", t, "rows_by_block", 32 * K, 128, 0, {graph_begin(v), graph_column(v), random_f32(e, 1), random_f32(v, 2), out_f32(v)}});
  c.push_back({"rows_by_four", t, "rows_by_four", v / 64, 256, 0, {graph_begin(v), graph_column(v), random_f32(e, 1), random_f32(v, 2), out_f32(v), i32(v)}});
  c.push_back({"hash_product", t, "hash_product", 2112, 128, 0, {graph_begin(v), graph_column(v), out_u32(v), i32(v)}});
  c.push_back({"sampled_product", t, "sampled_product", 8192, 256, 0, {random_range(64 * K, 1, 0, 32 * K), random_range(64 * K, 2, 0, 32 * K), random_f32(M, 3), random_f32(M, 4), out_f32(64 * K), i32(64 * K)}});
  c.push_back({"find_roots", t, "find_roots", 1024, 256, 0, {inout(smaller(256 * K, 1), Arg::U32, Arg::None), out_u32(256 * K), i32(256 * K)}});
  c.push_back({"merge_lists", t, "merge_lists", 512, 256, 0, {sorted_u32(M, 1), sorted_u32(M, 2), out_u32(2 * M), i32(M), i32(16)}});
  c.push_back({"common_neighbours", t, "common_neighbours", 4096, 256, 0, {graph_begin(v), graph_column(v), graph_source(v), out_u32(32 * K), i32(32 * K)}});
  c.push_back({"hundred_registers", t, "hundred_registers", 528, 128, 0, {random_f32(n, 1), out_f32(n), i32(16)}});
  c.push_back({"spilled", t, "spilled", 132, 1024, 0, {random_f32(n, 1), out_f32(n), i32(8)}});
  c.push_back({"local_bins", t, "local_bins", 512, 128, 0, {random_u32(64 * 64 * K, 1), out_u32(64 * K), i32(64 * K), i32(64)}});
  c.push_back({"much_shared", t, "much_shared", 264, 512, 100 * K, {random_f32(264 * 25 * K, 1), out_f32(n), i32(25 * K)}});
  c.push_back({"small_blocks", t, "small_blocks", 16384, 32, 0, {random_f32(n, 1), out_f32(n)}});
  c.push_back({"one_more_block", t, "one_more_block", 133, 1024, 0, {out_f32(n), i32(512)}});
  c.push_back({"rounds_of_barriers", t, "rounds_of_barriers", 264, 1024, 0, {out_f32(n), i32(32)}});
  c.push_back({"few_warps_load", t, "few_warps_load", 132, 64, 0, {random_f32(M, 1), out_f32(16 * K), i32(M), i32(8448)}});
  c.push_back({"uneven_blocks", t, "uneven_blocks", 2048, 128, 0, {random_f32(n, 1), out_f32(n), i32(64)}});
  c.push_back({"div_large_u64", t, "div_large_u64", 1024, 256, 0, {random_u32(2 * n, 1), random_u32(2 * n, 2), out_u32(2 * n), i32(256 * K)}});
  c.push_back({"montgomery", t, "montgomery", 1024, 256, 0, {random_u32(2 * n, 1), out_u32(2 * n), i32(256 * K), value(std::uint64_t{0xffffffff00000001}), value(std::uint64_t{0xffffffff00000001}), i32(16)}});
  c.push_back({"message_digest", t, "message_digest", 1024, 256, 0, {random_u32(16 * 256 * K, 1), out_u32(256 * K), i32(256 * K)}});
  c.push_back({"packed_bytes", t, "packed_bytes", 2048, 256, 0, {random_u32(n, 1), random_u32(n, 2), out_u32(n), i32(n), i32(16)}});
  c.push_back({"bitboards", t, "bitboards", 1024, 256, 0, {random_u32(2 * n, 1), out_u32(n), i32(256 * K), i32(16)}});
  c.push_back({"integer_roots", t, "integer_roots", 2048, 256, 0, {random_u32(n, 1), out_u32(n), i32(n)}});
  c.push_back({"fixed_point", t, "fixed_point", 1024, 256, 0, {random_u32(n, 1), out_u32(n), i32(256 * K), i32(24)}});
  c.push_back({"tile_index", t, "tile_index", 4096, 256, 0, {random_f32(2 * M, 1), out_f32(M), i32(1000000), i32(17), i32(23), i32(29)}});
  c.push_back({"accurate_functions", t, "accurate_functions", 1024, 256, 0, {random_f32(n, 1), out_f32(n), i32(256 * K)}});
  c.push_back({"hypotenuses", t, "hypotenuses", 1024, 256, 0, {random_f32(n, 1), random_f32(n, 2), out_f32(n), i32(256 * K)}});
  c.push_back({"rounding", t, "rounding", 1024, 256, 0, {random_f32(n, 1), out_f32(n), i32(256 * K), i32(12)}});
}

inline std::vector<Case> cases() {
  std::vector<Case> c;
  add_divergence(c), add_integer(c), add_math(c), add_atomics(c), add_gather(c), add_constants(c), add_shared(c), add_cooperative(c);
  add_stream(c), add_stencil(c), add_dense(c), add_sparse(c), add_physics(c), add_bytes(c), add_occupancy(c), add_brief(c), add_more(c);
  return c;
}

}  // namespace training
