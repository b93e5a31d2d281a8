// The statements of a store.
#pragma once

#include <string>

#include <fmt/format.h>

#include "study/store/store.h"
#include "study/store/store_tables.h"

namespace heddle::study {

struct Store::Connection {
  explicit Connection(const std::filesystem::path& file);

  static std::string select_points(const char* rest) {
    return fmt::format("SELECT {}, seal FROM points {}", kPointColumns, rest);
  }

  std::string seal_point(std::int64_t id);  // the new seal of its row

  Database db;
  Statement has{db, "SELECT 1 FROM points WHERE key = ?"};
  Statement record{db, "SELECT record, record_seal FROM points WHERE key = ?"};
  Statement detail_seal{db, "SELECT detail_seal FROM points WHERE key = ?"};
  Statement detail{db, "SELECT detail FROM details WHERE key = ?"};
  Statement points{db, select_points("ORDER BY id").c_str()};
  Statement point{db, select_points("WHERE id = ?").c_str()};
  Statement latest{db, select_points("WHERE workload = ? AND scale = ? ORDER BY id DESC LIMIT 1").c_str()};
  Statement labels{db, fmt::format("SELECT {}, seal FROM labels", kLabelColumns).c_str()};
  Statement labels_of{db, fmt::format("SELECT {}, seal FROM labels WHERE key = ?", kLabelColumns).c_str()};
  Statement has_label{db,
                      "SELECT 1 FROM labels WHERE key = ? AND study = ? AND design = ? AND perturbation = ?"};
  Statement four{db, "SELECT ?, ?, ?, ?"};
  Statement state{db,
                  "SELECT (SELECT ifnull(max(id), 0) FROM points) || '.' || (SELECT count(*) FROM points) || "
                  "'.' || (SELECT count(*) FROM labels)"};

  Statement keep{
      db,
      "INSERT OR IGNORE INTO points (key, workload, contents, scale, seed, gpu, source_hash, finished, "
      "cpu_seconds, memory_bytes, verified, record_seal, detail_seal, seal, record) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, datetime('now'), ?, ?, ?, ?, ?, '', ?)"};
  Statement take_over{
      db,
      "INSERT INTO points (key, workload, contents, scale, seed, gpu, source_hash, finished, cpu_seconds, "
      "memory_bytes, verified, record_seal, detail_seal, seal, record) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', ?)"};
  Statement set_detail_seal{db, "UPDATE points SET detail_seal = ? WHERE key = ?"};
  Statement id_of{db, "SELECT id FROM points WHERE key = ?"};
  Statement seal{db, "UPDATE points SET seal = ? WHERE id = ?"};
  Statement keep_detail{db, "INSERT OR REPLACE INTO details (key, detail) VALUES (?, ?)"};
  Statement label{
      db, "INSERT OR IGNORE INTO labels (key, study, design, perturbation, seal) VALUES (?, ?, ?, ?, ?)"};
  Statement seals_of{db, "SELECT seal FROM points WHERE key = ?"};
  Statement forget_detail{db, "DELETE FROM details WHERE key = ?"};
  Statement forget_point{db, "DELETE FROM points WHERE key = ?"};
  Statement forget_labels{db, "DELETE FROM labels WHERE key = ?"};

  Statement announce{db,
                     "INSERT INTO batches (name, done, points, left_seconds, running, heartbeat) "
                     "VALUES (?, ?, ?, ?, ?, strftime('%s', 'now'))"};
  Statement tell{db,
                 "UPDATE batches SET name = ?, done = ?, points = ?, left_seconds = ?, running = ?, "
                 "heartbeat = strftime('%s', 'now') WHERE id = ?"};
  Statement retire{db, "DELETE FROM batches WHERE id = ? OR heartbeat < strftime('%s', 'now') - 86400"};
  Statement live{db,
                 "SELECT name, done, points, left_seconds, running FROM batches "
                 "WHERE strftime('%s', 'now') - heartbeat <= ? ORDER BY id"};
};

}  // namespace heddle::study
