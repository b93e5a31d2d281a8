// Whole files, with errors that say what to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace heddle {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// Throws Error when the file cannot be read or is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit = kNoLimit);

// A regular file is written beside and renamed, so that a reader never sees half of it; it keeps its mode and
// owner, and a link to it stays a link. In place instead: what is no regular file (a device, a pipe,
// /dev/stdout), a file with several names, and one in a folder that cannot be written to. Throws Error.
void write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace heddle
