# METIS has neither a CMake package nor a file for pkg-config: heddle_metis. Of another architecture there is only the
# library itself, which has its version in its name.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY NAMES metis libmetis.so.5)
if(NOT METIS_INCLUDE_DIR OR NOT METIS_LIBRARY)
  message(FATAL_ERROR "METIS was not found. Install libmetis-dev (tools/packages/build.txt has all that is needed).")
endif()
add_library(heddle_metis INTERFACE)
target_include_directories(heddle_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(heddle_metis INTERFACE ${METIS_LIBRARY})
