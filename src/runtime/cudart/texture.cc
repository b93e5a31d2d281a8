// Texture and surface objects.
#include "runtime/session/entry.h"
#include "runtime/session/texture_objects.h"

namespace heddle::runtime {

HEDDLE_ENTRY_RETURNING(cudaChannelFormatDesc, cudaCreateChannelDesc)
(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

HEDDLE_ENTRY(cudaCreateTextureObject)
(unsigned long long* object, const cudaResourceDesc* resource, const cudaTextureDesc* d, const void* view) {
  return entry([&](Session& s) {
    require(object != nullptr && resource != nullptr && d != nullptr, cudaErrorInvalidValue);
    refuse_view(view);
    *object = create_texture_object(s, *resource, *d);
  });
}
HEDDLE_ENTRY(cudaDestroyTextureObject)(unsigned long long object) {
  return entry([&](Session& s) { destroy_texture_object(s, object); });
}
HEDDLE_ENTRY(cudaGetTextureObjectResourceDesc)(cudaResourceDesc* resource, unsigned long long object) {
  return entry([&](Session& s) { *resource = find_texture_object(s, object).resource; });
}
HEDDLE_ENTRY(cudaGetTextureObjectTextureDesc)(cudaTextureDesc* d, unsigned long long object) {
  return entry([&](Session& s) { *d = find_texture_object(s, object).texture; });
}

HEDDLE_ENTRY(cudaCreateSurfaceObject)(unsigned long long* object, const cudaResourceDesc* resource) {
  return entry([&](Session& s) {
    require(object != nullptr && resource != nullptr, cudaErrorInvalidValue);
    *object = create_surface_object(s, *resource);
  });
}
HEDDLE_ENTRY(cudaDestroySurfaceObject)(unsigned long long object) {
  return entry([&](Session& s) { destroy_surface_object(s, object); });
}
HEDDLE_ENTRY(cudaGetSurfaceObjectResourceDesc)(cudaResourceDesc* resource, unsigned long long object) {
  return entry([&](Session& s) { *resource = find_surface_object(s, object); });
}

}  // namespace heddle::runtime
