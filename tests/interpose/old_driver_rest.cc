// The functions of the old driver that do nothing.
#include "tests/interpose/driver_calls.h"

#define SAMPLE_EMPTY(name, exported, parameters)                  \
  extern "C" __attribute__((weak)) CUresult exported parameters;  \
  extern "C" __attribute__((weak)) CUresult exported parameters { \
    return 0;                                                     \
  }
SAMPLE_CALLS(SAMPLE_EMPTY)
