// Processes of a user that share a card, one at a time: what one runs does not disturb what another one
// times.
#pragma once

namespace heddle::card {

class CardTurns {
 public:
  CardTurns();  // where there is no place for the lock's file, nobody waits
  ~CardTurns();
  CardTurns(const CardTurns&) = delete;
  CardTurns& operator=(const CardTurns&) = delete;

  // Waits until nobody else has the card; turns of one process may lie inside each other.
  void begin();
  // Everything that was asked of the card must be done.
  void end();

 private:
  int file_ = -1;
  unsigned depth_ = 0;
};

}  // namespace heddle::card
