// The tables of a store, and how a file becomes one: made, checked, brought to this version, repaired.
#pragma once

#include "study/store/database.h"
#include "study/store/seal.h"
#include "study/store/store.h"

namespace heddle::study {

// Makes the tables where there are none, and gives an older store its seals. Throws Error: not a store, made
// by a newer version, or of an older one and read-only.
void prepare_store(Database& db);

// What the seal of a row is made of, in order.
inline constexpr const char* kPointColumns =
    "id, key, workload, contents, scale, seed, gpu, source_hash, finished, cpu_seconds, memory_bytes, "
    "verified, record_seal, detail_seal";
inline constexpr int kPointColumnCount = 14;
inline constexpr const char* kLabelColumns = "key, study, design, perturbation";
inline constexpr int kLabelColumnCount = 4;

SealTally read_tally(Database& db, std::string_view table);  // "points", "labels"
void write_tally(Database& db, std::string_view table, const SealTally& tally);
void change_tally(Database& db, std::string_view table, const std::vector<std::string>& removed,
                  const std::string& added = {});

// Removes every row whose seal does not hold, in the caller's transaction, and counts the rest anew.
Store::Repaired repair_store(Database& db);

}  // namespace heddle::study
