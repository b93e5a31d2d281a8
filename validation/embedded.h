// What the build put inside the program (cmake/HeddleEmbed.cmake writes the first two functions).
#pragma once

#include <span>
#include <string_view>

#include "base/embedded_file.h"

namespace heddle::validation {

std::span<const EmbeddedFile> embedded_ptx();   // validation/ptx/*.ptx
std::span<const EmbeddedFile> embedded_data();  // validation/data/*.csv

// Throws Error when there is none of this name.
const EmbeddedFile& find_embedded(std::span<const EmbeddedFile> files, std::string_view name);

}  // namespace heddle::validation
