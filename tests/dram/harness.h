// Drives a channel: transfers at given ticks, and when each was finished.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "dram/channel.h"

namespace heddle::dram {

struct Push {
  Tick at = 0;
  Transfer transfer;
};

inline Transfer read(std::uint32_t bank, std::uint32_t row, std::uint32_t id = 0, std::uint32_t bytes = 64) {
  return {id, bank, row, 0, bytes, false};
}
inline Transfer write(std::uint32_t bank, std::uint32_t row, std::uint32_t id = 0, std::uint32_t bytes = 64) {
  return {id, bank, row, 0, bytes, true};
}

// Pushes every transfer at its tick, or as soon after it as the queue has room. `step`: ticks per run().
inline std::vector<Finished> play(Channel& channel, const std::vector<Push>& pushes, Tick step = 1) {
  std::vector<Finished> done;
  Tick now = 0;
  std::size_t next = 0;
  while (next < pushes.size() || channel.waiting() != 0) {
    while (next < pushes.size() && pushes[next].at <= now && channel.can_accept(pushes[next].transfer.bank))
      channel.push(now, pushes[next++].transfer);
    channel.run(now, now + step, done);
    now += step;
    if (now > 100'000'000) {
      ADD_FAILURE() << "does not end: " << channel.waits();
      break;
    }
  }
  return done;
}

// All at tick 0.
inline std::vector<Finished> play_at_once(const DramSpec& spec, const std::vector<Transfer>& transfers) {
  DramSpec s = spec;
  s.queue = static_cast<std::uint32_t>(transfers.size());
  Channel channel(s);
  std::vector<Push> pushes;
  for (const Transfer& t : transfers) pushes.push_back({0, t});
  return play(channel, pushes);
}

inline Tick end_of(const std::vector<Finished>& done, std::uint32_t id) {
  for (const Finished& f : done)
    if (f.id == id) return f.at;
  ADD_FAILURE() << "never finished: " << id;
  return 0;
}

}  // namespace heddle::dram
