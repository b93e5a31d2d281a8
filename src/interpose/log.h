// Messages for whoever looks for a fault, with HEDDLE_CLUSTER_LOG=1.
#pragma once

#include <fmt/format.h>

#include <string>

namespace heddle::interpose {

bool log_wanted();
void write_log(const std::string& line);

template <class... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  if (log_wanted()) write_log(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace heddle::interpose
