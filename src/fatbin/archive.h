// Static libraries (`ar`): the objects in them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heddle::fatbin {

bool is_archive(std::span<const std::byte> file);
// Members that are ELF files, in file order; Error when the archive is damaged.
std::vector<std::span<const std::byte>> archive_objects(std::span<const std::byte> file);

}  // namespace heddle::fatbin
