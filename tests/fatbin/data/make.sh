#!/usr/bin/env bash
# Makes the files of this folder; needs nvcc 13. They are kept, so that the tests do not need it.
# Registers of scale and rotate as `nvcc --resource-usage` prints them are in registers.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
ptx="-gencode arch=compute_75,code=compute_75"
# shellcheck disable=SC2086  # several words
{
  nvcc -fatbin $ptx -compress-mode=default kernels.cu -o zstd.fatbin
  nvcc -fatbin $ptx -compress-mode=speed kernels.cu -o lz4.fatbin
  nvcc -fatbin $ptx -no-compress kernels.cu -o stored.fatbin
  nvcc -fatbin -G $ptx -compress-mode=size kernels.cu -o debug.fatbin
  nvcc -fatbin $ptx -gencode arch=compute_90,code=compute_90 -gencode arch=compute_90a,code=compute_90a \
    -gencode arch=compute_100f,code=compute_100f -compress-mode=size kernels.cu -o several.fatbin
  nvcc -fatbin -rdc=true -gencode arch=compute_80,code=lto_80 kernels.cu -o lto.fatbin
  code=
  for sm in 75 80 90 120; do code+=" -gencode arch=compute_$sm,code=sm_$sm"; done
  nvcc -fatbin $code -compress-mode=size kernels.cu -o machine_code.fatbin
  nvcc -fatbin -gencode 'arch=compute_75,code=[compute_75,sm_75]' -compress-mode=size kernels.cu -o both.fatbin
  nvcc -c $ptx kernels.cu -o object.elf
  nvcc -c -rdc=true $ptx kernels.cu -o relocatable.elf
  nvcc -cudart shared -DPROGRAM $ptx kernels.cu -o shared -Xlinker -z,max-page-size=4096
}
strip object.elf relocatable.elf shared
for sm in 75 80 90 120; do
  nvcc -cubin -arch=sm_$sm --resource-usage kernels.cu -o /dev/null 2>&1 |
    awk -v sm=$sm '/Compiling entry/ {name = $7} /Used/ {print sm, name, $5}' | tr -d "'"
done >registers.txt
