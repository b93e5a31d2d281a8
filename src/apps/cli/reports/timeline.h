// When each CTA ran where, and counters over time, as a Chrome trace (chrome://tracing, ui.perfetto.dev).
#pragma once

#include <span>
#include <string>

#include "gpu/cta_spans.h"
#include "gpu/gpu_spec.h"
#include "gpu/machine.h"

namespace heddle::cli {

struct Series {
  std::span<const gpu::Sample> samples;
  std::span<const std::string> watched;  // names of Sample::watched
};

// The trace as JSON. One microsecond of the viewer is one core cycle, launch overhead included: whole
// numbers, so that spans nest exactly.
std::string chrome_trace(const gpu::GpuSpec& spec, std::span<const gpu::LaunchResult> launches,
                         const gpu::CtaSpans& ctas, const Series& series);

// The samples as CSV, one row each.
std::string series_csv(const gpu::GpuSpec& spec, std::span<const gpu::LaunchResult> launches,
                       const Series& series);

}  // namespace heddle::cli
