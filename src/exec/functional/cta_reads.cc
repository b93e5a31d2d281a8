#include "exec/functional/cta_reads.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/image/kernel_image.h"
#include "mem/saved_memory.h"

namespace heddle::exec {
namespace {

// Data that an earlier launch was to make may not be there yet: a loop over it need not end.
constexpr std::uint64_t kSpinLimit = 100'000'000;

std::uint64_t mixed(std::uint64_t line) {
  line *= 0x9e3779b97f4a7c15ull;
  return line ^ line >> 32;
}

std::string obstacle(const mem::DeviceMemory& memory, const KernelImage& image) {
  if (image.uses_heap) return "it allocates device memory, which cannot be undone";
  if (image.launches) return "it launches kernels, which cannot be undone";
  if (memory.used() > kMostSaved)
    return fmt::format("{} MiB of device memory are in use: too much to keep a copy", memory.used() >> 20);
  return {};
}

}  // namespace

ReadLines::ReadLines(std::uint64_t ctas, std::uint32_t line_bytes, std::uint64_t most)
    : line_bytes_(line_bytes), most_(most), ctas_(ctas) {}

void ReadLines::accessed(std::uint64_t cta, const Access& access) {
  if (access.space != ptx::Space::Global || access.write || access.atomic) return;
  std::uint64_t before = ~std::uint64_t{0};
  for (Mask m = access.mask; m != 0; m &= m - 1) {
    const std::uint64_t line = access.address[static_cast<unsigned>(std::countr_zero(m))] / line_bytes_;
    if (line != before) read(cta, line);
    before = line;
  }
}

bool ReadLines::listed(std::uint64_t line) const {
  return (mixed(line) & (one_of_ - 1)) == 0;
}

void ReadLines::read(std::uint64_t cta, std::uint64_t line) {
  Recent& recent = recent_[mixed(line) % recent_.size()];
  if (recent.cta == cta && recent.line == line) return;
  recent = {cta, line};
  if (!listed(line)) return;
  OfCta& c = ctas_[cta];
  c.lines.push_back(line);
  ++pairs_;
  if (c.lines.size() >= c.sort_at) sort(c);
  if (pairs_ > most_) shrink();
}

void ReadLines::sort(OfCta& c) {
  pairs_ -= c.lines.size();
  std::sort(c.lines.begin(), c.lines.end());
  c.lines.erase(std::unique(c.lines.begin(), c.lines.end()), c.lines.end());
  pairs_ += c.lines.size();
  c.sort_at = std::max<std::size_t>(1024, 2 * c.lines.size());
}

void ReadLines::shrink() {
  for (OfCta& c : ctas_) sort(c);
  while (pairs_ > most_ / 2) {
    one_of_ *= 2;
    pairs_ = 0;
    for (OfCta& c : ctas_) {
      std::erase_if(c.lines, [&](std::uint64_t line) { return !listed(line); });
      pairs_ += c.lines.size();
    }
  }
}

workload::CtaReads ReadLines::take() {
  workload::CtaReads reads;
  reads.line_bytes = line_bytes_;
  reads.one_of = one_of_;
  for (OfCta& c : ctas_) {
    sort(c);
    reads.lines.push_back(std::move(c.lines));
  }
  return reads;
}

workload::CtaReads reads_of_ctas(mem::DeviceMemory& memory, const LaunchData& launch,
                                 const FunctionalOptions& options, std::uint32_t line_bytes) {
  if (std::string why = obstacle(memory, *launch.image); !why.empty())
    return workload::CtaReads::unknown(std::move(why));
  ReadLines lines(launch.grid.count(), line_bytes);
  FunctionalOptions watched = options;
  watched.count_accesses = true;
  watched.observer = &lines;
  watched.threads = 1;
  watched.output = nullptr;
  watched.spin_limit = std::min(options.spin_limit, kSpinLimit);
  mem::SavedMemory saved(memory);
  std::string why;
  try {
    FunctionalRunner(watched).run(memory, launch);
  } catch (const Error& e) {
    why = e.message();
  }
  saved.restore();
  return why.empty() ? lines.take() : workload::CtaReads::unknown(std::move(why));
}

}  // namespace heddle::exec
