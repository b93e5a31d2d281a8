#include "apps/cli/reports/cluster_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/text.h"

namespace heddle::cli {
namespace {

using interpose::KernelResult;
using interpose::Range;

void join(Range& to, const Range& other) {
  if (other.none()) return;
  to.add(other.least);
  to.add(other.most);
}

void add(KernelResult& to, const KernelResult& k) {
  to.launches += k.launches;
  to.rewritten += k.rewritten;
  to.timed += k.timed;
  to.milliseconds += k.milliseconds;
  join(to.ctas, k.ctas);
  join(to.agents, k.agents);
  for (const auto& [reason, times] : k.reasons) to.reasons[reason] += times;
}

KernelResult* find(std::vector<KernelResult>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const KernelResult& k) { return k.name == name; });
  return at != all.end() ? &*at : nullptr;
}

// The times of a kernel in all runs.
struct Times {
  std::vector<double> ms;

  double median() const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    return n == 0 ? 0 : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  }
  std::string text() const {
    if (ms.empty() || median() <= 0) return "-";
    const auto [least, most] = std::minmax_element(ms.begin(), ms.end());
    const std::string spread =
        ms.size() < 2 ? "" : fmt::format(" ±{:.1f}%", 50 * (*most - *least) / median());
    return fmt::format("{:.4g}{}", median(), spread);
  }
};

Times times_of(const std::vector<ProgramRun>& runs, const std::string& kernel) {
  Times t;
  for (const ProgramRun& r : runs) {
    std::vector<KernelResult> all = r.kernels();
    if (const KernelResult* k = find(all, kernel); k != nullptr && k->timed != 0)
      t.ms.push_back(k->milliseconds);
  }
  return t;
}

std::string text_of(const Range& r) {
  if (r.none() || r.most == 0) return "-";
  return r.least == r.most ? std::to_string(r.least) : fmt::format("{}..{}", r.least, r.most);
}

std::string reasons(const KernelResult& k) {
  std::vector<std::string> all;
  for (const auto& [reason, times] : k.reasons)
    all.push_back(k.reasons.size() == 1 ? reason : fmt::format("{} x {}", times, reason));
  return all.empty() ? "for an unknown reason" : heddle::join(all, "; ");
}

bool is_kernel(const KernelResult& k) {
  return !k.name.starts_with('(');  // (graph)
}

// Columns are aligned by letters, not bytes.
std::string padded(const std::string& text, std::size_t width, bool right) {
  const auto letters = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
  const std::string blanks(letters < width ? width - letters : 0, ' ');
  return right ? blanks + text : text + blanks;
}

struct Row {
  std::string kernel, launches, ctas, agents, before, after, speed;
  std::string note;  // behind the row
};

std::string shown_name(const std::string& name, const std::vector<KernelResult>& all) {
  const std::string base = base_name(name);
  const auto same =
      std::count_if(all.begin(), all.end(), [&](const KernelResult& k) { return base_name(k.name) == base; });
  return same > 1 ? instance_name(name) : base;
}

Row row_of(const KernelResult& k, const std::vector<KernelResult>& all, const OnDeviceRuns& runs) {
  const Times before = times_of(runs.plain, k.name), after = times_of(runs.rewritten, k.name);
  Row r{shown_name(k.name, all),
        std::to_string(k.launches),
        text_of(k.ctas),
        text_of(k.agents),
        before.text(),
        after.text(),
        "",
        ""};
  if (k.rewritten == 0) {
    r.note = "as it is: " + reasons(k);
    return r;
  }
  if (before.median() > 0 && after.median() > 0)
    r.speed = fmt::format("{:.2f}", before.median() / after.median());
  if (k.rewritten < k.launches)
    r.note =
        fmt::format("{} of {} launches as they are: {}", k.launches - k.rewritten, k.launches, reasons(k));
  return r;
}

std::string table(const std::vector<Row>& rows) {
  const Row head{"kernel", "launches", "CTAs", "agents", "before ms", "after ms", "speed-up", ""};
  std::vector<Row> all{head};
  all.insert(all.end(), rows.begin(), rows.end());
  constexpr std::size_t kWidest = 48;
  constexpr std::string Row::*kColumns[] = {&Row::kernel, &Row::launches, &Row::ctas, &Row::agents,
                                            &Row::before, &Row::after,    &Row::speed};
  std::string out;
  std::size_t widths[std::size(kColumns)] = {};
  for (const Row& r : all)
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      const std::string& t = r.*kColumns[i];
      const auto letters = static_cast<std::size_t>(
          std::count_if(t.begin(), t.end(), [](char c) { return (c & 0xc0) != 0x80; }));
      widths[i] = std::min(kWidest, std::max(widths[i], letters));
    }
  for (const Row& r : all) {
    std::string line = " ";
    for (std::size_t i = 0; i < std::size(kColumns); ++i)
      line += " " + padded(r.*kColumns[i], widths[i], i != 0) + " ";
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (!r.note.empty()) out += "      " + r.note + "\n";
  }
  return out;
}

// Of the kernels that were rewritten, all launches of a run.
std::string total(const std::vector<KernelResult>& kernels, const OnDeviceRuns& runs) {
  double before = 0, after = 0;
  std::size_t count = 0;
  const auto all = static_cast<std::size_t>(std::count_if(kernels.begin(), kernels.end(), is_kernel));
  for (const KernelResult& k : kernels) {
    if (k.rewritten == 0) continue;
    ++count;
    before += times_of(runs.plain, k.name).median();
    after += times_of(runs.rewritten, k.name).median();
  }
  if (count == 0) return "No kernel was rewritten.\n";
  const std::string speed =
      before > 0 && after > 0
          ? fmt::format(": {:.4g} ms before, {:.4g} ms after, speed-up {:.2f}", before, after, before / after)
          : "";
  return fmt::format("{} of {} rewritten{}.\n", count, counted(all, "kernel"), speed);
}

std::string verdict(const OnDeviceRuns& runs, const Comparison& c) {
  std::string out;
  if (!c.same()) {
    out += "Result: NOT the same with rewritten kernels:\n";
    for (const std::string& d : c.differs) out += "  " + d + "\n";
    if (!runs.recompiled.empty())
      out += compare_runs(runs.plain, runs.recompiled).same()
                 ? "  Its PTX, unchanged and compiled by the driver, gives the program's own result.\n"
                 : "  Its PTX, unchanged and compiled by the driver, also gives another result than the "
                   "program as it "
                   "is: the rewriting may not be the cause.\n";
  } else if (c.compared.empty()) {
    out += "Result: nothing to compare.\n";
  } else {
    out += fmt::format("Result: the same: {}.\n", heddle::join(c.compared, ", "));
  }
  if (!c.unstable.empty())
    out +=
        fmt::format("The program itself is not repeatable: {} differ from run to run without any change.\n",
                    heddle::join(c.unstable, ", "));
  return out;
}

}  // namespace

bool ProgramRun::uses_driver() const {
  return std::any_of(processes.begin(), processes.end(), [](const auto& p) { return p.driver; });
}

std::vector<KernelResult> ProgramRun::kernels() const {
  std::vector<KernelResult> all;
  for (const auto& p : processes)
    for (const KernelResult& k : p.kernels) {
      if (KernelResult* same = find(all, k.name))
        add(*same, k);
      else
        all.push_back(k);
    }
  return all;
}

std::string to_text(const OnDeviceRuns& runs, const Comparison& comparison) {
  std::vector<KernelResult> kernels = runs.rewritten.front().kernels();
  for (KernelResult& k : runs.plain.front().kernels()) {
    if (find(kernels, k.name) != nullptr) continue;
    k.reasons = {{"the rewritten run ended without launching it", k.launches}};
    kernels.push_back(std::move(k));
  }
  std::string device = "the device";
  for (const auto& p : runs.plain.front().processes)
    if (!p.kernels.empty())
      device = fmt::format("{}, {} SMs", p.device.empty() ? "a device" : p.device, p.sms);
  std::string out = fmt::format("{}: {}; {} each way, times of all launches of a run, medians\n", device,
                                runs.description, counted(runs.plain.size(), "run"));
  std::vector<Row> rows;
  for (const KernelResult& k : kernels) rows.push_back(row_of(k, kernels, runs));
  return out + table(rows) + total(kernels, runs) + verdict(runs, comparison);
}

}  // namespace heddle::cli
