// Reading launch files: launches and outputs. Buffers are in launch_buffers.cc, running in launch_run.cc.
#include "launch/launch_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"
#include "launch/launch_parser.h"

namespace heddle::launch {
namespace {

// `values` may be long.
constexpr config::TomlLimits kLimits{
    .what = "launch file",
    .bytes = 16u << 20,
    .if_larger = "keep large inputs in files of their own: file = \"a.bin\""};

std::vector<std::string> names_of(const std::vector<BufferSpec>& buffers) {
  std::vector<std::string> names;
  for (const BufferSpec& b : buffers) names.push_back(b.name);
  return names;
}

}  // namespace

void LaunchParser::run(const TomlNode& root) {
  TableReader t(source_, root, "the launch file");
  t.named_tables("buffer", [&](TableReader& r, const std::string& name) { buffer(r, name); });
  t.named_tables("texture", [&](TableReader& r, const std::string& name) { texture(r, name); });
  launches(t);
  t.named_tables("output", [&](TableReader& r, const std::string& name) { output(r, name); });
  t.finish();
}

void LaunchParser::launches(TableReader& root) {
  const TomlNode* all = root.find("launch");
  if (all == nullptr || (all->list() != nullptr && all->list()->empty()))
    throw Error(SourcePlace{source_.file(), 0, 0, {}}, "the file has no [[launch]], so nothing would run",
                "for example:\n    [[launch]]\n    kernel = \"saxpy\"\n    grid = 4\n    block = 256\n    "
                "args = [...]");
  if (all->list() == nullptr) root.fail(*all, "launches are a list: write [[launch]] with two brackets");
  std::size_t i = 0;
  for (const TomlNode& n : *all->list()) {
    TableReader t(source_, n, fmt::format("[[launch]] number {}", ++i));
    launch(t);
    t.finish();
  }
}

workload::Dim3 LaunchParser::dim3(TableReader& t, const std::string& key, const std::int64_t (&most)[3]) {
  const TomlNode& n = t.require(key, "how many, as 256 or [16, 16] or [8, 8, 4]");
  std::vector<const TomlNode*> parts;
  if (n.list() == nullptr)
    parts.push_back(&n);
  else
    for (const TomlNode& part : *n.list()) parts.push_back(&part);
  if (parts.empty() || parts.size() > 3)
    t.fail(n, fmt::format("'{}': expected one to three integers, [x, y, z]", key));
  std::uint32_t size[3] = {1, 1, 1};
  for (std::size_t d = 0; d < parts.size(); ++d) {
    const auto* i = std::get_if<std::int64_t>(&parts[d]->data);
    if (i == nullptr || *i < 1 || *i > most[d])
      t.fail(*parts[d], fmt::format("'{}': expected an integer from 1 to {} for {}", key, most[d], "xyz"[d]));
    size[d] = static_cast<std::uint32_t>(*i);
  }
  return {size[0], size[1], size[2]};
}

void LaunchParser::launch(TableReader& t) {
  LaunchStep s;
  s.place = s.args_place = source_.place(t.node());
  s.kernel_place = source_.place(t.require("kernel", "the kernel's name"));
  s.kernel = *t.text("kernel");
  s.grid = dim3(t, "grid", {INT32_MAX, 65535, 65535});
  s.block = dim3(t, "block", {1024, 1024, 64});
  s.block_place = source_.place(*t.find("block"));
  if (s.block.count() > 1024)
    t.fail(*t.find("block"), fmt::format("'block': {} threads; at most 1024 are allowed", s.block.count()));
  if (const TomlNode* n = t.find("shared")) {
    Parsed<Bytes> size = Parsed<Bytes>::fail("expected a size such as \"4KiB\"");
    if (n->text() != nullptr)
      size = parse_bytes(*n->text());
    else if (std::holds_alternative<std::int64_t>(n->data))
      size = Parsed<Bytes>::ok(Bytes{static_cast<std::uint64_t>(*t.integer("shared", 0, 1 << 20))});
    if (!size) t.fail(*n, "'shared': " + size.why);
    if (size.value->count() > (1u << 20)) t.fail(*n, "'shared': at most 1MiB of dynamic shared memory");
    s.dynamic_shared = static_cast<std::uint32_t>(size.value->count());
  }
  s.repeat = static_cast<std::uint64_t>(t.integer("repeat", 1, 1'000'000'000).value_or(1));
  if (const auto r = t.integer("registers", 1, 255)) {
    s.registers = static_cast<std::uint32_t>(*r);
    s.registers_place = source_.place(*t.find("registers"));
  }
  if (const TomlNode* n = t.find("args")) {
    s.args_place = source_.place(*n);
    if (n->list() == nullptr) t.fail(*n, fmt::format("'args': expected a list, got {}", n->kind()));
    for (const TomlNode& a : *n->list()) s.args.push_back(argument(t, a, 0));
  }
  if (const TomlNode* n = t.find("swap")) {
    const auto* l = n->list();
    if (l == nullptr || l->size() != 2 || (*l)[0].text() == nullptr || (*l)[1].text() == nullptr)
      t.fail(*n, "'swap': expected the names of two buffers, [\"a\", \"b\"]");
    for (const TomlNode& one : *l) check_name(t, one, *one.text(), false);
    const BufferSpec &a = *out_.find_buffer(*(*l)[0].text()), &b = *out_.find_buffer(*(*l)[1].text());
    if (a.type != b.type || a.count != b.count)
      t.fail(*n, fmt::format("'swap': '{}' and '{}' differ in type or size", a.name, b.name));
    // Their addresses are already in the module or in the texture object, where no name is looked up.
    for (const BufferSpec* one : {&a, &b}) {
      const auto reads = [&](const TextureSpec& x) { return x.buffer == one->name; };
      if (!one->symbol.empty() || std::any_of(out_.textures.begin(), out_.textures.end(), reads))
        t.fail(*n, fmt::format("'swap': '{}' is a variable of the module or read by a texture", one->name));
    }
    s.swaps.emplace_back(a.name, b.name);
  }
  out_.launches.push_back(std::move(s));
}

void LaunchParser::check_name(const TableReader& t, const TomlNode& at, const std::string& name,
                              bool textures) const {
  if (out_.find_buffer(name) != nullptr || (textures && out_.find_texture(name) != nullptr)) return;
  std::vector<std::string> names = names_of(out_.buffers);
  if (textures)
    for (const TextureSpec& x : out_.textures) names.push_back(x.name);
  std::string advice = did_you_mean(name, names);
  if (advice.empty())
    advice = names.empty() ? "the file has no [buffer.NAME]" : "there are: " + join(names, ", ");
  t.fail(at, fmt::format("there is no buffer '{}'", printable(name)), advice);
}

ArgSpec LaunchParser::argument(const TableReader& t, const TomlNode& n, int depth) {
  ArgSpec a;
  a.place = source_.place(n);
  if (const std::string* name = n.text()) {
    check_name(t, n, *name, true);
    a.value = ArgSpec::Name{*name, 0};
  } else if (const auto v = as_number(n)) {
    a.value = ArgSpec::Scalar{*v, std::nullopt};
  } else if (const auto* list = n.list()) {
    if (depth > 0 || list->empty())
      t.fail(n, "expected the members of a struct: numbers, typed numbers, names of buffers");
    std::vector<ArgSpec> members;
    for (const TomlNode& m : *list) members.push_back(argument(t, m, depth + 1));
    a.value = std::move(members);
  } else {
    return table_argument(n);
  }
  return a;
}

// { f32 = 0.5 }, { bytes = [1, 2] }, { buffer = "a", offset = 16 }
ArgSpec LaunchParser::table_argument(const TomlNode& n) {
  ArgSpec a;
  a.place = source_.place(n);
  TableReader t(source_, n, "an argument");
  if (const TomlNode* name = t.find("buffer")) {
    const std::string text = *t.text("buffer");
    check_name(t, *name, text, false);
    const std::uint64_t count = out_.find_buffer(text)->count;
    a.value = ArgSpec::Name{text, static_cast<std::uint64_t>(
                                      t.integer("offset", 0, static_cast<std::int64_t>(count)).value_or(0))};
    t.finish();
    return a;
  }
  if (const TomlNode* bytes = t.find("bytes")) {
    if (bytes->list() == nullptr)
      t.fail(*bytes, fmt::format("'bytes': expected a list, got {}", bytes->kind()));
    std::vector<std::byte> out;
    for (const TomlNode& b : *bytes->list()) {
      const auto* i = std::get_if<std::int64_t>(&b.data);
      if (i == nullptr || *i < 0 || *i > 255) t.fail(b, "'bytes': expected integers from 0 to 255");
      out.push_back(static_cast<std::byte>(*i));
    }
    a.value = std::move(out);
    t.finish();
    return a;
  }
  std::optional<ArgSpec::Scalar> scalar;
  for (std::size_t e = 0; e < element_names().size(); ++e) {
    const TomlNode* v = t.find(element_names()[e]);
    if (v == nullptr) continue;
    if (scalar) t.fail(*v, "an argument has one type");
    scalar = ArgSpec::Scalar{number_of(t, *v, element_names()[e]), static_cast<Element>(e)};
    std::byte one[8];
    if (const std::string why = store(*scalar->type, scalar->value, one); !why.empty()) t.fail(*v, why);
  }
  t.finish();
  if (!scalar)
    t.fail(
        "expected a typed number such as { f32 = 0.5 }, { bytes = [...] } or { buffer = \"a\", offset = 16 "
        "}");
  a.value = *scalar;
  return a;
}

void LaunchParser::output(TableReader& t, const std::string& name) {
  OutputSpec o;
  o.buffer = name;
  o.place = source_.place(t.node());
  const BufferSpec* b = out_.find_buffer(name);
  if (b == nullptr) {
    const std::vector<std::string> names = names_of(out_.buffers);
    std::string advice = did_you_mean(name, names);
    if (advice.empty())
      advice = names.empty() ? "the file has no [buffer.NAME]" : "there are: " + join(names, ", ");
    t.fail(fmt::format("{}: there is no buffer '{}'", t.name(), printable(name)), advice);
  }
  if (const TomlNode* n = t.find("compare")) comparison(t, o, *b, *n);
  if (const TomlNode* n = t.find("tolerance")) {
    if (n->text() != nullptr && *n->text() == "exact") {
      o.tolerance.reset();
    } else {
      if (n->text() != nullptr) t.fail(*n, "'tolerance': expected a number or \"exact\"");
      o.tolerance = t.number("tolerance");
      if (!(*o.tolerance >= 0)) t.fail(*n, "'tolerance': expected a number of at least 0");
    }
    if (o.against == OutputSpec::Against::Nothing) t.fail(*n, "'tolerance' without 'compare' has no effect");
  } else if (is_float(b->type)) {
    o.tolerance = b->type == Element::F16 ? 1e-3 : 1e-5;
  }
  if (const TomlNode* n = t.find("dump")) {
    o.dump = *t.text("dump");
    o.dump_place = source_.place(*n);
    if (o.dump != "-" && !o.dump.ends_with(".bin") && !o.dump.ends_with(".csv"))
      t.fail(*n, "'dump': expected a file that ends in .bin (raw) or .csv (text), or \"-\" to print");
    for (const OutputSpec& other : out_.outputs)
      if (o.dump != "-" && other.dump == o.dump)
        t.fail(*n, fmt::format("'{}' is already the dump of '{}'", o.dump, other.buffer));
  }
  if (const TomlNode* n = t.find("first")) {
    o.first = static_cast<std::size_t>(*t.integer("first", 1, 1'000'000));
    if (o.dump != "-") t.fail(*n, "'first' counts printed values, which need dump = \"-\"");
  }
  if (o.against == OutputSpec::Against::Nothing && o.dump.empty())
    t.fail(fmt::format("{} needs 'compare' or 'dump'", t.name()));
  out_.outputs.push_back(std::move(o));
}

// "file.bin", a number, or { buffer = "b" }.
void LaunchParser::comparison(TableReader& t, OutputSpec& o, const BufferSpec& b, const TomlNode& n) {
  o.compare_place = source_.place(n);
  if (n.text() != nullptr) {
    o.against = OutputSpec::Against::File;
    o.file = *n.text();
    if (o.file.empty()) t.fail(n, "'compare': expected the name of a file");
  } else if (const auto v = as_number(n)) {
    o.against = OutputSpec::Against::Constant;
    o.constant = *v;
    std::byte one[8];
    if (const std::string why = store(b.type, *v, one); !why.empty()) t.fail(n, why);
  } else {
    TableReader r(source_, n, "'compare'");
    const TomlNode& name = r.require("buffer", "compare = { buffer = \"b\" }, \"file.bin\" or a number");
    o.against = OutputSpec::Against::Buffer;
    o.other = *r.text("buffer");
    r.finish();
    check_name(t, name, o.other, false);
    const BufferSpec& w = *out_.find_buffer(o.other);
    if (w.type != b.type || w.count != b.count)
      t.fail(name,
             fmt::format("'{}' has {} of {}, '{}' has {} of {}", b.name, counted(b.count, "element"),
                         launch::name(b.type), w.name, counted(w.count, "element"), launch::name(w.type)));
  }
}

const BufferSpec* LaunchFile::find_buffer(std::string_view name) const {
  const auto at =
      std::find_if(buffers.begin(), buffers.end(), [&](const BufferSpec& b) { return b.name == name; });
  return at == buffers.end() ? nullptr : &*at;
}

const TextureSpec* LaunchFile::find_texture(std::string_view name) const {
  const auto at =
      std::find_if(textures.begin(), textures.end(), [&](const TextureSpec& x) { return x.name == name; });
  return at == textures.end() ? nullptr : &*at;
}

LaunchFile load_launch_file(const std::filesystem::path& path) {
  return parse_launch_file(read_file(path, 32u << 20), path.string());
}

LaunchFile parse_launch_file(std::string text, std::string file) {
  LaunchFile out;
  out.file = file;
  out.folder = std::filesystem::path(file).parent_path();
  const TomlSource source(std::move(file), std::move(text));
  LaunchParser(source, out).run(config::parse_toml(source, kLimits));
  return out;
}

}  // namespace heddle::launch
