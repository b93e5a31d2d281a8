# Toolchain: Debian's cross compiler for x86-64, with the libraries of that architecture (tools/packages/cross.txt).
# Tests run under qemu's user mode.
set(HEDDLE_CROSS_TRIPLE x86_64-linux-gnu)
set(HEDDLE_CROSS_QEMU qemu-x86_64;-cpu;max)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
