// templates/technique/SLOT/{src,test}/*: what `heddle new technique` writes (cmake/HeddleEmbed.cmake writes
// the function).
#pragma once

#include <span>

#include "base/embedded_file.h"

namespace heddle::cli {

std::span<const EmbeddedFile> embedded_templates();

}  // namespace heddle::cli
