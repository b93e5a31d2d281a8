// Programs of others that heddle starts, and the libraries that it puts into them.
#pragma once

#include <filesystem>
#include <string>

namespace heddle::cli {

bool is_program(const std::filesystem::path& file);
// By its path, or in the folders of PATH as a shell finds it. What is found nowhere comes back as it was.
std::filesystem::path find_program(const std::string& name);
bool is_script(const std::filesystem::path& file);

// Where libraries for programs are: of the build tree, or beside an installed heddle. Throws Error: `library`
// is in neither.
std::filesystem::path library_folder(const std::string& library);

}  // namespace heddle::cli
