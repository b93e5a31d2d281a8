// The device functions and types; everything is in cuda_runtime.h.
#pragma once
#include "cuda_runtime.h"
