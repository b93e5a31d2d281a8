#include "fatbin/archive.h"

#include <charconv>

#include "base/text.h"
#include "fatbin/elf.h"

namespace heddle::fatbin {
namespace {

constexpr std::string_view kArchiveMagic = "!<arch>\n";
constexpr std::uint64_t kMemberHeader = 60, kSizeAt = 48, kSizeDigits = 10;

}  // namespace

bool is_archive(std::span<const std::byte> file) {
  return View(file, "static library").text().starts_with(kArchiveMagic);
}

std::vector<std::span<const std::byte>> archive_objects(std::span<const std::byte> file) {
  const View view(file, "static library");
  std::vector<std::span<const std::byte>> objects;
  for (std::uint64_t at = kArchiveMagic.size(); at < view.size();) {
    const std::string_view digits = trim(view.part(at, kMemberHeader).text().substr(kSizeAt, kSizeDigits));
    std::uint64_t size = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (failed != std::errc{} || end != digits.data() + digits.size())
      throw Error(fmt::format("damaged static library: expected a member's size at byte {}", at + kSizeAt));
    const auto member = view.part(at + kMemberHeader, size).bytes();
    if (is_elf(member)) objects.push_back(member);
    at += kMemberHeader + size + size % 2;  // members begin at even places
  }
  return objects;
}

}  // namespace heddle::fatbin
