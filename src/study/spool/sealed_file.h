// Small files of a spool: written whole or not at all, and checked when they are read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::study {

// On disk when it returns. `kind` ("plan") stands in the first line with the version. Throws Error.
void write_sealed(const std::filesystem::path& file, std::string_view kind, std::string_view text);
// False: there is a file of that name, which stays.
bool write_new_sealed(const std::filesystem::path& file, std::string_view kind, std::string_view text);
// Throws Error: it cannot be read, is of another kind or version, or damaged.
std::string read_sealed(const std::filesystem::path& file, std::string_view kind);

// A folder's list of names on disk: what was made or renamed there is found after a crash.
void sync_folder(const std::filesystem::path& folder);

}  // namespace heddle::study
