# heddle_version_header(TARGET): generates heddle_version.h for TARGET. The hash is taken at every build
# (milliseconds), but the header is only touched when its text changes, so an unchanged tree compiles nothing.
function(heddle_version_header target)
  set(folder ${CMAKE_BINARY_DIR}/generated)
  add_custom_target(heddle_version_header
    COMMAND ${CMAKE_COMMAND}
      -DSOURCE_DIR=${CMAKE_SOURCE_DIR}
      -DOUTPUT=${folder}/heddle_version.h
      -DRELEASE=${PROJECT_VERSION}
      "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
      "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
      "-DSANITIZE=${HEDDLE_SANITIZE}"
      -DTARGET=${CMAKE_SYSTEM_PROCESSOR}
      -P ${CMAKE_SOURCE_DIR}/cmake/WriteVersionHeader.cmake
    COMMENT "Source hash"
    BYPRODUCTS ${folder}/heddle_version.h
    VERBATIM)
  add_dependencies(${target} heddle_version_header)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
