#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "fatbin/archive.h"
#include "fatbin/elf.h"
#include "fatbin/fatbin.h"
#include "fatbin/layout.h"

namespace heddle::fatbin {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{2} << 30;
constexpr std::uint64_t kAlignment = 8;  // of containers in their section

std::string machine_name(std::uint16_t number) {
  switch (number) {
    case elf::kAarch64:
      return "arm64";
    case elf::kX86_64:
      return "x86-64";
    case elf::kCuda:
      return "GPU";
    default:
      return fmt::format("machine {}", number);
  }
}

// Without device code to link, nvcc leaves an empty container, or, for a real architecture, one with machine
// code in which there is nothing to load: every program that has its kernels elsewhere (the driver's
// interface) would seem to lack PTX. What cannot be read is kept: others tell what is wrong with it.
bool holds_something(std::span<const std::byte> container) {
  constexpr std::uint64_t kAllocated = 2;  // a section flag
  if (container.size() <= kContainerHeader) return false;
  try {
    for (const Entry& e : entries(container)) {
      if (e.kind != Kind::Cubin) return true;
      const std::string cubin = unpack(e);
      const Elf elf(std::as_bytes(std::span(cubin)));
      for (const ElfSection& s : elf.sections())
        if ((s.flags & kAllocated) != 0) return true;
    }
  } catch (const Error&) {
    return true;
  }
  return false;
}

// Containers lie one after another, with zeros between them. So nothing needs to be relocated, as the
// pointers in
// `.nvFatBinSegment` would have to be.
// `room` is what the file has not yet given: sections that overlap would make more of it than there is.
void add_containers(const ElfSection& section, std::uint64_t& room,
                    std::vector<std::vector<std::byte>>& modules) {
  const View view = section.contents;
  if (view.size() > room) throw Error("damaged ELF file: sections with device code overlap");
  room -= view.size();
  for (std::uint64_t at = 0; at + kContainerHeader <= view.size();) {
    if (view.u64(at) == 0) {
      at += kAlignment;
      continue;
    }
    const std::uint64_t size = container_bytes(view.bytes().subspan(at));
    const auto container = view.part(at, size).bytes();
    if (holds_something(container)) modules.emplace_back(container.begin(), container.end());
    at += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
}

// The runtime's own texts are in the file also when its symbols are not: the name of an error that no program
// would use.
bool has_static_cudart(const Elf& elf) {
  for (const ElfSection& s : elf.sections())
    if (s.name == ".rodata")
      return s.contents.text().find("cudaErrorCudartUnloading") != std::string_view::npos;
  return false;
}

void add_elf(std::span<const std::byte> file, Program& program) {
  const Elf elf(file);
  program.machine = machine_name(elf.machine());
  program.this_machine = program.this_machine && program.machine == this_machine();
  std::uint64_t room = file.size();
  for (const ElfSection& s : elf.sections()) {
    if (s.name != ".nv_fatbin" && s.name != "__nv_relfatbin") continue;
    if (s.name == "__nv_relfatbin") program.relocatable = true;
    add_containers(s, room, program.modules);
  }
  for (const std::string_view library : elf.needed())
    if (library.starts_with("libcudart.so")) {
      program.cudart = Program::Cudart::Shared;
      program.cudart_name = library;
    }
  if (program.cudart == Program::Cudart::None && has_static_cudart(elf))
    program.cudart = Program::Cudart::Static;
}

}  // namespace

std::string this_machine() {
#if defined(__aarch64__)
  return machine_name(elf::kAarch64);
#elif defined(__x86_64__)
  return machine_name(elf::kX86_64);
#else
#error "name this machine as ELF files do"
#endif
}

Program parse_program(std::span<const std::byte> file) {
  Program program;
  if (is_archive(file)) {
    for (const auto object : archive_objects(file)) add_elf(object, program);
  } else if (file.size() >= 4 && View(file, "fat binary").u32(0) == kContainerMagic) {
    const std::uint64_t size = container_bytes(file);
    const auto container = View(file, "fat binary").part(0, size).bytes();
    program.modules.emplace_back(container.begin(), container.end());
  } else {
    add_elf(file, program);
  }
  return program;
}

Program read_program(const std::filesystem::path& path) {
  const std::string file = read_file(path, kLargestFile);
  try {
    return parse_program(std::as_bytes(std::span(file)));
  } catch (const Error& e) {
    throw Error(SourcePlace{path.string(), 0, 0, {}}, e.message(), e.advice());
  }
}

}  // namespace heddle::fatbin
