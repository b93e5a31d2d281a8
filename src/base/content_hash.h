// SHA-256, to name things by their contents.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

std::string sha256_hex(std::string_view data);     // 64 digits
std::string sha256_base64(std::string_view data);  // 44 letters, as web pages write it

}  // namespace heddle
