#include "apps/cli/reports/ptx_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "apps/cli/reports/program_report.h"
#include "base/demangle.h"
#include "base/text.h"
#include "base/units.h"
#include "launch/user_kernel.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using exec::ExternalFacts;
using exec::FunctionFacts;
using exec::PtxFacts;
using exec::VariableFacts;

std::string row(std::string_view label, const std::string& value) {
  return fmt::format("  {:<14} {}\n", label, value);
}

std::string parameters_text(const FunctionFacts& f) {
  std::vector<std::string> parts;
  std::uint64_t bytes = 0;
  for (const auto& [type, size] : f.parameters) {
    parts.push_back(type);
    bytes += size;
  }
  return parts.empty() ? "none" : fmt::format("{} ({})", join(parts, ", "), to_string(Bytes{bytes}));
}

std::string control_text(const FunctionFacts& f) {
  return fmt::format("{}, {}, {} ({} conditional), {}, {}", counted(f.blocks, "block"),
                     counted(f.loops, "loop"),
                     f.branches == 1 ? "1 branch" : fmt::format("{} branches", f.branches),
                     f.conditional_branches, counted(f.barriers, "barrier"), counted(f.calls, "call"));
}

// Kinds with counts and shares, several to a line.
std::string mix_text(const FunctionFacts& f) {
  std::string out;
  std::size_t in_line = 0;
  for (const auto& [kind, count] : f.mix) {
    if (in_line == 3) {
      out.resize(out.find_last_not_of(' ') + 1);
      out += fmt::format("\n  {:<14} ", "");
      in_line = 0;
    }
    const double share =
        100.0 * static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(f.instructions, 1));
    out += fmt::format("{:<18} {:>5} {:>3.0f}%   ", kind, count, share);
    ++in_line;
  }
  out.resize(out.find_last_not_of(' ') + 1);
  return out;
}

std::string function_text(const FunctionFacts& f, bool kernel) {
  std::string out = fmt::format("{} {}   line {}\n", kernel ? "kernel" : "function", f.readable, f.line);
  if (f.readable != f.name) out += row("name", f.name);
  out += row("parameters", parameters_text(f));
  if (kernel && f.registers) {
    out += row("registers",
               fmt::format(
                   "{} per thread (estimated; {} virtual){}", *f.registers, f.virtual_registers,
                   f.machine_registers ? fmt::format(", {} in its machine code", *f.machine_registers) : ""));
    out += row("shared", fmt::format("{} static{}", to_string(Bytes{*f.static_shared}),
                                     f.dynamic_shared ? ", and dynamic" : ""));
    out += row("local", fmt::format("{} per thread{}", to_string(Bytes{*f.local}),
                                    f.recursive ? ", and more by recursion" : ""));
  }
  if (f.max_threads) out += row("threads", fmt::format("at most {} per block", *f.max_threads));
  if (f.required_threads) out += row("threads", fmt::format("exactly {} per block", *f.required_threads));
  out += row("control flow", control_text(f));
  out += row("instructions", fmt::format("{}", f.instructions));
  if (!f.mix.empty()) out += row("", mix_text(f));
  return out + "\n";
}

std::string variables_text(const PtxFacts& facts) {
  if (facts.variables.empty()) return {};
  std::size_t width = 0;
  for (const VariableFacts& v : facts.variables) width = std::max(width, v.name.size());
  width = std::min<std::size_t>(width, 48);
  std::string out = "variables\n";
  for (const VariableFacts& v : facts.variables)
    out += fmt::format("  {:<7} {:<{}} {:<12} {:>10}{}{}\n", v.space, v.name, width, v.type,
                       to_string(Bytes{v.bytes}), v.external ? "  external" : "",
                       v.initialised ? "  initialised" : "");
  return out + "\n";
}

std::string unsupported_text(const PtxFacts& facts) {
  if (facts.unsupported.empty()) return "Heddle can run all of it.\n";
  std::string out = fmt::format("not supported: {}\n", counted(facts.unsupported.size(), "place"));
  for (const ptx::Unsupported& u : facts.unsupported)
    out += fmt::format("  line {:<6} {}\n              {}{}\n", u.line, printable(u.instruction, 90),
                       printable(u.reason, 300),
                       u.function.empty() ? "" : fmt::format(" (in {})", base_name(u.function)));
  return out;
}

Json function_json(const FunctionFacts& f, bool kernel) {
  Json j;
  j["name"] = f.name;
  j["readable_name"] = f.readable;
  j["line"] = f.line;
  j["parameters"] = Json::array();
  for (const auto& [type, bytes] : f.parameters)
    j["parameters"].push_back({{"type", type}, {"bytes", bytes}});
  if (kernel) {
    const auto optional = [](const std::optional<std::uint32_t>& v) { return v ? Json(*v) : Json(nullptr); };
    j["registers_per_thread"] = optional(f.registers);
    if (f.machine_registers) j["machine_registers_per_thread"] = *f.machine_registers;
    j["static_shared_bytes"] = optional(f.static_shared);
    j["dynamic_shared"] = f.dynamic_shared;
    j["local_bytes_per_thread"] = optional(f.local);
    j["recursive"] = f.recursive;
    j["max_threads"] = optional(f.max_threads);
    j["required_threads"] = optional(f.required_threads);
  }
  j["virtual_registers"] = f.virtual_registers;
  j["blocks"] = f.blocks;
  j["loops"] = f.loops;
  j["branches"] = f.branches;
  j["conditional_branches"] = f.conditional_branches;
  j["barriers"] = f.barriers;
  j["calls"] = f.calls;
  j["instructions"] = f.instructions;
  j["mix"] = Json::object();
  for (const auto& [kind, count] : f.mix) j["mix"][kind] = count;
  return j;
}

}  // namespace

std::string ptx_report_text(const PtxFacts& facts) {
  std::string out = fmt::format("{}\n  PTX {}, {}, {}-bit addresses; {}, {}\n\n", facts.file, facts.version,
                                facts.target, facts.address_size, counted(facts.kernels.size(), "kernel"),
                                counted(facts.functions.size(), "device function"));
  for (const FunctionFacts& f : facts.kernels) out += function_text(f, true);
  for (const FunctionFacts& f : facts.functions) out += function_text(f, false);
  out += variables_text(facts);
  if (!facts.externals.empty()) {
    out += "external functions\n";
    for (const ExternalFacts& e : facts.externals)
      out += fmt::format("  {:<32} {}\n", e.name,
                         e.provided ? "provided by Heddle" : "defined nowhere in this file");
    out += "\n";
  }
  return out + unsupported_text(facts);
}

Json ptx_facts_json(const PtxFacts& facts) {
  Json j;
  j["file"] = facts.file;
  j["ptx_version"] = facts.version;
  j["target"] = facts.target;
  j["address_size"] = facts.address_size;
  j["supported"] = facts.unsupported.empty();
  j["kernels"] = Json::array();
  for (const FunctionFacts& f : facts.kernels) j["kernels"].push_back(function_json(f, true));
  j["functions"] = Json::array();
  for (const FunctionFacts& f : facts.functions) j["functions"].push_back(function_json(f, false));
  j["variables"] = Json::array();
  for (const VariableFacts& v : facts.variables)
    j["variables"].push_back({{"name", v.name},
                              {"space", v.space},
                              {"type", v.type},
                              {"bytes", v.bytes},
                              {"external", v.external},
                              {"initialised", v.initialised}});
  j["external_functions"] = Json::array();
  for (const ExternalFacts& e : facts.externals)
    j["external_functions"].push_back({{"name", e.name}, {"provided", e.provided}});
  j["unsupported"] = Json::array();
  for (const ptx::Unsupported& u : facts.unsupported)
    j["unsupported"].push_back({{"line", u.line},
                                {"column", u.column},
                                {"function", u.function},
                                {"instruction", u.instruction},
                                {"reason", u.reason}});
  return j;
}

std::string ptx_report_json(const PtxFacts& facts) {
  // Names come from a file; bytes that are no UTF-8 must not stop the report.
  return ptx_facts_json(facts).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int report_ptx(const std::filesystem::path& path, bool json, std::ostream& out,
               const launch::CompileOptions& compile) {
  const std::string kind = lower(path.extension().string());
  if (kind != ".ptx" && kind != ".cu") {
    const ProgramFacts program = collect_program_facts(path);
    out << (json ? program_report_json(program) : program_report_text(program));
    return program.supported() ? 0 : kUnsupportedStatus;
  }
  launch::UserModule module = launch::load_user_module(path, compile);
  const PtxFacts facts = exec::collect_ptx_facts(std::move(module.ptx), std::move(module.file));
  out << (json ? ptx_report_json(facts) : ptx_report_text(facts));
  return facts.unsupported.empty() ? 0 : kUnsupportedStatus;
}

}  // namespace heddle::cli
