// A launch whose instructions somebody looks at as the timing side issues them. Who does not look pays
// nothing: the launch itself is handed to the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workload/warp_stream.h"

namespace heddle::workload {

class StreamObserver {
 public:
  // Warp `warp` of CTA `cta` on SM `sm` has executed `instr`. SMs run on several host threads: what belongs
  // to one SM is touched by one of them at a time.
  virtual void issued(std::uint32_t sm, std::uint64_t cta, std::uint32_t warp, const StaticInstr& instr,
                      const Issued& result) = 0;
  // All SMs have come to the same time; nobody else is called meanwhile.
  virtual void window_end() = 0;

 protected:
  ~StreamObserver() = default;
};

class ObservedGrid final : public GridStream {
 public:
  // Both outlive this. `sms`: of the machine.
  ObservedGrid(GridStream& grid, StreamObserver& observer, std::uint32_t sms);
  ~ObservedGrid() override;

  std::string_view kernel() const override { return grid_.kernel(); }
  std::uint64_t ctas() const override { return grid_.ctas(); }
  Dim3 shape() const override { return grid_.shape(); }
  CtaNeeds needs() const override { return grid_.needs(); }
  StaticCode code() const override { return grid_.code(); }
  CtaStream* start(std::uint64_t id, std::uint32_t sm) override;
  void finish(CtaStream* cta, std::uint32_t sm) override;

 private:
  class Cta;
  struct alignas(64) OfSm {
    std::vector<std::unique_ptr<Cta>> ctas, idle;
  };
  GridStream& grid_;
  StreamObserver& observer_;
  std::vector<OfSm> of_sm_;
};

}  // namespace heddle::workload
