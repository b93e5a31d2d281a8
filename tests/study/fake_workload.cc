#include "tests/study/fake_workload.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "gpu/simulation_spec.h"

namespace heddle::study {
namespace {

constexpr std::string_view kPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry adds(.param .u64 p)
{
.reg .b64 %rd<3>; .reg .b32 %r<5>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.s32 %r3, %r2, 32, %r1;
mul.wide.u32 %rd2, %r3, 4;
add.s64 %rd1, %rd1, %rd2;
ld.global.u32 %r4, [%rd1];
add.s32 %r4, %r4, %r3;
st.global.u32 [%rd1], %r4;
ret;
}
)";

constexpr std::string_view kMachine = R"(
[gpu]
name = "small"
clusters = 1
sms_per_cluster = 1
[memory]
partitions = 1
row = "4KiB"
)";

}  // namespace

workload::Parameters FakeWorkload::parameters(const workload::RunOptions& options) const {
  return {{"CTAs", fmt::format("{}", options.seed)}};
}

workload::Verification FakeWorkload::run(workload::Device& device,
                                         const workload::RunOptions& options) const {
  if (!log_.empty()) {
    const int file = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const std::string line = fmt::format("{} {} {}\n", info_.name, options.seed, getpid());
    if (write(file, line.data(), line.size()) < 0) std::abort();
    close(file);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
  if (behaviour_ == Behaviour::Throw) throw Error("this cannot run", "take another");
  if (behaviour_ == Behaviour::Crash) {
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  }
  while (behaviour_ == Behaviour::NeverEnd) pause();
  const auto ctas = static_cast<std::uint32_t>(options.seed);
  device.load_module(kPtx, "adds.ptx");
  const workload::DevicePtr p = device.upload(std::vector<std::uint32_t>(ctas * 32, 7), "numbers");
  workload::Launch launch;
  launch.kernel = "adds";
  launch.grid = {ctas};
  launch.block = {32};
  launch.args = workload::args(p);
  device.launch(launch);
  workload::Verification v;
  v.ok = behaviour_ == Behaviour::Well;
  v.tolerance = "exact";
  const auto got = device.download<std::uint32_t>(p, ctas * 32);
  for (std::uint32_t i = 0; i < got.size(); ++i, ++v.compared) v.ok = v.ok && got[i] == 7 + i;
  if (!v.ok) v.detail = "numbers[0]: got 7, expected 8";
  return v;
}

FakeWorkloads::FakeWorkloads() {
  all_.emplace_back("adds", Behaviour::Well);
  all_.emplace_back("wrong", Behaviour::WrongResult);
  all_.emplace_back("throws", Behaviour::Throw);
  all_.emplace_back("crashes", Behaviour::Crash);
  all_.emplace_back("never_ends", Behaviour::NeverEnd);
}

FindWorkload FakeWorkloads::find() const {
  return [this](const std::string& name) -> const workload::Workload& {
    for (const FakeWorkload& w : all_)
      if (w.info().name == name) return w;
    throw Error(fmt::format("no workload is called '{}'", name));
  };
}

const std::string& small_machine() {
  static const std::string text = gpu::effective_configuration(config::Config::parse(kMachine, "small"));
  return text;
}

Point fake_point(const std::string& workload, std::uint64_t seed) {
  return {workload, {}, workload::Scale::Tiny, seed, "small", small_machine()};
}

std::string without_host(const std::string& record) {
  auto json = nlohmann::ordered_json::parse(record);
  json.erase("host");
  return json.dump(2);
}

void InFolder::SetUp() {
  folder_ = std::filesystem::temp_directory_path() / fmt::format("heddle_study_{}", getpid());
  std::filesystem::create_directories(folder_);
}

}  // namespace heddle::study
