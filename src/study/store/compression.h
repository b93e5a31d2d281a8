// Texts of stores and archives, compressed with zstd.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::study {

// With a checksum of the text. Level 9 for what is written while points run, 19 for what is kept.
std::string compressed(std::string_view text, int level);
// nullopt: damaged, not made by compressed(), or of more than 1 GiB.
std::optional<std::string> decompressed(std::string_view bytes);
// Whether decompressed() would notice a text that has changed.
bool has_checksum(std::string_view bytes);

}  // namespace heddle::study
