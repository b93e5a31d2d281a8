// The archive of a study: writing, reading, and running a part of it again.
#pragma once

#include <filesystem>
#include <string>

#include "apps/cli/commands/commands.h"
#include "study/definition/studies.h"
#include "study/plan/archive.h"

namespace heddle::cli {

// --store, or the usual one.
std::filesystem::path store_file(const std::string& given);

void write_archive(const study::StudySource& source, const study::Archive& archive);
// What is finished of a study that is not whole: added to what is there. Those of a whole archive are not
// needed.
void write_part(const study::StudySource& source, const study::Archive& archive);
// Empty where there is none.
study::Archive read_part(const study::StudySource& source, workload::Scale scale);
// Throws Error: there is none for this scale.
study::Archive read_archive(const study::StudySource& source, workload::Scale scale);
// What its points cost where it was made, else those on the study's own machine; empty when there is no
// archive of this scale.
study::KnownCosts archived_costs(study::StudySource source, workload::Scale scale);
// Simulates a sample again, without the store, and compares bit for bit. Status 1: something differs.
int check_archive(const StudyOptions& options, const study::Archive& archive);

}  // namespace heddle::cli
