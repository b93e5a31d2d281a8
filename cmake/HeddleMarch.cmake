# The instruction set to compile for. Not -march=native unless asked for: on arm64 it made almost the same code and no
# measurable difference, the program would not run on an older machine, and valgrind, which counts instructions in
# ./test, knows neither AVX-512 nor SVE.
#   x86-64: x86-64-v3 (AVX2 and FMA: since 2013) where this machine can run it, else the compiler's default. Without
#           FMA every fused operation is a call into the C library: the same results, slower.
#   arm64:  the compiler's default; NEON and FMA are always there.
function(heddle_choose_march result)
  set(march ${HEDDLE_MARCH})
  if(NOT march AND HEDDLE_NATIVE AND NOT CMAKE_CROSSCOMPILING)
    set(march native)
  elseif(NOT march AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("
      int main() {
        return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") &&
               __builtin_cpu_supports(\"bmi\") && __builtin_cpu_supports(\"bmi2\") ? 0 : 1;
      }" HEDDLE_HOST_IS_X86_64_V3)
    if(HEDDLE_HOST_IS_X86_64_V3)
      set(march x86-64-v3)
    endif()
  endif()
  set(${result} "${march}" PARENT_SCOPE)
endfunction()
