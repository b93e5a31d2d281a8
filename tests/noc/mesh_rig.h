// Meshes for tests.
#pragma once

#include <string>

#include "noc/mesh_layout.h"
#include "rig.h"

namespace heddle::noc {

// Its own parameters; the rest of the description in `more`.
inline RigOptions mesh_of(std::uint32_t inputs, std::uint32_t outputs, const std::string& more = "") {
  RigOptions o{.inputs = inputs, .outputs = outputs};
  o.spec = spec_of("topology = \"mesh\"\n" + more);
  return o;
}

inline MeshSpec mesh_spec(const std::string& toml) {
  config::Config config = config::Config::parse(toml, "mesh.toml");
  MeshSpec spec;
  config::Reader reader(&config, nullptr);
  spec.fields(reader);
  return spec;
}

inline MeshLayout layout_of(const std::string& toml, std::uint32_t cores, std::uint32_t slices,
                            Direction direction = Direction::Request) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  const bool request = direction == Direction::Request;
  return {mesh_spec(toml), place_of(request ? cores : slices, request ? slices : cores, map, {}, direction)};
}

}  // namespace heddle::noc
