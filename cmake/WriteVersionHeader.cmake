# Run at build time by heddle_version_header.
execute_process(COMMAND ${SOURCE_DIR}/tools/source_hash OUTPUT_VARIABLE hash
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed OR NOT hash MATCHES "^[0-9a-f]+$")
  message(FATAL_ERROR "tools/source_hash failed: ${failed} ${hash}")
endif()
if(SANITIZE)
  string(APPEND BUILD_TYPE " with ${SANITIZE} sanitizers")
endif()
set(text "// Generated at build time.
#pragma once
#define HEDDLE_RELEASE \"${RELEASE}\"
#define HEDDLE_SOURCE_HASH \"${hash}\"
#define HEDDLE_COMPILER \"${COMPILER}\"
#define HEDDLE_BUILD_TYPE \"${BUILD_TYPE}\"
#define HEDDLE_TARGET \"${TARGET}\"
")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
