// The bundled workloads by name, and their PTX.
#pragma once

#include <span>
#include <string_view>

#include "workload/directory.h"
#include "workload/workload.h"

namespace heddle::workloads {

// Sorted by name.
std::span<const workload::Workload* const> all_workloads();
// These and their kernels, by all names that they have.
const workload::Directory& directory();
// Null when it has none of this name.
const workload::Workload* find_workload(std::string_view name);

// The PTX texts in the program, sorted by name; one per workload folder.
std::span<const workload::EmbeddedPtx> all_embedded_ptx();
// Throws Error when there is none of this name.
workload::EmbeddedPtx embedded_ptx(std::string_view name);
// Loads embedded_ptx(name) into `device`.
void load_embedded(workload::Device& device, std::string_view name);

}  // namespace heddle::workloads
