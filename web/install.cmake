# Fetches the packages of the report page; run at build time by web/CMakeLists.txt. Scripts of packages are not run.
execute_process(COMMAND ${NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "npm could not fetch the packages of the report page; its output is above. Without a network, "
                      "configure with -DHEDDLE_WEB=OFF: everything but report pages works.")
endif()
# The file's date must be newer than package-lock.json's, or it would be fetched at every build.
file(TOUCH node_modules/.package-lock.json)
