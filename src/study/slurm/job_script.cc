#include "study/slurm/job_script.h"

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::study {
namespace {

// sbatch takes the rest of the line; % stands for numbers in the names of logs.
std::string log_name(const std::filesystem::path& plan) {
  std::string folder;
  for (const char c : (plan / "logs").string()) folder += c == '%' ? "%%" : std::string(1, c);
  return shell_word(folder + "/%A_%a.log");
}

}  // namespace

std::string array_text(std::span<const std::size_t> numbers) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts.push_back(last == i ? fmt::format("{}", numbers[i])
                              : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return join(parts, ",");
}

std::string time_text(std::uint64_t minutes) {
  const std::uint64_t days = minutes / (24 * 60), hours = minutes / 60 % 24;
  const std::string clock = fmt::format("{:02}:{:02}:00", hours, minutes % 60);
  return days == 0 ? clock : fmt::format("{}-{}", days, clock);
}

std::string job_script(const JobDescription& j) {
  std::string text = "#!/bin/sh\n";
  const auto option = [&](const std::string& o) { text += fmt::format("#SBATCH {}\n", o); };
  option("--job-name=" + j.name);
  option("--array=" + array_text(j.numbers));
  option("--output=" + log_name(j.plan));
  option("--open-mode=append");
  option("--nodes=1");
  option("--ntasks=1");
  option("--cpus-per-task=1");
  option(fmt::format("--mem={}M", j.limits.memory_mib));
  option("--time=" + time_text(j.limits.minutes));
  option("--requeue");
  if (!j.partition.empty()) option("--partition=" + shell_word(j.partition));
  for (const std::string& o : j.further) option(o);
  const std::string task =
      j.offset == 0 ? "\"$SLURM_ARRAY_TASK_ID\"" : fmt::format("$((SLURM_ARRAY_TASK_ID + {}))", j.offset);
  text += fmt::format("exec {} worker {} {} --submission {}\n", shell_word(j.program.string()),
                      shell_word(j.plan.string()), task, j.submission);
  return text;
}

}  // namespace heddle::study
