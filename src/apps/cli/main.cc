// The heddle command.
#include <cstdio>

#include "base/version.h"

int main() {
  std::puts(heddle::version_line().c_str());
  return 0;
}
