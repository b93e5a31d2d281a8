# Toolchain: Debian's cross compiler for arm64, with the libraries of that architecture (tools/packages/cross.txt).
# Tests run under qemu's user mode.
set(HEDDLE_CROSS_TRIPLE aarch64-linux-gnu)
set(HEDDLE_CROSS_QEMU qemu-aarch64;-cpu;max)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
