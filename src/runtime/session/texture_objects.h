// From CUDA's descriptions of textures and surfaces to those that kernels find behind a handle.
#pragma once

#include "runtime/session/session.h"

namespace heddle::runtime {

// The handle. Throws Failure.
std::uint64_t create_texture_object(Session& s, const cudaResourceDesc& resource,
                                    const cudaTextureDesc& texture);
std::uint64_t create_surface_object(Session& s, const cudaResourceDesc& resource);
void destroy_texture_object(Session& s, std::uint64_t object);
void destroy_surface_object(Session& s, std::uint64_t object);
const TextureObject& find_texture_object(Session& s, std::uint64_t object);
const cudaResourceDesc& find_surface_object(Session& s, std::uint64_t object);

// A view that shows the same texels in another way: its first field is the format, 0: the resource's own.
void refuse_view(const void* view);

}  // namespace heddle::runtime
