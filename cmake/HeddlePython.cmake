# Whether the Python module is built (HEDDLE_PYTHON: AUTO, where all that it takes is there; ON; OFF), and what it takes:
#   HEDDLE_BUILD_PYTHON            whether
#   HEDDLE_PYTHON_INCLUDES         Python's headers and pybind11's
#   HEDDLE_PYTHON_SUFFIX           of extension modules: .cpython-311-x86_64-linux-gnu.so
#   HEDDLE_PYTHON_DESTINATION      where Python looks for packages, below a prefix: lib/python3.11/dist-packages
# An extension does not link Python's library, so a build for another architecture needs its headers only; this machine's
# Python, of the same version, tells the rest.
set(HEDDLE_PYTHON AUTO CACHE STRING "Build the Python module: AUTO, ON, OFF")
set_property(CACHE HEDDLE_PYTHON PROPERTY STRINGS AUTO ON OFF)
# The system's before others in PATH: what Debian's packages bring is for that one. pip names its own.
find_program(HEDDLE_PYTHON_PROGRAM python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HEDDLE_PYTHON_PROGRAM python3)

# heddle_find_python(OUT): empty when all is there, else what is missing.
function(heddle_find_python missing)
  if(NOT HEDDLE_PYTHON_PROGRAM)
    set(${missing} "there is no python3 (Debian: python3-dev)" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${HEDDLE_PYTHON_PROGRAM} -c "
import sysconfig
print(sysconfig.get_path('include'))
print(sysconfig.get_config_var('EXT_SUFFIX'))
print(sysconfig.get_config_var('MULTIARCH') or '')
print('python' + sysconfig.get_python_version())
place = sysconfig.get_path('platlib', vars={'base': '', 'platbase': ''}).lstrip('/')
print(place[len('local/'):] if place.startswith('local/') else place)  # Debian's own scheme
try:
    import pybind11
    print(pybind11.get_include())
except ImportError:
    print()
" OUTPUT_VARIABLE told RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(${missing} "${HEDDLE_PYTHON_PROGRAM} failed" PARENT_SCOPE)
    return()
  endif()
  string(REPLACE "\n" ";" told "${told};")
  list(GET told 0 include)
  list(GET told 1 suffix)
  list(GET told 2 native)
  list(GET told 3 version)
  list(GET told 4 destination)
  list(GET told 5 pybind11_hint)
  if(NOT EXISTS ${include}/Python.h)
    set(${missing} "there is no ${include}/Python.h (Debian: python3-dev)" PARENT_SCOPE)
    return()
  endif()
  find_path(HEDDLE_PYBIND11 pybind11/pybind11.h HINTS ${pybind11_hint})
  if(NOT HEDDLE_PYBIND11)
    set(${missing} "there is no pybind11 (Debian: pybind11-dev)" PARENT_SCOPE)
    return()
  endif()
  if(CMAKE_CROSSCOMPILING)
    string(REPLACE "${native}" "${CMAKE_LIBRARY_ARCHITECTURE}" suffix "${suffix}")
    set(there /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/${version}/pyconfig.h)
    if(NOT EXISTS ${there})
      set(${missing} "there is no ${there} (Debian: lib${version}-dev of that architecture)" PARENT_SCOPE)
      return()
    endif()
  endif()
  set(HEDDLE_PYTHON_INCLUDES ${include} ${HEDDLE_PYBIND11} PARENT_SCOPE)
  set(HEDDLE_PYTHON_SUFFIX ${suffix} PARENT_SCOPE)
  set(HEDDLE_PYTHON_DESTINATION ${destination} PARENT_SCOPE)
  set(${missing} "" PARENT_SCOPE)
endfunction()

set(HEDDLE_BUILD_PYTHON OFF)
if(HEDDLE_PYTHON STREQUAL AUTO AND (CMAKE_CROSSCOMPILING OR HEDDLE_SANITIZE OR HEDDLE_FUZZ))
  # Wanted in none of these unless somebody says so.
elseif(HEDDLE_PYTHON)
  heddle_find_python(missing)
  if(NOT missing)
    set(HEDDLE_BUILD_PYTHON ON)
  elseif(HEDDLE_PYTHON STREQUAL AUTO)
    message(STATUS "The Python module is not built: ${missing}; docs/python.md")
  else()
    message(FATAL_ERROR "HEDDLE_PYTHON is ON, but ${missing}. See docs/python.md; -DHEDDLE_PYTHON=OFF builds without.")
  endif()
endif()
