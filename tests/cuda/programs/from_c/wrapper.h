#ifndef WRAPPER_H
#define WRAPPER_H
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif
struct settings {
  char factor; /* a structure with holes as kernel argument */
  long long offset;
  unsigned modulus;
};
cudaError_t scramble(unsigned* data, int n, struct settings settings);
#ifdef __cplusplus
}
#endif
#endif
