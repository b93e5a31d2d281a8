// `heddle new technique`: a folder that builds, is tested and does nothing yet, in a source tree of Heddle.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/templates.h"
#include "base/error.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "gpu/catalog.h"
#include "study/design/design_catalog.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

struct TechniqueSlot {
  std::string_view name;      // as --slot takes it, and the folder of its templates
  std::string_view contract;  // header with the rules
  std::string_view table;     // function of gpu/catalog.cc with its kinds
  std::string_view kind;      // what the technique's header calls its own
  std::string_view section;   // of parameters that its implementations have theirs in: SECTION.NAME.*
};
constexpr std::array<TechniqueSlot, 5> kSlots{{
    {"merger", "cluster/miss_merger.h", "mergers()", "kMerger", "cluster"},
    {"cta_scheduler", "cta/cta_scheduler.h", "cta_schedulers()", "kScheduler", "cta"},
    {"warp_scheduler", "sm/warp_scheduler.h", "warp_schedulers()", "kScheduler", "sm"},
    {"load_front", "sm/load_front.h", "load_fronts()", "kFront", "sm"},
    {"topology", "noc/topology.h", "topologies()", "kTopology", "noc.request"},
}};
constexpr const char* kCatalog = "src/gpu/catalog.cc";

// Words and names that a namespace, a folder of sources or a library could not have.
constexpr std::array kTaken = {
    "alignas",   "alignof",   "and",      "asm",      "auto",     "bitand",  "bitor",   "bool",
    "break",     "case",      "catch",    "char",     "class",    "compl",   "concept", "const",
    "consteval", "constexpr", "continue", "decltype", "default",  "delete",  "do",      "double",
    "else",      "enum",      "explicit", "export",   "extern",   "false",   "float",   "for",
    "friend",    "goto",      "if",       "inline",   "int",      "long",    "mutable", "namespace",
    "new",       "noexcept",  "not",      "nullptr",  "operator", "or",      "private", "protected",
    "public",    "register",  "requires", "return",   "short",    "signed",  "sizeof",  "static",
    "struct",    "switch",    "template", "this",     "throw",    "true",    "try",     "typedef",
    "typeid",    "typename",  "union",    "unsigned", "using",    "virtual", "void",    "volatile",
    "while",     "xor",       "test",     "std"};

const TechniqueSlot& find_slot(const std::string& name) {
  std::vector<std::string> names;
  for (const TechniqueSlot& s : kSlots) {
    if (s.name == name) return s;
    names.emplace_back(s.name);
  }
  const std::string meant = did_you_mean(name, names);
  throw Error(fmt::format("no slot takes a technique as '{}'", printable(name)),
              meant.empty() ? "slots: " + join(names, ", ") : meant);
}

void check_name(const std::string& name, const fs::path& root) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  constexpr const char* kExpected =
      "letters from a to z, digits and single _, beginning with a letter: victim_buffer";
  if (name.empty() || name.size() > 40 || !std::all_of(name.begin(), name.end(), plain) ||
      name.front() < 'a' || name.back() == '_' || name.find("__") != std::string::npos)
    throw Error(fmt::format("'{}' cannot name a technique", printable(name)), kExpected);
  if (std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end())
    throw Error(fmt::format("'{}' cannot name a technique: it is a word of C++", name),
                "choose another name");
  // Its namespace and its library would be those of a layer.
  if (fs::exists(root / "src" / name) || fs::exists(root / name))
    throw Error(fmt::format("'{}' is the name of a part of Heddle", name), "choose another name");
}

// A technique gives its name to an implementation, a section of parameters, a design and a library, and often
// to a group of statistics.
void check_free(const std::string& name, const TechniqueSlot& slot, const fs::path& root) {
  const auto taken = [&](const std::string& by) {
    throw Error(fmt::format("'{}' is taken: {}", name, by), "choose another name");
  };
  for (const gpu::Slot& s : gpu::catalog())
    for (const config::NamedChoice& c : s.implementations())
      if (c.name == name) taken(fmt::format("it is an implementation of {} (heddle list)", s.key));
  const std::string within = fmt::format("{}.{}", slot.section, name);
  const auto is_or_has = [](const std::string& path, const std::string& group) {
    return path == group || path.starts_with(group + ".");
  };
  for (const std::string& path : all_params().paths())
    if (is_or_has(path, within) || is_or_has(path, name))
      taken(fmt::format("there is the parameter {}", path));
  for (const std::string& statistic : machine_stats().names())
    if (is_or_has(statistic, name)) taken(fmt::format("there is the statistic {}", statistic));
  if (const study::Design* d = study::design_catalog().find(name))
    taken(fmt::format("there is the design {}", d->name));
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(root / "src"))
    if (e.path().filename() == "CMakeLists.txt")
      for (const char* after : {" ", "\n", ")"})
        if (read_file(e.path()).find(fmt::format("heddle_library({}{}", name, after)) != std::string::npos)
          taken(fmt::format("there is the library heddle_{}", name));
}

void check_root(const fs::path& root) {
  for (const char* file : {"CMakeLists.txt", kCatalog, "cmake/HeddleBuild.cmake"})
    if (!fs::is_regular_file(root / file))
      throw Error(
          fmt::format("'{}' is no source tree of Heddle: it has no {}", printable(root.string()), file),
          "run it in the source tree, or name it with --root DIR");
}

std::string class_name(const std::string& name) {
  std::string out;
  for (const std::string_view word : split(name, '_')) {
    out += word;
    char& first = out[out.size() - word.size()];
    first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
  }
  return out;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

struct NewFile {
  fs::path path;  // from the root
  std::string text;
};

// templates/technique/merger/src/NAME.h.in -> src/techniques/<name>/<name>.h
std::vector<NewFile> files_of(const TechniqueSlot& slot, const std::string& name) {
  const std::string folder = fmt::format("templates/technique/{}/", slot.name);
  std::vector<NewFile> files;
  for (const EmbeddedFile& t : embedded_templates()) {
    if (!t.file.starts_with(folder)) continue;
    const fs::path rest(t.file.substr(folder.size()));
    const bool test = *rest.begin() == "test";
    const std::string file = replaced(rest.filename().replace_extension().string(), "NAME", name);
    const std::string text = replaced(std::string(t.text), "@NAME@", name);
    files.push_back({fs::path(test ? "tests/techniques" : "src/techniques") / name / file,
                     replaced(text, "@CLASS@", class_name(name))});
  }
  return files;
}

void write_all(const fs::path& root, const std::vector<NewFile>& files) {
  for (const NewFile& f : files)
    if (const fs::path folder = (root / f.path).parent_path(); fs::exists(folder))
      throw Error(fmt::format("'{}' is there already", printable(folder.string())),
                  "choose another name, or remove the folder");
  for (const NewFile& f : files) {
    std::error_code failed;
    fs::create_directories((root / f.path).parent_path(), failed);
    if (failed)
      throw Error(fmt::format("cannot make '{}': {}", printable((root / f.path).parent_path().string()),
                              failed.message()));
    write_file(root / f.path, f.text);
    std::cout << "  " << f.path.string() << "\n";
  }
}

}  // namespace

std::vector<std::string> technique_slots() {
  std::vector<std::string> names;
  for (const TechniqueSlot& s : kSlots) names.emplace_back(s.name);
  return names;
}

int new_technique_command(const NewTechniqueOptions& options) {
  const fs::path root = options.root.empty() ? "." : options.root;
  const TechniqueSlot& slot = find_slot(options.slot);
  check_root(root);
  check_name(options.name, root);
  check_free(options.name, slot, root);
  std::cout << fmt::format("a technique in the slot {} (its rules: src/{}):\n", slot.name, slot.contract);
  write_all(root, files_of(slot, options.name));
  std::cout << fmt::format(
      "\nIt does nothing yet. Add to {}, among the includes and in {}:\n"
      "  #include \"techniques/{name}/{name}.h\"\n"
      "      {name}::{},\n"
      "\nBuild it, test it, try it (docs/add-a-technique.md):\n"
      "  cmake --preset release && ninja -C build/release heddle {name}_test\n"
      "  build/release/tests/techniques/{name}/{name}_test\n"
      "  ./heddle compare hotspot --scale tiny --designs baseline,{name}\n",
      kCatalog, slot.table, slot.kind, fmt::arg("name", options.name));
  return 0;
}

}  // namespace heddle::cli
