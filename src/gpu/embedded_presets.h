// configs/*.toml (cmake/HeddleEmbed.cmake writes the function).
#pragma once

#include <span>

#include "config/config.h"

namespace heddle::gpu {

std::span<const config::BuiltIn> embedded_presets();  // by name

}  // namespace heddle::gpu
