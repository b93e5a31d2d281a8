# What the toolchain files share: HEDDLE_CROSS_TRIPLE and HEDDLE_CROSS_QEMU come from them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${HEDDLE_CROSS_TRIPLE}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${HEDDLE_CROSS_TRIPLE})
set(CMAKE_CROSSCOMPILING_EMULATOR ${HEDDLE_CROSS_QEMU})
# pkg-config as for the other architecture: its own folder, then what does not depend on one.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${HEDDLE_CROSS_TRIPLE}/pkgconfig:/usr/share/pkgconfig)
# Debian's multiarch layout: libraries and CMake packages of the other architecture lie under its triple, headers in
# common. Those of this machine may not be found instead.
set(CMAKE_FIND_ROOT_PATH /usr/${HEDDLE_CROSS_TRIPLE} /usr/lib/${HEDDLE_CROSS_TRIPLE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_SYSTEM_IGNORE_PREFIX_PATH /usr/local)
