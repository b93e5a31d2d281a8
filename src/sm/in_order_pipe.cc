#include "sm/in_order_pipe.h"

#include <fmt/format.h>

namespace heddle::sm {

std::string InOrderPipe::waits() const {
  if (queue_.empty() || queue_.front().requests == 0) return {};
  return fmt::format("; the first, of warp {}, wants line {:#x}{}", queue_.front().warp,
                     requests_.front().line, blocked_until_ != 0 ? " and the L1 is blocked" : "");
}

}  // namespace heddle::sm
