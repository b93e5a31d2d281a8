#include "workload/observed_stream.h"

#include <algorithm>
#include <utility>

namespace heddle::workload {

class ObservedGrid::Cta final : public CtaStream {
 public:
  Cta(ObservedGrid& grid, std::uint32_t sm) : grid_(grid), sm_(sm) {}
  void start(CtaStream* stream) {
    stream_ = stream;
    code_ = grid_.code().instr;
  }
  CtaStream* stream() const { return stream_; }

  std::uint64_t id() const override { return stream_->id(); }
  std::uint32_t warps() const override { return stream_->warps(); }
  std::uint32_t pc(std::uint32_t warp) const override { return stream_->pc(warp); }
  const void* running_state(std::uint32_t warp) const override { return stream_->running_state(warp); }
  Issued issue(std::uint32_t warp) override {
    const std::uint32_t at = stream_->pc(warp);
    const Issued result = stream_->issue(warp);
    if (result.event != Issued::Event::Retry)
      grid_.observer_.issued(sm_, stream_->id(), warp, code_[at], result);
    return result;
  }
  std::uint64_t release() override { return stream_->release(); }
  void deliver(std::uint32_t warp, std::uint16_t payload) override { stream_->deliver(warp, payload); }
  void retire_atomic(std::uint16_t payload) override { stream_->retire_atomic(payload); }
  void copied(std::uint16_t payload) override { stream_->copied(payload); }
  std::string place(std::uint32_t warp) const override { return stream_->place(warp); }
  std::uint64_t state(std::uint32_t warp) const override { return stream_->state(warp); }
  std::uint64_t shared_state() const override { return stream_->shared_state(); }

 private:
  ObservedGrid& grid_;
  std::uint32_t sm_;
  CtaStream* stream_ = nullptr;
  std::span<const StaticInstr> code_;
};

ObservedGrid::ObservedGrid(GridStream& grid, StreamObserver& observer, std::uint32_t sms)
    : grid_(grid), observer_(observer), of_sm_(sms) {}

ObservedGrid::~ObservedGrid() = default;

CtaStream* ObservedGrid::start(std::uint64_t id, std::uint32_t sm) {
  OfSm& here = of_sm_[sm];
  if (here.idle.empty()) here.idle.push_back(std::make_unique<Cta>(*this, sm));
  here.ctas.push_back(std::move(here.idle.back()));
  here.idle.pop_back();
  here.ctas.back()->start(grid_.start(id, sm));
  return here.ctas.back().get();
}

void ObservedGrid::finish(CtaStream* cta, std::uint32_t sm) {
  OfSm& here = of_sm_[sm];
  const auto at =
      std::find_if(here.ctas.begin(), here.ctas.end(), [&](const auto& c) { return c.get() == cta; });
  grid_.finish((*at)->stream(), sm);
  here.idle.push_back(std::move(*at));
  here.ctas.erase(at);
}

}  // namespace heddle::workload
