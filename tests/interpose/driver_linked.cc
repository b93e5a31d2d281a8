// A program that is linked with the driver.
#include "tests/interpose/driver_calls.h"

#define SAMPLE_DECLARE(name, exported, parameters) extern "C" CUresult exported parameters;
SAMPLE_CALLS(SAMPLE_DECLARE)

DriverCalls driver_calls() {
  DriverCalls d;
#define SAMPLE_TAKE(name, exported, parameters) d.name = &exported;
  SAMPLE_CALLS(SAMPLE_TAKE)
  return d;
}
