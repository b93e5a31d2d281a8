// Batches under way, as a store shows them to who looks on.
#include <nlohmann/json.hpp>

#include "study/store/store_connection.h"

namespace heddle::study {
namespace {

// The members that announce and tell share. `running` must live until the statement is reset.
void bind(Statement& s, const LiveBatch& b, const std::string& running) {
  s.bind(1, b.name).bind(2, static_cast<std::int64_t>(b.done)).bind(3, static_cast<std::int64_t>(b.of));
  s.bind(4, b.left_seconds).bind(5, running);
}

std::string as_json(const std::vector<std::string>& names) {
  return nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::int64_t Store::announce(const LiveBatch& b) {
  const std::string running = as_json(b.running);
  const Database::ShortWait nobody_needs_it(connection_->db);
  {
    const StatementUse q(connection_->announce);
    bind(connection_->announce, b, running);
    q->step();
  }
  return connection_->db.number("SELECT last_insert_rowid()");
}

void Store::tell(std::int64_t number, const LiveBatch& b) {
  const std::string running = as_json(b.running);
  const Database::ShortWait nobody_needs_it(connection_->db);
  const StatementUse q(connection_->tell);
  bind(connection_->tell, b, running);
  q->bind(6, number);
  q->step();
}

void Store::retire(std::int64_t number) {
  const Database::ShortWait nobody_needs_it(connection_->db);
  const StatementUse q(connection_->retire);
  q->bind(1, number);
  q->step();
}

std::vector<LiveBatch> Store::live() const {
  std::vector<LiveBatch> all;
  const StatementUse q(connection_->live);
  q->bind(1, std::int64_t{kSilentSeconds});
  while (q->step()) {
    LiveBatch& b = all.emplace_back();
    b.name = q->text(0);
    b.done = static_cast<std::size_t>(q->integer(1));
    b.of = static_cast<std::size_t>(q->integer(2));
    b.left_seconds = q->real(3);
    const auto running = nlohmann::json::parse(q->text(4), nullptr, false);
    if (running.is_array())
      for (const auto& name : running)
        if (name.is_string()) b.running.push_back(name);
  }
  return all;
}

}  // namespace heddle::study
