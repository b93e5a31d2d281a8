#include "apps/cli/reports/program_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/cli/reports/ptx_report.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "fatbin/ptx_link.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using fatbin::Kind;
using fatbin::Packing;
using fatbin::Program;

const char* to_text(Packing packing) {
  switch (packing) {
    case Packing::Lz4:
      return "LZ4";
    case Packing::Zstd:
      return "zstd";
    case Packing::Stored:
      break;
  }
  return "stored";
}

std::string target(const fatbin::Entry& e) {
  return fmt::format("{}_{}{}", e.kind == Kind::Ptx ? "compute" : "sm", e.architecture,
                     e.specific ? "*" : "");
}

// Of several, the machine code for the PTX's architecture, or else the newest.
const fatbin::Entry* choose_cubin(const ProgramModuleFacts& m) {
  const fatbin::Entry* best = nullptr;
  for (const fatbin::Entry& e : m.entries) {
    if (e.kind != Kind::Cubin) continue;
    if (m.chosen != nullptr && e.architecture == m.chosen->architecture) return &e;
    if (best == nullptr || e.architecture > best->architecture) best = &e;
  }
  return best;
}

void add_machine_registers(exec::PtxFacts& facts, const std::map<std::string, std::uint32_t>& registers) {
  for (exec::FunctionFacts& k : facts.kernels)
    if (const auto found = registers.find(k.name); found != registers.end())
      k.machine_registers = found->second;
}

// `ptx`: receives the PTX, which is then not looked at here.
ProgramModuleFacts module_facts(const std::vector<std::byte>& container, const std::string& name,
                                std::string* ptx) {
  ProgramModuleFacts m;
  m.entries = fatbin::entries(container);
  m.chosen = fatbin::choose_ptx(m.entries);
  if (const fatbin::Entry* cubin = choose_cubin(m); cubin != nullptr) {
    const std::string code = fatbin::unpack(*cubin);
    m.registers = fatbin::registers(std::as_bytes(std::span(code)));
  }
  if (m.chosen == nullptr) return m;
  std::string text = fatbin::unpack(*m.chosen);
  m.device_runtime = fatbin::is_device_runtime(text);
  if (m.device_runtime) return m;
  if (ptx != nullptr) {
    *ptx = std::move(text);
    return m;
  }
  m.ptx = exec::collect_ptx_facts(std::move(text), name);
  add_machine_registers(*m.ptx, m.registers);
  return m;
}

// Files of a program with -rdc=true need each other: their PTX is looked at as one module, as it is executed.
void add_linked_facts(ProgramFacts& facts) {
  std::vector<std::string> texts;
  std::map<std::string, std::uint32_t> registers;
  ProgramModuleFacts* first = nullptr;
  for (const auto& container : facts.program.modules) {
    std::string text;
    facts.modules.push_back(module_facts(container, {}, &text));
    registers.insert(facts.modules.back().registers.begin(), facts.modules.back().registers.end());
    if (!text.empty()) texts.push_back(std::move(text));
  }
  for (ProgramModuleFacts& m : facts.modules)
    if (first == nullptr && m.chosen != nullptr && !m.device_runtime) first = &m;
  if (first == nullptr) return;
  first->ptx =
      exec::collect_ptx_facts(texts.size() == 1 ? texts.front() : fatbin::link_ptx(texts),
                              fmt::format("{}, {} linked", facts.file, counted(texts.size(), "module")));
  add_machine_registers(*first->ptx, registers);
}

std::string cudart_text(const Program& p) {
  switch (p.cudart) {
    case Program::Cudart::Shared:
      return p.cudart_name;
    case Program::Cudart::Static:
      return "the CUDA runtime linked statically";
    case Program::Cudart::None:
      break;
  }
  return "no CUDA runtime named";
}

std::string entry_text(const fatbin::Entry& e, const ProgramModuleFacts& m) {
  static constexpr const char* kNames[] = {"other", "PTX", "machine code"};
  std::string out = fmt::format("  {:<14} {:<12} {}", kNames[static_cast<std::size_t>(e.kind)], target(e),
                                to_string(Bytes{e.unpacked_bytes}));
  if (e.packing != Packing::Stored)
    out += fmt::format(", {} in {}", to_string(Bytes{e.payload.size()}), to_text(e.packing));
  if (e.debug) out += ", debug";
  if (!e.source.empty()) out += ", from " + printable(e.source);
  if (&e == m.chosen) out += m.device_runtime ? "   (CUDA's device runtime)" : "   <- Heddle takes this";
  return out + "\n";
}

std::string module_text(const ProgramModuleFacts& m, std::size_t number) {
  std::string out = fmt::format("module {}\n", number);
  for (const fatbin::Entry& e : m.entries) out += entry_text(e, m);
  if (m.unusable())
    out += fmt::format("  not supported: {} as machine code only\n", counted(m.registers.size(), "kernel"));
  else if (m.chosen == nullptr)
    out += "  no kernels\n";
  out += "\n";
  if (m.ptx) out += ptx_report_text(*m.ptx) + "\n";
  return out;
}

Json module_json(const ProgramModuleFacts& m) {
  Json j;
  j["entries"] = Json::array();
  for (const fatbin::Entry& e : m.entries) {
    static constexpr const char* kNames[] = {"other", "ptx", "machine_code"};
    j["entries"].push_back({{"kind", kNames[static_cast<std::size_t>(e.kind)]},
                            {"architecture", e.architecture},
                            {"specific", e.specific},
                            {"packing", lower(to_text(e.packing))},
                            {"packed_bytes", e.payload.size()},
                            {"bytes", e.unpacked_bytes},
                            {"debug", e.debug},
                            {"source", e.source},
                            {"taken", &e == m.chosen}});
  }
  j["device_runtime"] = m.device_runtime;
  j["machine_code_registers"] = Json::object();
  for (const auto& [name, count] : m.registers) j["machine_code_registers"][name] = count;
  j["ptx"] = m.ptx ? ptx_facts_json(*m.ptx) : Json(nullptr);
  return j;
}

}  // namespace

bool ProgramFacts::supported() const {
  return obstacles.empty() && std::none_of(modules.begin(), modules.end(), [](const ProgramModuleFacts& m) {
           return m.unusable() || (m.ptx && !m.ptx->unsupported.empty());
         });
}

ProgramFacts collect_program_facts(const std::filesystem::path& file) {
  ProgramFacts facts;
  facts.file = file.string();
  facts.program = fatbin::read_program(file);
  facts.obstacles = fatbin::obstacles(facts.program);
  try {
    if (facts.program.relocatable && facts.program.modules.size() > 1)
      add_linked_facts(facts);
    else
      for (const auto& container : facts.program.modules)
        facts.modules.push_back(module_facts(
            container, fmt::format("{}, module {}", facts.file, facts.modules.size() + 1), nullptr));
  } catch (const Error& e) {
    if (!e.place().file.empty()) throw;
    throw Error(SourcePlace{facts.file, 0, 0, {}}, e.message(), e.advice());
  }
  const bool any_ptx = std::any_of(facts.modules.begin(), facts.modules.end(),
                                   [](const ProgramModuleFacts& m) { return m.chosen != nullptr; });
  if (!any_ptx && !facts.obstacles.empty())
    throw Error(SourcePlace{facts.file, 0, 0, {}}, facts.obstacles.front().what,
                facts.obstacles.front().advice);
  return facts;
}

std::string program_report_text(const ProgramFacts& facts) {
  const Program& p = facts.program;
  std::string out = fmt::format("{}\n  {}{}{}, {}\n\n", facts.file, p.machine.empty() ? "" : p.machine + ", ",
                                p.machine.empty() ? "fat binary" : cudart_text(p),
                                p.relocatable ? ", device code linked when it starts (-rdc=true)" : "",
                                counted(p.modules.size(), "module"));
  for (std::size_t i = 0; i < facts.modules.size(); ++i) out += module_text(facts.modules[i], i + 1);
  for (const fatbin::Obstacle& o : facts.obstacles)
    out += fmt::format("`heddle exec` cannot run it: {}\n  {}\n", o.what, o.advice);
  return out;
}

std::string program_report_json(const ProgramFacts& facts) {
  const Program& p = facts.program;
  static constexpr const char* kCudart[] = {"none", "shared", "static"};
  Json j;
  j["file"] = facts.file;
  j["machine"] = p.machine;
  j["this_machine"] = p.this_machine;
  j["cudart"] = kCudart[static_cast<std::size_t>(p.cudart)];
  j["cudart_name"] = p.cudart_name;
  j["relocatable"] = p.relocatable;
  j["supported"] = facts.supported();
  j["obstacles"] = Json::array();
  for (const fatbin::Obstacle& o : facts.obstacles)
    j["obstacles"].push_back({{"what", o.what}, {"advice", o.advice}});
  j["modules"] = Json::array();
  for (const ProgramModuleFacts& m : facts.modules) j["modules"].push_back(module_json(m));
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::cli
