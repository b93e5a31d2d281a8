#include "ptx/rewrite/print.h"

#include <string_view>

namespace heddle::ptx::tree {
namespace {

class Printer {
 public:
  void statements(const std::vector<Statement>& list) {
    for (const Statement& s : list) line(s);
  }
  void one(const Statement& s) {
    if (const auto* i = s.as<Instruction>()) instruction(*i);
    if (const auto* l = s.as<Label>()) out += l->name.text + ":";
    if (const auto* d = s.as<Directive>()) pieces(d->pieces);
    if (const auto* d = s.as<Declaration>()) pieces(d->pieces);
    if (const auto* f = s.as<Function>()) heading(*f);
    if (s.as<Block>() != nullptr) out += "{";
  }
  void pieces(const Pieces& list) {
    bool first = true;
    for (const Piece& p : list) {
      if (!first && p.gap == Gap::Blank) out += ' ';
      if (!first && p.gap == Gap::Line) out += '\n';
      out += p.text;
      first = false;
    }
  }

  std::string out;

 private:
  void line(const Statement& s) {
    const bool label = s.as<Label>() != nullptr;  // stands out
    out.append(label ? 0 : depth_, '\t');
    one(s);
    if (const auto* b = s.as<Block>()) close(*b);
    if (const auto* f = s.as<Function>()) {
      if (f->body) {
        out += "\n{";
        close(*f->body);
      } else {
        out += ";";
      }
    }
    out += '\n';
  }
  void close(const Block& b) {
    out += '\n';
    ++depth_;
    statements(b.statements);
    --depth_;
    out.append(depth_, '\t');
    out += '}';
  }
  void instruction(const Instruction& i) {
    if (!i.guard.empty()) {
      pieces(i.guard);
      out += ' ';
    }
    out += i.root.text;
    for (const Piece& m : i.modifiers) out += m.text;
    std::string_view between = " ";
    for (const Pieces& operand : i.operands) {
      out += between;
      pieces(operand);
      between = ", ";
    }
    out += ';';
  }
  void list(const std::vector<Pieces>& all) {
    out += '(';
    std::string_view between = all.size() > 1 ? "\n\t" : "";
    for (const Pieces& p : all) {
      out += between;
      pieces(p);
      between = ",\n\t";
    }
    out += ')';
  }
  void heading(const Function& f) {
    pieces(f.heading);
    out += ' ';
    if (f.returns) {
      list(*f.returns);
      out += ' ';
    }
    out += f.name.text;
    if (f.params) list(*f.params);
    if (f.performance.empty()) return;
    out += '\n';
    pieces(f.performance);
  }

  std::size_t depth_ = 0;
};

}  // namespace

std::string print(const Module& module) {
  Printer p;
  p.statements(module.statements);
  return std::move(p.out);
}

std::string print(const Statement& statement) {
  Printer p;
  p.one(statement);
  return std::move(p.out);
}

std::string print(const Pieces& pieces) {
  Printer p;
  p.pieces(pieces);
  return std::move(p.out);
}

}  // namespace heddle::ptx::tree
