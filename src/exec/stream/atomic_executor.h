// Global atomics where they meet: at their L2 slice.
#pragma once

#include <vector>

#include "exec/memory/atomic_records.h"
#include "mem/atomic_unit.h"
#include "mem/device_memory.h"
#include "mem/store_log.h"

namespace heddle::exec {

// One object for all slices: execute() touches only the log of request.slice and the record that the request
// names.
class AtomicExecutor final : public mem::AtomicUnit {
 public:
  // `records` by SM, `logs` by slice; all outlive this object.
  AtomicExecutor(const mem::DeviceMemory& memory, std::vector<AtomicRecords*> records,
                 std::vector<mem::StoreLog*> logs);

  // Lanes one after another, lowest first. Old values go to the record, new ones to the slice's log.
  void execute(const mem::Request& request) override;
  mem::AtomicWork work(const mem::Request& request) const override;
  std::uint64_t changes() const override;

 private:
  const mem::DeviceMemory& memory_;
  std::vector<AtomicRecords*> records_;
  std::vector<mem::StoreLog*> logs_;
  struct alignas(64) Changes {
    std::uint64_t count = 0;
  };
  std::vector<Changes> changes_;  // by slice: partitions run side by side
};

}  // namespace heddle::exec
