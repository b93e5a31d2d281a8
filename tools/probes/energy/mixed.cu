// Energy of small programs that mix events, on a real card: README.md.
//   nvcc -O3 -std=c++20 -arch=sm_90 mixed.cu -o mixed -ldl && ./mixed --all > mixed.csv
#include "mixed_compute.h"
#include "mixed_dense.h"
#include "mixed_irregular.h"

int main(int argc, char** argv) {
  using namespace energy;
  const Options options = parse(argc, argv);
  const std::pair<const char*, Case (*)()> all[] = {{"bfs", bfs},
                                                    {"blackscholes", blackscholes},
                                                    {"conv2d", conv2d},
                                                    {"fft", fft},
                                                    {"gather", gather},
                                                    {"gemm_naive", gemm_naive},
                                                    {"gemm_tensor", gemm_tensor},
                                                    {"gemm_tiled", gemm_tiled},
                                                    {"hash", hash},
                                                    {"histogram", histogram},
                                                    {"hotspot", hotspot},
                                                    {"jacobi_f64", jacobi_f64},
                                                    {"kmeans", kmeans},
                                                    {"mandelbrot", mandelbrot},
                                                    {"nbody", nbody},
                                                    {"reduction", reduction},
                                                    {"scan", scan},
                                                    {"sort", sort},
                                                    {"spmv", spmv},
                                                    {"stencil2d", stencil2d},
                                                    {"stencil3d", stencil3d},
                                                    {"transpose", transpose},
                                                    {"vecadd", vecadd}};
  std::vector<Case> names;
  for (const auto& [name, make] : all) names.emplace_back().name = name;
  split(names, 3);
  // Only those that run are made: their inputs take time and memory.
  std::vector<Case> cases;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!chosen(options, names[i].name)) continue;
    Case c = options.list ? Case() : all[i].second();
    c.name = names[i].name, c.half = names[i].half;
    cases.push_back(std::move(c));
  }
  return Bench(options, std::move(cases)).run();
}
