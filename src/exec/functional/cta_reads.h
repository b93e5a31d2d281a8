// What the CTAs of a launch read: it is executed, and what it did is undone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "exec/functional/functional_device.h"
#include "workload/cta_reads.h"

namespace heddle::exec {

// Notes the lines of global loads, textures and copies to shared memory, in bounded memory: when there are
// more than `most` pairs of a CTA and a line, it goes on with every second line.
class ReadLines final : public AccessObserver {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{16} << 20;
  ReadLines(std::uint64_t ctas, std::uint32_t line_bytes, std::uint64_t most = kMost);

  void accessed(std::uint64_t cta, const Access& access) override;
  void read(std::uint64_t cta, std::uint64_t line);
  workload::CtaReads take();

 private:
  struct OfCta {
    std::vector<std::uint64_t> lines;
    std::size_t sort_at = 1024;
  };
  struct Recent {
    std::uint64_t cta = ~std::uint64_t{0}, line = 0;
  };
  bool listed(std::uint64_t line) const;
  void sort(OfCta& cta);
  void shrink();

  std::uint32_t line_bytes_;
  std::uint64_t most_, one_of_ = 1, pairs_ = 0;
  std::vector<OfCta> ctas_;
  std::array<Recent, 1024> recent_{};  // most accesses are to lines that were just noted
};

// Unknown for kernels that allocate memory or launch others, for more than `kMostSaved` bytes of device
// memory, and where the launch fails: whoever runs it in earnest will hear why.
inline constexpr std::uint64_t kMostSaved = std::uint64_t{2} << 30;
workload::CtaReads reads_of_ctas(mem::DeviceMemory& memory, const LaunchData& launch,
                                 const FunctionalOptions& options, std::uint32_t line_bytes);

}  // namespace heddle::exec
