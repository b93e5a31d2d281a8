// The SMs as a stage of the machine (mem/stage.h): from the accesses of lanes to requests for lines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mem/stage.h"
#include "sm/sm.h"

namespace heddle::sm {

class SmStage final : public mem::Stage {
 public:
  // `layout`: how many there are and how they stand, in words, for the picture.
  // `front`: the kind of load front that `spec` names.
  SmStage(const SmSpec& spec, std::uint32_t sms, std::string layout, const LoadFrontKind& front);
  void attach(Sm& sm) { sms_.push_back(&sm); }

  std::string_view name() const override { return "the SMs"; }
  void declare(stats::Groups& all) const override;
  void declare_meters(stats::Groups& all) const override;
  mem::Edges edges(const stats::Groups& s) const override;
  std::vector<mem::Identity> identities(const stats::Groups& s) const override;
  void funnel(const stats::Groups& s, mem::Funnel& f) const override;
  std::vector<mem::Series> series() const override;
  std::vector<mem::Curve> curves() const override;
  mem::Picture picture() const override;
  std::vector<mem::Structure> structures() const override;

  void collect(stats::Groups& all) const override;
  void collect_meters(stats::Groups& all) const override;
  void clear_statistics() override;
  void read_series(sim::Cycle now, std::uint64_t* into) const override;
  bool idle() const override;
  void kernel_end() override;

 private:
  SmSpec spec_;
  std::uint32_t count_;
  std::string layout_;
  LoadFrontKind front_kind_;
  std::unique_ptr<LoadFront> front_;  // one more, to ask; nullptr: in order
  std::vector<Sm*> sms_;
};

}  // namespace heddle::sm
