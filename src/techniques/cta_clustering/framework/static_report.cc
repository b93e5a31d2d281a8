#include "techniques/cta_clustering/framework/static_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace heddle::cta_clustering {
namespace {

std::string kind_name(const ptx::GlobalAccess& a) {
  if (a.kind == ptx::AccessKind::Atomic) return "atomic";
  if (a.kind == ptx::AccessKind::Write) return "write";
  return a.texture ? "texture" : "read";
}

// Compilers prefix parameters by the kernel: "param_2" says enough.
void without_prefix(std::string& text, const std::string& kernel) {
  const std::string prefix = kernel + "_param";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;)
    text.erase(at, kernel.size() + 1);
}

std::string short_name(std::string name, const std::string& kernel) {
  without_prefix(name, kernel);
  return name;
}

class RowMaker {
 public:
  RowMaker(const ptx::KernelAddresses& a, const ptx::Module& m, const ptx::Function& k)
      : addresses_(a), module_(m), kernel_(k) {}

  AccessRow row(const ptx::GlobalAccess& a) const {
    AccessRow r;
    r.line = a.line;
    r.kind = kind_name(a);
    r.array = short_name(a.array, kernel_.name);
    r.bytes = a.width;
    r.on_x = shown(a.on_cta(ptx::Axis::X));
    r.on_y = shown(a.on_cta(ptx::Axis::Y));
    r.on_z = shown(a.on_cta(ptx::Axis::Z));
    std::vector<std::string> parts;
    for (const ptx::Axis axis : ptx::kAxes)
      if (a.on_thread(axis).depends())
        parts.push_back(fmt::format("{}: {}", "xyz"[static_cast<unsigned>(axis)], shown(a.on_thread(axis))));
    r.on_threads = parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
    parts.clear();
    for (const ptx::AddressDependence& d : a.loop) parts.push_back(shown(d));
    r.on_loops = parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
    return r;
  }

 private:
  std::string shown(const ptx::AddressDependence& d) const {
    std::string s = ptx::text(addresses_, module_, kernel_, d);
    without_prefix(s, kernel_.name);
    return s;
  }

  const ptx::KernelAddresses& addresses_;
  const ptx::Module& module_;
  const ptx::Function& kernel_;
};

bool alike(const AccessRow& a, const AccessRow& b) {
  return a.kind == b.kind && a.array == b.array && a.bytes == b.bytes && a.on_x == b.on_x &&
         a.on_y == b.on_y && a.on_z == b.on_z && a.on_threads == b.on_threads && a.on_loops == b.on_loops;
}

using Cells = std::array<std::string, 8>;

Cells cells(const AccessRow& r) {
  return {fmt::format("{}", r.line),
          r.count == 1 ? r.kind : fmt::format("{} x{}", r.kind, r.count),
          r.array,
          fmt::format("{}", r.bytes),
          r.on_x,
          r.on_y,
          r.on_threads,
          r.on_loops};
}

std::vector<std::string> table(const std::vector<AccessRow>& rows) {
  std::vector<Cells> all{
      {"line", "access", "array", "bytes", "blockIdx.x", "blockIdx.y", "threads", "loops"}};
  for (const AccessRow& r : rows) all.push_back(cells(r));
  std::array<std::size_t, 8> width{};
  for (const Cells& c : all)
    for (std::size_t i = 0; i < c.size(); ++i) width[i] = std::max(width[i], c[i].size());
  std::vector<std::string> out;
  for (const Cells& c : all) {
    std::string line = " ";
    for (std::size_t i = 0; i < c.size(); ++i)
      line += fmt::format(" {:<{}}", c[i], i + 1 < c.size() ? width[i] + 1 : 0);
    out.push_back(std::move(line));
  }
  return out;
}

std::string_view order_name(Order o) {
  return o == Order::Column ? "columns (X-partition)" : "rows (Y-partition)";
}

}  // namespace

StaticReport static_report(const ptx::Module& module, const ptx::Function& kernel, const Circumstances& c) {
  const ptx::KernelAddresses addresses = ptx::find_addresses(module, kernel, known_launch(c));
  StaticReport report;
  report.kernel = kernel.name;
  const RowMaker maker(addresses, module, kernel);
  for (const ptx::GlobalAccess& a : addresses.accesses) {
    AccessRow r = maker.row(a);
    const auto same = std::find_if(report.accesses.begin(), report.accesses.end(),
                                   [&](const AccessRow& o) { return alike(o, r); });
    if (same == report.accesses.end())
      report.accesses.push_back(std::move(r));
    else
      ++same->count;
  }
  report.found = classify(addresses, c);
  for (std::string& r : report.found.reasons) without_prefix(r, kernel.name);
  return report;
}

std::vector<std::string> lines(const StaticReport& report) {
  const StaticClass& f = report.found;
  std::vector<std::string> out{fmt::format("{}: {}", report.kernel, name(f.category))};
  for (const std::string& r : f.reasons) out.push_back("  " + r);
  if (!f.assumed.empty()) out.push_back(fmt::format("  assumed: {}", fmt::join(f.assumed, "; ")));
  if (!f.measure.empty()) out.push_back("  to be measured: " + f.measure);
  out.push_back(fmt::format("  partition: {}", order_name(f.partition.order)));
  for (const std::string& r : f.partition.reasons) out.push_back("    " + r);
  if (f.partition.as_printed != f.partition.order && exploitable(f.category))
    out.push_back(fmt::format("    the last indices of its references alone would say {}",
                              order_name(f.partition.as_printed)));
  for (std::string& line : table(report.accesses)) out.push_back(std::move(line));
  return out;
}

}  // namespace heddle::cta_clustering
