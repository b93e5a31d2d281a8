#include "alu_harness.h"

#include <cstring>
#include <sstream>

#include "exec/alu/bind_alu.h"

namespace heddle::exec::testing {
namespace {

using ptx::Op;
using ptx::Type;

const std::map<std::string, Type, std::less<>> kTypes = {
    {"pred", Type::Pred},     {"b8", Type::B8},        {"b16", Type::B16},     {"b32", Type::B32},
    {"b64", Type::B64},       {"u8", Type::U8},        {"u16", Type::U16},     {"u32", Type::U32},
    {"u64", Type::U64},       {"s8", Type::S8},        {"s16", Type::S16},     {"s32", Type::S32},
    {"s64", Type::S64},       {"f16", Type::F16},      {"f16x2", Type::F16x2}, {"bf16", Type::BF16},
    {"bf16x2", Type::BF16x2}, {"f32", Type::F32},      {"f64", Type::F64},     {"tf32", Type::TF32},
    {"e4m3x2", Type::E4M3x2}, {"e5m2x2", Type::E5M2x2}};

const std::map<std::string, Op, std::less<>> kOps = {{"add", Op::Add},
                                                     {"addc", Op::Add},
                                                     {"sub", Op::Sub},
                                                     {"subc", Op::Sub},
                                                     {"mul", Op::Mul},
                                                     {"mad", Op::Mad},
                                                     {"madc", Op::Mad},
                                                     {"fma", Op::Fma},
                                                     {"div", Op::Div},
                                                     {"rem", Op::Rem},
                                                     {"abs", Op::Abs},
                                                     {"neg", Op::Neg},
                                                     {"min", Op::Min},
                                                     {"max", Op::Max},
                                                     {"sad", Op::Sad},
                                                     {"mul24", Op::Mul24},
                                                     {"mad24", Op::Mad24},
                                                     {"dp4a", Op::Dp4a},
                                                     {"dp2a", Op::Dp2a},
                                                     {"rcp", Op::Rcp},
                                                     {"sqrt", Op::Sqrt},
                                                     {"rsqrt", Op::Rsqrt},
                                                     {"sin", Op::Sin},
                                                     {"cos", Op::Cos},
                                                     {"ex2", Op::Ex2},
                                                     {"lg2", Op::Lg2},
                                                     {"tanh", Op::Tanh},
                                                     {"copysign", Op::Copysign},
                                                     {"testp", Op::Testp},
                                                     {"and", Op::And},
                                                     {"or", Op::Or},
                                                     {"xor", Op::Xor},
                                                     {"not", Op::Not},
                                                     {"cnot", Op::Cnot},
                                                     {"lop3", Op::Lop3},
                                                     {"shl", Op::Shl},
                                                     {"shr", Op::Shr},
                                                     {"shf", Op::Shf},
                                                     {"bfe", Op::Bfe},
                                                     {"bfi", Op::Bfi},
                                                     {"bfind", Op::Bfind},
                                                     {"brev", Op::Brev},
                                                     {"popc", Op::Popc},
                                                     {"clz", Op::Clz},
                                                     {"prmt", Op::Prmt},
                                                     {"bmsk", Op::Bmsk},
                                                     {"szext", Op::Szext},
                                                     {"fns", Op::Fns},
                                                     {"setp", Op::Setp},
                                                     {"set", Op::Set},
                                                     {"selp", Op::Selp},
                                                     {"slct", Op::Slct},
                                                     {"mov", Op::Mov},
                                                     {"cvt", Op::Cvt},
                                                     {"vabsdiff4", Op::Vabsdiff4},
                                                     {"vabsdiff2", Op::Vabsdiff2}};

const std::map<std::string, ptx::Round, std::less<>> kRounds = {
    {"rn", ptx::Round::Rn},   {"rz", ptx::Round::Rz},   {"rm", ptx::Round::Rm},
    {"rp", ptx::Round::Rp},   {"rna", ptx::Round::Rna}, {"rni", ptx::Round::Rni},
    {"rzi", ptx::Round::Rzi}, {"rmi", ptx::Round::Rmi}, {"rpi", ptx::Round::Rpi}};

const std::map<std::string, ptx::Cmp, std::less<>> kCmps = {
    {"eq", ptx::Cmp::Eq},   {"ne", ptx::Cmp::Ne},   {"lt", ptx::Cmp::Lt},   {"le", ptx::Cmp::Le},
    {"gt", ptx::Cmp::Gt},   {"ge", ptx::Cmp::Ge},   {"lo", ptx::Cmp::Lo},   {"ls", ptx::Cmp::Ls},
    {"hi", ptx::Cmp::Hi},   {"hs", ptx::Cmp::Hs},   {"equ", ptx::Cmp::Equ}, {"neu", ptx::Cmp::Neu},
    {"ltu", ptx::Cmp::Ltu}, {"leu", ptx::Cmp::Leu}, {"gtu", ptx::Cmp::Gtu}, {"geu", ptx::Cmp::Geu},
    {"num", ptx::Cmp::Num}, {"nan", ptx::Cmp::Nan}};

const std::map<std::string, ptx::PrmtMode, std::less<>> kPrmt = {
    {"f4e", ptx::PrmtMode::F4e}, {"b4e", ptx::PrmtMode::B4e}, {"rc8", ptx::PrmtMode::Rc8},
    {"ecl", ptx::PrmtMode::Ecl}, {"ecr", ptx::PrmtMode::Ecr}, {"rc16", ptx::PrmtMode::Rc16}};

const std::map<std::string, ptx::TestpOp, std::less<>> kTests = {
    {"finite", ptx::TestpOp::Finite}, {"infinite", ptx::TestpOp::Infinite},
    {"number", ptx::TestpOp::Number}, {"notanumber", ptx::TestpOp::NotANumber},
    {"normal", ptx::TestpOp::Normal}, {"subnormal", ptx::TestpOp::Subnormal}};

std::string trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == ';')) s.remove_suffix(1);
  return std::string(s);
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, at);) parts.push_back(trimmed(part));
  return parts;
}

// True when the modifier is a plain flag of the instruction.
bool set_flag(ptx::Instr& i, const std::string& m) {
  if (m == "ftz")
    i.ftz = true;
  else if (m == "sat")
    i.sat = true;
  else if (m == "satfinite")
    i.satfinite = true;
  else if (m == "relu")
    i.relu = true;
  else if (m == "approx")
    i.approx = true;
  else if (m == "full")
    i.full = true;
  else if (m == "NaN")
    i.nan = true;
  else if (m == "xorsign")
    i.xorsign_abs = true;
  else if (m == "abs")
    return true;  // of .xorsign.abs
  else if (m == "cc")
    i.carry_out = true;
  else if (m == "l")
    i.left = true;
  else if (m == "r" || m == "wrap")
    return true;
  else if (m == "clamp")
    i.clamp = true;
  else if (m == "shiftamt")
    i.shiftamt = true;
  else if (m == "wide")
    i.half = ptx::Half::Wide;
  else if (m == "and" || m == "or" || m == "xor")
    i.bool_op = m == "and" ? ptx::BoolOp::And : m == "or" ? ptx::BoolOp::Or : ptx::BoolOp::Xor;
  else
    return false;
  return true;
}

}  // namespace

TestWarp::TestWarp() : registers_(kSlots * kLanes), constants_(kSlots * kLanes), masks_(kPredicates) {
  bank_[Place::Registers] = reinterpret_cast<std::byte*>(registers_.data());
  bank_[Place::Constants] = reinterpret_cast<std::byte*>(constants_.data());
  predicates_ = masks_.data();
  masks_[kPredTrue] = kAllLanes;
}

ptx::Instr parse_opcode(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  ptx::Instr i;
  const auto op = kOps.find(parts[0]);
  if (op == kOps.end()) return i;
  i.op = op->second;
  i.carry_in = parts[0] == "addc" || parts[0] == "subc" || parts[0] == "madc";
  const bool compares = i.op == Op::Setp || i.op == Op::Set;
  std::vector<Type> types;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::string& m = parts[k];
    if (const auto t = kTypes.find(m); t != kTypes.end())
      types.push_back(t->second);
    else if (const auto r = kRounds.find(m); r != kRounds.end())
      i.round = r->second;
    else if (const auto c = kCmps.find(m); compares && c != kCmps.end())
      i.cmp = c->second;
    else if (m == "lo")
      i.half = ptx::Half::Lo;
    else if (m == "hi")
      i.half = ptx::Half::Hi;
    else if (const auto test = kTests.find(m); test != kTests.end())
      i.testp = test->second;
    else if (const auto p = kPrmt.find(m); p != kPrmt.end())
      i.prmt = p->second;
    else if (m == "add" && (i.op == Op::Vabsdiff4 || i.op == Op::Vabsdiff2))
      i.accumulate = true;
    else if (!set_flag(i, m))
      return {};
  }
  if (types.empty()) return {};
  i.type = types[0];
  if (i.op == Op::Dp4a || i.op == Op::Dp2a)
    i.src_type2 = types.at(1);
  else if (types.size() > 1)
    i.src_type = types[1];
  if (types.size() > 2) i.src_type2 = types[2];
  const bool pair = i.type == Type::F16x2 || i.type == Type::BF16x2 || is_pair_of_bytes(i.type);
  if (i.op == Op::Cvt && pair && i.src_type == Type::F32) i.op = Op::CvtPack;
  return i;
}

Program::Program(std::string_view ptx) {
  std::istringstream in{std::string(ptx)};
  for (std::string line; std::getline(in, line) && refused_.empty();) add_line(trimmed(line));
}

unsigned Program::slot_of(const std::string& name) {
  const auto [at, fresh] = slots_.try_emplace(name, static_cast<unsigned>(slots_.size()));
  return at->second;
}

PredSlot Program::predicate_of(std::string name, Mask* flip) {
  Mask none = 0;
  *(flip != nullptr ? flip : &none) = name[0] == '!' ? kAllLanes : 0;
  if (name[0] == '!') name.erase(0, 1);
  const auto [at, fresh] = predicates_.try_emplace(name, static_cast<PredSlot>(predicates_.size() + 2));
  return at->second;
}

Place Program::source(const std::string& operand, unsigned bits) {
  if (operand[0] == '%') return TestWarp::slot(slot_of(operand));
  const auto value = static_cast<std::uint64_t>(std::stoll(operand, nullptr, 0));
  const unsigned at = constants_++;
  for (int i = 0; i < kLanes; ++i) {
    if (bits == 64)
      warp_.constant_lanes<std::uint64_t>(at)[i] = value;
    else
      warp_.constant_lanes<std::uint32_t>(at)[i] = static_cast<std::uint32_t>(value);
  }
  return TestWarp::constant(at);
}

void Program::add_line(std::string line) {
  if (line.empty() || line[0] == '.' || line[0] == '{' || line[0] == '}' || line == "ret") return;
  Step step;
  if (line[0] == '@') {
    const std::size_t space = line.find(' ');
    step.code.guard = predicate_of(line.substr(1, space - 1), &step.code.guard_flip);
    line = line.substr(space + 1);
  }
  const std::size_t space = line.find(' ');
  const std::string opcode = line.substr(0, space);
  std::vector<std::string> operands;
  // Braces group: {a, b} stays one operand.
  std::string current;
  int depth = 0;
  for (const char ch : line.substr(space == std::string::npos ? line.size() : space + 1)) {
    depth += ch == '{' ? 1 : ch == '}' ? -1 : 0;
    if (ch == ',' && depth == 0) {
      operands.push_back(trimmed(current));
      current.clear();
    } else {
      current += ch;
    }
  }
  operands.push_back(trimmed(current));
  if (add_special(opcode, operands, step)) return;
  ptx::Instr instr = parse_opcode(opcode);
  if (instr.op == Op::Nop) {
    refused_ = opcode;
    return;
  }
  add_alu(instr, operands, step);
}

bool Program::add_special(const std::string& opcode, const std::vector<std::string>& operands, Step step) {
  const auto address = [&](const std::string& text) {
    const std::string inner = text.substr(1, text.size() - 2);
    const std::size_t plus = inner.find('+');
    step.address_slot = slot_of(inner.substr(0, plus));
    step.offset = plus == std::string::npos ? 0 : std::stoll(inner.substr(plus + 1));
  };
  if (opcode == "ld.param.u64") {
    step.kind = Kind::Param;
    const std::string name = operands[1];
    step.parameter = name == "[out]" ? 0 : static_cast<unsigned>(name[1] - 'a' + 1);
    step.value_slot = slot_of(operands[0]);
  } else if (opcode.starts_with("ld.global.b")) {
    step.kind = Kind::Load;
    step.bytes = static_cast<unsigned>(std::stoul(opcode.substr(11))) / 8;
    step.value_slot = slot_of(operands[0]);
    address(operands[1]);
  } else if (opcode.starts_with("st.global.b")) {
    step.kind = Kind::Store;
    step.bytes = static_cast<unsigned>(std::stoul(opcode.substr(11))) / 8;
    address(operands[0]);
    step.value_slot = slot_of(operands[1]);
  } else if (opcode == "cvta.to.global.u64") {
    step.kind = Kind::Copy;
    step.value_slot = slot_of(operands[0]);
    step.address_slot = slot_of(operands[1]);
  } else if (opcode == "mov.u32" && operands[1].ends_with(".x")) {
    step.kind = operands[1] == "%tid.x" ? Kind::Tid : operands[1] == "%ctaid.x" ? Kind::Ctaid : Kind::Ntid;
    step.value_slot = slot_of(operands[0]);
  } else {
    return false;
  }
  steps_.push_back(step);
  return true;
}

void Program::add_alu(const ptx::Instr& opcode, std::vector<std::string> operands, Step step) {
  ptx::Instr instr = opcode;
  Code& code = step.code;
  const auto braces = [](const std::string& s) {
    return split(std::string_view(s).substr(1, s.size() - 2), ',');
  };
  std::vector<std::string> sources(operands.begin() + 1, operands.end());
  std::vector<std::string> results = {operands[0]};
  if (instr.op == Op::Mov && operands[0][0] == '{') {
    instr.op = Op::Unpack;
    results = braces(operands[0]);
  } else if (instr.op == Op::Mov && operands[1][0] == '{') {
    instr.op = Op::Pack;
    sources = braces(operands[1]);
  }
  if (instr.op == Op::Lop3) {
    instr.lut = static_cast<std::uint8_t>(std::stoul(sources.back(), nullptr, 0));
    sources.pop_back();
  }
  instr.n_dst = static_cast<std::uint8_t>(results.size());
  instr.n_src = static_cast<std::uint8_t>(sources.size());
  const auto bits_of_place = [](Place p) { return std::int64_t{p.bank()} << 30 | p.offset(); };

  if (instr.op == Op::Setp || instr.op == Op::Testp || instr.type == Type::Pred) {
    const std::vector<std::string> names = split(operands[0], '|');
    code.pd = predicate_of(names[0], nullptr);
    if (names.size() > 1) code.pq = predicate_of(names[1], nullptr);
  } else {
    Place places[4];
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (results[k] == "_")
        instr.dst[k].kind = ptx::Operand::Kind::Sink;
      else
        places[k] = TestWarp::slot(slot_of(results[k]));
    }
    code.d = places[0];
    if (instr.op == Op::Unpack) {
      code.b = places[1];
      code.c = places[2];
      code.imm = bits_of_place(places[3]);
    }
  }
  if (instr.type == Type::Pred) {
    code.p = predicate_of(sources[0], &code.p_flip);
    Mask flip = 0;
    if (sources.size() > 1) code.imm = predicate_of(sources[1], &flip);
    if (flip != 0) code.imm |= 1 << 16;
    sources.clear();
  } else if (instr.op == Op::Selp || ((instr.op == Op::Setp || instr.op == Op::Set) && sources.size() == 3)) {
    code.p = predicate_of(sources.back(), &code.p_flip);
    sources.pop_back();
  }
  Place* const in[] = {&code.a, &code.b, &code.c};
  for (unsigned k = 0; k < sources.size(); ++k) {
    const Place p = source(sources[k], alu_source_bits(instr, k));
    if (k < 3)
      *in[k] = p;
    else
      code.imm = bits_of_place(p);
  }
  instrs_.push_back(std::make_unique<ptx::Instr>(instr));
  code.instr = instrs_.back().get();
  code.handler = bind_alu(instr);
  if (code.handler == nullptr) refused_ = "not bound: " + operands[0];
  steps_.push_back(step);
}

void Program::run(std::uint64_t out, std::uint64_t a, std::uint64_t b, std::uint64_t c, unsigned n) {
  const std::uint64_t parameters[] = {out, a, b, c};
  for (unsigned first = 0; first < n; first += kLanes) {
    for (const Step& s : steps_) {
      const Mask active = warp_.predicate(s.code.guard, s.code.guard_flip);
      if (active == 0) continue;
      if (s.kind == Kind::Alu) {
        s.code.handler(warp_, s.code, active);
        continue;
      }
      auto* narrow = warp_.out<std::uint32_t>(TestWarp::slot(s.value_slot));
      auto* wide = warp_.out<std::uint64_t>(TestWarp::slot(s.value_slot));
      const auto* address = warp_.in<std::uint64_t>(TestWarp::slot(s.address_slot));
      for (int i = 0; i < kLanes; ++i) {
        const unsigned id = first + static_cast<unsigned>(i);
        void* at = reinterpret_cast<void*>(address[i] + static_cast<std::uint64_t>(s.offset));
        switch (s.kind) {
          case Kind::Param:
            wide[i] = parameters[s.parameter];
            break;
          case Kind::Copy:
            wide[i] = address[i];
            break;
          case Kind::Tid:
            narrow[i] = id % 128;
            break;
          case Kind::Ctaid:
            narrow[i] = id / 128;
            break;
          case Kind::Ntid:
            narrow[i] = 128;
            break;
          case Kind::Load:
            if (s.bytes < 4) narrow[i] = 0;
            std::memcpy(s.bytes == 8 ? static_cast<void*>(wide + i) : narrow + i, at, s.bytes);
            break;
          case Kind::Store:
            std::memcpy(at, s.bytes == 8 ? static_cast<const void*>(wide + i) : narrow + i, s.bytes);
            break;
          case Kind::Alu:
            break;
        }
      }
    }
  }
}

}  // namespace heddle::exec::testing
