# How every Heddle target is compiled, and the functions that declare them.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# With hidden symbols -fPIC (heddle_library below) makes the same code as without: nothing goes through the global offset
# table.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
endif()

add_library(heddle_options INTERFACE)
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
# Simulated results may not depend on the host: no fused operation that the source does not name.
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wshadow -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping copies in "literal" + string where there are none (its bug 105651), and on x86-64 of writes
  # behind the end inside of fmt's headers.
  target_compile_options(heddle_options INTERFACE -Wno-restrict)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    target_compile_options(heddle_options INTERFACE -Wno-stringop-overflow)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # std::stable_sort of GCC 12's library uses what that library calls deprecated; clang reports it at our line.
  target_compile_options(heddle_options INTERFACE -Wno-deprecated-declarations)
endif()
if(HEDDLE_WERROR)
  target_compile_options(heddle_options INTERFACE -Werror)
endif()
include(HeddleMarch)
heddle_choose_march(march)
if(march)
  target_compile_options(heddle_options INTERFACE -march=${march})
endif()
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer)
  # Lines are enough for the reports; all of -g doubles the time to compile.
  target_compile_options(heddle_options INTERFACE -g1)
  target_link_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE})
  # With these checks in the code GCC loses track of what is set.
  target_compile_options(heddle_options INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
  # Checks in a loop keep it from being vectorized, and Clang warns where the source asks for that.
  target_compile_options(heddle_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
endif()

# The layers that a simulated cycle goes through are optimised as one when the program is linked: 4 to 8% less time, 10 s
# of linking. Their objects also hold ordinary code, so that the many test programs link as fast as ever.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT HEDDLE_SANITIZE)
  set(HEDDLE_LINK_TIME ON)
endif()

# heddle_fast_link(TARGET): the program or library TARGET is linked so.
function(heddle_fast_link target)
  if(HEDDLE_LINK_TIME)
    target_link_options(${target} PRIVATE -flto=auto)
  endif()
endfunction()

# heddle_library(NAME SOURCES a.cc b.cc DEPS other ...): static library heddle_NAME for one layer. One in a folder of
# src/techniques/ becomes part of every machine: heddle_gpu depends on it.
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  string(FIND "${CMAKE_CURRENT_SOURCE_DIR}/" "${CMAKE_SOURCE_DIR}/src/techniques/" technique)
  if(technique EQUAL 0)
    set_property(GLOBAL APPEND PROPERTY heddle_techniques heddle_${name})
  endif()
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(heddle_${name} PUBLIC heddle_options ${ARG_DEPS})
  # One set of objects for the program and for the libraries that CUDA programs load.
  set_target_properties(heddle_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(name MATCHES "^(gpu|points|study|validation)$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 loses track of strings in a large struct that is returned.
    target_compile_options(heddle_${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(name MATCHES "^(exec_alu|workloads)$")
    # Their files use the same names for things of their own.
    set_target_properties(heddle_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(HEDDLE_LINK_TIME AND (technique EQUAL 0 OR name MATCHES "^(sim|mem|sm|cache|cluster|noc|dram|cta|hierarchy|gpu)$"))
    target_compile_options(heddle_${name} PRIVATE -flto=auto -ffat-lto-objects)
  endif()
  if(HEDDLE_SANITIZE)
    # What tests and fuzzers run millions of times is optimised a little; the rest compiles in half the time without.
    set(often "^(base|exec|ptx|sim|mem|sm|cache|cluster|noc|dram|cta|hierarchy|gpu)")
    if(HEDDLE_FUZZ)
      set(often "^(base|config|exec|fatbin|mem|ptx)")  # no fuzzer simulates a machine
    endif()
    if(name MATCHES "${often}" OR (technique EQUAL 0 AND NOT HEDDLE_FUZZ))
      target_compile_options(heddle_${name} PRIVATE -O1)
    else()
      target_compile_options(heddle_${name} PRIVATE -O0)
    endif()
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND name MATCHES "^(launch|points|study|user_kernel)$")
    # What runs once in a while: -O3 takes half as long again to compile.
    target_compile_options(heddle_${name} PRIVATE -O1)
  endif()
endfunction()

# The tests' own code need not be fast, and compiling it is most of a build: not optimised, and GoogleTest's headers
# compiled once for all test programs.
function(heddle_test_headers)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cc CONTENT "")
  add_library(heddle_test_headers STATIC ${CMAKE_BINARY_DIR}/test_headers.cc)
  target_compile_options(heddle_test_headers PRIVATE -O0)
  target_link_libraries(heddle_test_headers PRIVATE heddle_options GTest::gtest GTest::gmock)
  target_precompile_headers(heddle_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endfunction()

# heddle_test(NAME SOURCES a_test.cc DEPS heddle_x): one GoogleTest program NAME, run by ctest.
function(heddle_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE -O0)
  target_precompile_headers(${name} REUSE_FROM heddle_test_headers)
  target_link_libraries(${name} PRIVATE heddle_options ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "tests/(cli|launch|validation)$")
    set_property(GLOBAL APPEND PROPERTY heddle_layer_tests ${name})
  endif()
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "tests/(base|config|stats|ptx|fatbin|mem|workload|exec)$")
    set_property(GLOBAL APPEND PROPERTY heddle_core_tests ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS core)
  endif()
endfunction()

# heddle_fuzzer(NAME SOURCES f.cc DEPS heddle_x): a libFuzzer target, only with HEDDLE_FUZZ.
function(heddle_fuzzer name)
  if(NOT HEDDLE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE heddle_options ${ARG_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
