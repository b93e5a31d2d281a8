#include "techniques/cta_clustering/rewrite/task_registers.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/read.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using tree::Refusal;

// Old PTX has 16-bit special registers, and code that reads the lower half of those of today.
bool reads_half(const tree::Instruction& i) {
  for (auto m = i.modifiers.rbegin(); m != i.modifiers.rend(); ++m) {
    if (m->is(".u16") || m->is(".s16") || m->is(".b16")) return true;
    if (m->is(".u32") || m->is(".s32") || m->is(".b32") || m->is(".u64") || m->is(".s64") || m->is(".b64"))
      return false;
  }
  return false;
}

bool names_grid(const tree::Statement& s, bool grid) {
  return names_special(s, "%ctaid") || (grid && names_special(s, "%nctaid"));
}

// The function that a direct call names; "": none, or through a pointer.
std::string callee(const tree::Instruction& call) {
  if (!call.root.is("call")) return {};
  for (const tree::Pieces& o : call.operands)
    if (o.size() == 1 && o[0].kind == ptx::Tok::Name) return o[0].text;
  return {};
}

void rename_calls(tree::Function& f, const std::set<std::string>& copied, const std::string& prefix) {
  for (tree::Statement* s : tree::instructions(*f.body)) {
    auto& i = *s->as<tree::Instruction>();
    if (!copied.contains(callee(i))) continue;
    for (tree::Pieces& o : i.operands)
      if (o.size() == 1 && copied.contains(o[0].text)) o[0].text = prefix + "_" + o[0].text;
  }
}

bool has_static_variable(const std::vector<tree::Statement>& body) {
  return std::any_of(body.begin(), body.end(), [](const tree::Statement& s) {
    if (const auto* b = s.as<tree::Block>()) return has_static_variable(b->statements);
    const auto* d = s.as<tree::Declaration>();
    return d != nullptr && std::any_of(d->pieces.begin(), d->pieces.end(), [](const tree::Piece& p) {
             return p.is(".global") || p.is(".const");
           });
  });
}

std::optional<Refusal> refuse_copy(const KernelCode& code, const FunctionCode& f) {
  if (code.calls_pointers && code.address_taken.contains(f.name()))
    return tree::refuse("call through a pointer",
                        "it may be called through a pointer and reads which CTA it runs in", f.name(),
                        f.statement);
  if (has_static_variable(f.tree().body->statements))
    return tree::refuse("static variable", "a copy of it would have a variable of its own", f.name(),
                        f.statement);
  for (const FunctionCode& g : code.functions)
    for (std::size_t i = 0; i < g.instructions.size(); ++i) {
      const ptx::Instr& in = g.decoded->instrs[i];
      if (in.op != ptx::Op::Call || g.decoded->calls[in.call].callee == ptx::kNoTarget) continue;
      const std::string& meant = code.decoded.functions[g.decoded->calls[in.call].callee].name;
      if (meant == f.name() && callee(*g.instructions[i]->as<tree::Instruction>()) != meant)
        return tree::refuse("alias", "it is called by an alias", g.name(), g.instructions[i]);
    }
  return {};
}

constexpr char kVerbatim = '\x01';  // between the letters of a name that is to stay as it is

}  // namespace

std::string named(std::string_view code, const std::string& prefix) {
  std::string text;
  for (std::size_t at = 0;;) {
    const std::size_t next = code.find("HD_", at);
    text += code.substr(at, next - at);
    if (next == std::string_view::npos) break;
    text += prefix + "_";
    at = next + 3;
  }
  text.erase(std::remove(text.begin(), text.end(), kVerbatim), text.end());
  return text;
}

std::string verbatim(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (text.substr(at).starts_with("HD_")) result += kVerbatim;
  }
  return result;
}

std::vector<tree::Statement> added(std::string_view code, const std::string& prefix) {
  return tree::read_statements(named(code, prefix));
}

TaskRegisters replace_task_registers(tree::Function& function, const std::string& prefix, bool grid) {
  TaskRegisters found;
  const auto note = [](std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const char* special : {"%ctaid", "%nctaid"}) {
    if (!grid && special == std::string_view("%nctaid")) continue;
    for (const char* element : {".x", ".y", ".z"})
      for (tree::Statement* s : tree::instructions(*function.body)) {
        auto& i = *s->as<tree::Instruction>();
        for (tree::Pieces& o : i.operands) {
          if (!tree::reads_special(o, special, element)) continue;
          const std::string name = fmt::format("HD_{}_{}", special + 1, element + 1);
          note(found.names, name);
          if (reads_half(i)) note(found.halves, name);
          tree::replace_special(o, special, element,
                                named("%" + name + (reads_half(i) ? "_half" : ""), prefix));
        }
      }
  }
  return found;
}

std::string TaskRegisters::declarations() const {
  std::string code;
  for (const std::string& n : names) code += fmt::format(".reg .b32 %{};\n", n);
  for (const std::string& n : halves) code += fmt::format(".reg .b16 %{}_half;\n", n);
  return code;
}

std::string TaskRegisters::halves_code() const {
  std::string code;
  for (const std::string& n : halves) code += fmt::format("cvt.u16.u32 %{}_half, %{};\n", n, n);
  return code;
}

std::vector<const FunctionCode*> functions_of_task(const KernelCode& code, bool grid,
                                                   std::optional<Refusal>& refusal) {
  std::set<std::string> reading;
  for (const FunctionCode& f : code.functions)
    for (const tree::Statement* s : f.instructions) {
      if (!names_grid(*s, grid)) continue;
      reading.insert(f.name());
      for (const tree::Pieces& o : s->as<tree::Instruction>()->operands)
        if (tree::reads_special(o, "%ctaid", "") || tree::reads_special(o, "%nctaid", ""))
          refusal =
              tree::refuse("vector read", "it reads all elements of a special register at once", f.name(), s);
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (const FunctionCode& f : code.functions)
      for (const ptx::CallSite& c : f.decoded->calls)
        if (c.callee != ptx::kNoTarget && reading.contains(code.decoded.functions[c.callee].name))
          changed |= reading.insert(f.name()).second;
  }
  std::vector<const FunctionCode*> functions;
  for (const FunctionCode& f : code.functions) {
    if (&f == &code.kernel() || !reading.contains(f.name())) continue;
    if (!refusal) refusal = refuse_copy(code, f);
    functions.push_back(&f);
  }
  std::sort(functions.begin(), functions.end(),
            [](const auto* a, const auto* b) { return a->decoded < b->decoded; });  // by number in the module
  return functions;
}

Copies copies_for_kernel(const KernelCode& code, const std::vector<const FunctionCode*>& functions,
                         const std::string& prefix, const std::function<void(tree::Function&)>& edit) {
  std::set<std::string> copied;
  for (const FunctionCode* f : functions) copied.insert(f->name());
  Copies copies;
  for (const FunctionCode* f : functions) {
    tree::Statement copy = *f->statement;
    auto& g = *copy.as<tree::Function>();
    g.name.text = prefix + "_" + g.name.text;
    std::erase_if(g.heading, [](const tree::Piece& p) { return p.is(".visible") || p.is(".weak"); });
    tree::Statement declaration = copy;
    declaration.as<tree::Function>()->body.reset();
    copies.declarations.push_back(std::move(declaration));
    rename_calls(g, copied, prefix);
    edit(g);
    copies.definitions.push_back(std::move(copy));
  }
  rename_calls(code.kernel().tree(), copied, prefix);
  return copies;
}

void insert_around_kernel(tree::Module& module, const std::string& kernel,
                          std::vector<tree::Statement> before, std::vector<tree::Statement> behind) {
  const auto at =
      std::find_if(module.statements.begin(), module.statements.end(), [&](const tree::Statement& s) {
        const auto* f = s.as<tree::Function>();
        return f != nullptr && f->body && f->name.is(kernel);
      });
  module.statements.insert(at, std::make_move_iterator(before.begin()),
                           std::make_move_iterator(before.end()));
  module.statements.insert(module.statements.end(), std::make_move_iterator(behind.begin()),
                           std::make_move_iterator(behind.end()));
}

std::string coordinates_code(const Partition& p, const DivideBySide& divide) {
  // What the table says takes the place of the task's number.
  const std::string number = p.order != Order::Table ? ""
                                                     : "mul.wide.u32 %HD_a, %HD_v, 4;\n"
                                                       "add.u64 %HD_a, %HD_order, %HD_a;\n"
                                                       "setp.ne.u64 %HD_p, %HD_order, 0;\n"
                                                       "@%HD_p ld.global.u32 %HD_v, [%HD_a];\n";
  switch (p.order) {
    case Order::Row:  // v = (z Y + y) X + x
    case Order::Table:
      return number + divide("%HD_t0", "%HD_v", 'x') +
             "mul.lo.u32 %HD_t1, %HD_t0, %HD_gx;\n"
             "sub.u32 %HD_nx, %HD_v, %HD_t1;\n" +
             divide("%HD_nz", "%HD_t0", 'y') +
             "mul.lo.u32 %HD_t1, %HD_nz, %HD_gy;\n"
             "sub.u32 %HD_ny, %HD_t0, %HD_t1;\n";
    case Order::Column:  // v = (z X + x) Y + y
      return divide("%HD_t0", "%HD_v", 'y') +
             "mul.lo.u32 %HD_t1, %HD_t0, %HD_gy;\n"
             "sub.u32 %HD_ny, %HD_v, %HD_t1;\n" +
             divide("%HD_nz", "%HD_t0", 'x') +
             "mul.lo.u32 %HD_t1, %HD_nz, %HD_gx;\n"
             "sub.u32 %HD_nx, %HD_t0, %HD_t1;\n";
    case Order::Tile:
      break;
  }
  // t2: the number in the plane; t3, t4: a tile's width and height; t5: the row of tiles; t6: its height; t7:
  // the tile; t8: its width
  return divide("%HD_t0", "%HD_v", 'x') + divide("%HD_nz", "%HD_t0", 'y') +
         "mul.lo.u32 %HD_t0, %HD_gx, %HD_gy;\n"
         "mul.lo.u32 %HD_t1, %HD_nz, %HD_t0;\n"
         "sub.u32 %HD_t2, %HD_v, %HD_t1;\n" +
         fmt::format("min.u32 %HD_t3, %HD_gx, {};\nmin.u32 %HD_t4, %HD_gy, {};\n", p.tile_width,
                     p.tile_height) +
         "mul.lo.u32 %HD_t0, %HD_gx, %HD_t4;\n"
         "div.u32 %HD_t5, %HD_t2, %HD_t0;\n"
         "mul.lo.u32 %HD_t1, %HD_t5, %HD_t0;\n"
         "sub.u32 %HD_t2, %HD_t2, %HD_t1;\n"
         "mul.lo.u32 %HD_ny, %HD_t5, %HD_t4;\n"
         "sub.u32 %HD_t6, %HD_gy, %HD_ny;\n"
         "min.u32 %HD_t6, %HD_t6, %HD_t4;\n"
         "mul.lo.u32 %HD_t0, %HD_t3, %HD_t6;\n"
         "div.u32 %HD_t7, %HD_t2, %HD_t0;\n"
         "mul.lo.u32 %HD_t1, %HD_t7, %HD_t0;\n"
         "sub.u32 %HD_t2, %HD_t2, %HD_t1;\n"
         "mul.lo.u32 %HD_nx, %HD_t7, %HD_t3;\n"
         "sub.u32 %HD_t8, %HD_gx, %HD_nx;\n"
         "min.u32 %HD_t8, %HD_t8, %HD_t3;\n"
         "div.u32 %HD_t5, %HD_t2, %HD_t8;\n"
         "mul.lo.u32 %HD_t1, %HD_t5, %HD_t8;\n"
         "sub.u32 %HD_t2, %HD_t2, %HD_t1;\n"
         "add.u32 %HD_nx, %HD_nx, %HD_t2;\n"
         "add.u32 %HD_ny, %HD_ny, %HD_t5;\n";
}

}  // namespace heddle::cta_clustering
