// Programs and kernels by name: what a word means, and what is said where it means nothing.
#include "workload/directory.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "workload/one_kernel.h"

namespace heddle::workload {
namespace {

using testing::HasSubstr;

// Launches its kernels in order, the first one again at the end.
class Program final : public Workload {
 public:
  Program(std::string name, std::string abbreviation, std::vector<KernelInfo> kernels,
          std::vector<std::string> also = {}) {
    info_.also = std::move(also);
    info_.name = std::move(name);
    info_.abbreviation = std::move(abbreviation);
    info_.summary = "a program";
    info_.kernels = std::move(kernels);
  }
  const WorkloadInfo& info() const override { return info_; }
  Parameters parameters(const RunOptions& o) const override {
    return {{"scale", std::string(workload::name(o.scale))}};
  }
  Verification run(Device& device, const RunOptions& options) const override {
    for (const KernelInfo& k : info_.kernels)
      if (options.scale != Scale::Paper || k.function != "second") launch(device, k);
    launch(device, info_.kernels.front());
    return {true, 1, 0, "exact", ""};
  }

 private:
  static void launch(Device& device, const KernelInfo& kernel) {
    Launch launch;
    launch.kernel = kernel.function;
    device.launch(launch);
  }
  WorkloadInfo info_;
};

class Log final : public Device {
 public:
  DevicePtr allocate(std::uint64_t, std::string_view) override { return DevicePtr::Null; }
  void release(DevicePtr) override {}
  void copy_in(DevicePtr, const void*, std::uint64_t) override {}
  void copy_out(void*, DevicePtr, std::uint64_t) override {}
  void fill(DevicePtr, std::uint8_t, std::uint64_t) override {}
  void load_module(std::string_view, std::string_view) override {}
  DevicePtr symbol(std::string_view, std::uint64_t*) override { return DevicePtr::Null; }
  std::uint64_t texture(const TextureView&) override { return 0; }
  void launch(const Launch& l) override { done.push_back("launch " + l.kernel); }
  void execute(const Launch& l) override { done.push_back("execute " + l.kernel); }
  std::vector<std::string> done;
};

class Names : public testing::Test {
 protected:
  Program two_{"two", "TW", {{"first", ""}, {"second", "SECOND_LABEL"}}, {"Pair", "Two"}};
  Program alone_{"alone", "Al", {{"only", ""}}};
  Program same_{"other", "AL", {{"kernel", "tw"}}};
  const Workload* all_[3] = {&alone_, &same_, &two_};
  Directory names_{all_};

  std::string found(std::string_view word) const {
    const Workload* w = names_.find(word);
    return w == nullptr ? "-" : w->info().name;
  }
  std::string told(std::string_view word) const {
    try {
      names_.require(word);
    } catch (const Error& e) {
      return e.message() + " / " + e.advice();
    }
    return "found";
  }
};

TEST_F(Names, OfProgramsAndKernels) {
  EXPECT_EQ(names_.find("two"), &two_);
  EXPECT_EQ(found("two.1"), "two.1");
  EXPECT_EQ(found("two.2"), "two.2");
  EXPECT_EQ(found("alone.1"), "alone.1");
  for (const char* none : {"", ".", "two.", "two.0", "two.3", "two.01", "two.1.1", "two.-1", ".1"})
    EXPECT_EQ(found(none), "-") << none;
}

TEST_F(Names, OfPapers) {
  EXPECT_EQ(found("TW"), "two");
  EXPECT_EQ(found("TW_2"), "two.2");
  EXPECT_EQ(found("TW.2"), "two.2");
  EXPECT_EQ(found("SECOND_LABEL"), "two.2");
  EXPECT_EQ(found("second_label"), "two.2");
  EXPECT_EQ(found("Two.1"), "two.1");
}

TEST_F(Names, OfFurtherPapers) {
  for (const char* name : {"Pair", "PAIR", "Two"}) EXPECT_EQ(names_.find(name), &two_) << name;
  EXPECT_EQ(found("Pair.1"), "two.1");
  EXPECT_EQ(found("PAIR_2"), "two.2");
  EXPECT_THAT(told("Pairr"), HasSubstr("did you mean 'Pair'?"));
  EXPECT_TRUE(names_.require("two.1").info().also.empty());
}

TEST_F(Names, AsWrittenComesFirstAndWhatIsAmbiguousIsNotFound) {
  EXPECT_EQ(found("Al"), "alone");
  EXPECT_EQ(found("AL"), "other");
  EXPECT_EQ(found("al"), "-");
  EXPECT_EQ(found("tw"), "other.1");
  EXPECT_THAT(told("al"), HasSubstr("'al' may mean alone or other"));
}

TEST_F(Names, WrongOnesAreToldWhatThereIs) {
  EXPECT_EQ(told("two.3"), "two has no kernel '3' / two has 2 kernels: two.1 (first), two.2 (second).");
  EXPECT_EQ(told("alone.x"), "alone has no kernel 'x' / It has one kernel: alone.1 (only).");
  EXPECT_EQ(told("TW.7"), "two has no kernel '7' / two has 2 kernels: two.1 (first), two.2 (second).");
  EXPECT_EQ(told("twoo"), "no workload is called 'twoo' / did you mean 'two'?");
  EXPECT_THAT(told("SECOND_LABLE"), HasSubstr("did you mean 'SECOND_LABEL'?"));
  EXPECT_THAT(told("nothing like it"), HasSubstr("heddle list"));
}

TEST_F(Names, AKernelSaysWhatItIs) {
  const WorkloadInfo& first = names_.require("two.1").info();
  EXPECT_EQ(first.abbreviation, "TW_1");
  EXPECT_EQ(first.summary, "kernel first of two: a program");
  ASSERT_EQ(first.kernels.size(), 1u);
  EXPECT_EQ(first.kernels[0].function, "first");
  EXPECT_EQ(names_.require("two.2").info().abbreviation, "SECOND_LABEL");
  EXPECT_EQ(names_.require("two.2").parameters({Scale::Tiny, 1}), two_.parameters({Scale::Tiny, 1}));
}

TEST_F(Names, OneKernelIsLaunchedAndTheOthersAreExecuted) {
  Log log;
  EXPECT_TRUE(names_.require("two.1").run(log, {}).ok);
  EXPECT_EQ(log.done, (std::vector<std::string>{"launch first", "execute second", "launch first"}));
  log.done.clear();
  EXPECT_TRUE(names_.require("two.2").run(log, {}).ok);
  EXPECT_EQ(log.done, (std::vector<std::string>{"execute first", "launch second", "execute first"}));
}

TEST_F(Names, AKernelThatIsNotLaunchedIsAnError) {
  Log log;
  try {
    names_.require("two.2").run(log, {Scale::Paper, 1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "two does not launch the kernel 'second' at scale paper");
  }
}

}  // namespace
}  // namespace heddle::workload
