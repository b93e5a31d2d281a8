# What `cmake --install` puts where, beside the program (installed by src/apps/cli).
set(HEDDLE_DATADIR ${CMAKE_INSTALL_DATADIR}/heddle)
# For kernels that users compile themselves.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/workloads/device/ DESTINATION ${HEDDLE_DATADIR}/device
        FILES_MATCHING PATTERN "*.h")
# For CUDA programs on real GPUs (docs/cta_clustering.md).
install(DIRECTORY ${CMAKE_SOURCE_DIR}/cuda/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh")
if(EXISTS ${CMAKE_SOURCE_DIR}/configs)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/configs/ DESTINATION ${HEDDLE_DATADIR}/configs
          FILES_MATCHING PATTERN "*.toml")
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/CITATION.cff ${CMAKE_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
