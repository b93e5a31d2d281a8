#include "study/slurm/commands.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "base/process.h"
#include "base/text.h"

namespace heddle::study {
namespace {

constexpr std::chrono::seconds kPatience{120};  // a busy controller takes its time
constexpr std::size_t kUsualArraySize = 1001;   // Slurm's own default
constexpr const char* kFormat = "%j|%F|%K|%T|%N|%r";

ProcessResult called(const std::vector<std::string>& command) {
  ProcessResult r = run_process(command, kPatience);
  if (r.start_error != 0)
    throw Error(fmt::format("cannot run {}: {}", command.front(), std::strerror(r.start_error)),
                "--on slurm needs the commands of Slurm (sbatch, squeue, scancel) on PATH: give it on a "
                "machine from which jobs are submitted");
  return r;
}

std::string said(const ProcessResult& r) {
  if (r.timed_out) return fmt::format("no answer within {} s", kPatience.count());
  std::string text(trim(r.messages.empty() ? r.output : r.messages));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? fmt::format("exit status {}", r.status) : printable(text, 400);
}

}  // namespace

bool QueuedTask::over() const {
  constexpr std::array<std::string_view, 9> kOver = {"COMPLETED",     "FAILED",    "TIMEOUT",
                                                     "OUT_OF_MEMORY", "NODE_FAIL", "CANCELLED",
                                                     "PREEMPTED",     "BOOT_FAIL", "DEADLINE"};
  return std::find(kOver.begin(), kOver.end(), state) != kOver.end();
}

bool QueuedTask::running() const {
  return state == "RUNNING" || state == "COMPLETING";
}

std::string parse_sbatch(std::string_view output) {
  const std::string_view line = trim(output);
  const std::string_view number = line.substr(0, line.find(';'));
  return whole_number(number) ? std::string(number) : "";
}

std::vector<QueuedTask> parse_squeue(std::string_view output) {
  std::vector<QueuedTask> all;
  for (const std::string_view line : split(output, '\n')) {
    const std::vector<std::string_view> fields = split(trim(line), '|');
    if (fields.size() != 6 || !whole_number(fields[2])) continue;
    QueuedTask& t = all.emplace_back();
    t.name = fields[0];
    t.job = fields[1];
    t.number = *whole_number(fields[2]);
    t.state = fields[3];
    t.node = fields[4];
    t.reason = fields[5];
  }
  return all;
}

std::optional<std::size_t> parse_max_array_size(std::string_view output) {
  for (const std::string_view line : split(output, '\n')) {
    const std::size_t is = line.find('=');
    if (is != std::string_view::npos && trim(line.substr(0, is)) == "MaxArraySize")
      return whole_number(trim(line.substr(is + 1)));
  }
  return std::nullopt;
}

std::string sbatch(const std::filesystem::path& script) {
  const ProcessResult r = called({"sbatch", "--parsable", script.string()});
  const std::string job = r.status == 0 && !r.timed_out ? parse_sbatch(r.output) : "";
  if (!job.empty()) return job;
  const char* const advice =
      "--dry-run shows the script; --partition, --sbatch-option, --point-mebibytes and --point-minutes "
      "change "
      "what it asks for";
  if (r.timed_out || r.status == 0 || r.status >= 128)
    throw Error(fmt::format("sbatch: {}", said(r)), advice);
  throw JobRefused(fmt::format("sbatch refuses the job: {}", said(r)), advice);
}

std::optional<std::vector<QueuedTask>> squeue(std::span<const std::string> names, std::string& problem) {
  if (names.empty()) return std::vector<QueuedTask>{};
  const ProcessResult r =
      called({"squeue", "--noheader", "--array", "--states=all", fmt::format("--user={}", ::getuid()),
              "--name=" + join(names, ","), fmt::format("--format={}", kFormat)});
  if (r.status == 0 && !r.timed_out) return parse_squeue(r.output);
  problem = fmt::format("squeue: {}", said(r));
  return std::nullopt;
}

void scancel(std::span<const std::string> jobs) {
  if (jobs.empty()) return;
  std::vector<std::string> command = {"scancel"};
  command.insert(command.end(), jobs.begin(), jobs.end());
  const ProcessResult r = called(command);
  if (r.status != 0 || r.timed_out)
    throw Error(fmt::format("scancel: {}", said(r)), fmt::format("jobs: {}", join(jobs, " ")));
}

std::string sacct_state(const std::string& job, std::size_t number) {
  const ProcessResult r = run_process({"sacct", "--noheader", "--parsable2", "--allocations",
                                       "--format=State", fmt::format("--jobs={}_{}", job, number)},
                                      kPatience);
  if (r.start_error != 0 || r.timed_out || r.status != 0) return {};
  // "CANCELLED by 1000"
  const std::string_view line = trim(split(r.output, '\n').front());
  return std::string(line.substr(0, line.find(' ')));
}

std::size_t max_array_size() {
  const ProcessResult r = run_process({"scontrol", "show", "config"}, kPatience);
  if (r.start_error != 0 || r.timed_out || r.status != 0) return kUsualArraySize;
  return std::max<std::size_t>(1, parse_max_array_size(r.output).value_or(kUsualArraySize));
}

}  // namespace heddle::study
