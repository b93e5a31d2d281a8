// SHA-256, to name things by their contents.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle {

std::string sha256_hex(std::string_view data);  // 64 digits
// The same of a file's contents, which may be larger than memory. Throws Error.
std::string sha256_of_file(const std::filesystem::path& file);
std::string sha256_base64(std::string_view data);  // 44 letters, as web pages write it

}  // namespace heddle
