// Programs that look the driver's functions up, as CUDA's runtime does: by dlsym(), then by cuGetProcAddress.
#include <dlfcn.h>

#include <string_view>

#include "interpose/entry.h"
#include "interpose/entry_points.h"

namespace heddle::interpose {
namespace {

// Whether the driver means the function that this library knows: a later version of CUDA may have changed it.
bool is_known_form(const EntryPoint& e, const void* found, int version, std::uint64_t flags) {
  if (version == e.version) return true;
  void* known = nullptr;
  if (driver().cuGetProcAddress_v2 != nullptr)
    driver().cuGetProcAddress_v2(e.name, &known, e.version, flags, nullptr);
  else
    call(driver().cuGetProcAddress, e.name, &known, e.version, flags);
  return known == found;
}

void replace(const char* symbol, void** function, int version, std::uint64_t flags) {
  if (function == nullptr || *function == nullptr || symbol == nullptr || !watching()) return;
  const EntryPoint* const e = find_by_flags(symbol, flags, version);
  if (e == nullptr) return;
  const DriverLooksUp driver_looks_up;
  if (is_known_form(*e, *function, version, flags)) {
    *function = e->function;
    log("{} of CUDA {} is {}", symbol, version, e->exported);
  } else {
    log("{} of CUDA {} is not known", symbol, version);
  }
}

}  // namespace

HEDDLE_INTERPOSED CUresult cuGetProcAddress(const char* symbol, void** function, int version,
                                            std::uint64_t flags) {
  CUresult code = kSuccess;
  {
    const DriverLooksUp driver_looks_up;
    code = call(driver().cuGetProcAddress, symbol, function, version, flags);
  }
  if (code == kSuccess) replace(symbol, function, version, flags);
  return code;
}
HEDDLE_INTERPOSED CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                               std::uint64_t flags, int* status) {
  CUresult code = kSuccess;
  {
    const DriverLooksUp driver_looks_up;
    code = call(driver().cuGetProcAddress_v2, symbol, function, version, flags, status);
  }
  if (code == kSuccess) replace(symbol, function, version, flags);
  return code;
}

}  // namespace heddle::interpose

using namespace heddle::interpose;

// For dlsym() below, which ends with a jump: what RTLD_NEXT means depends on who has called.
extern "C" __attribute__((visibility("hidden"))) void* heddle_real_dlsym;
void* heddle_real_dlsym = nullptr;

extern "C" __attribute__((visibility("hidden"))) void* heddle_own_function(void* library, const char* name) {
  heddle_real_dlsym = reinterpret_cast<void*>(real_dlsym());
  if (name == nullptr || !std::string_view(name).starts_with("cu") || DriverLooksUp::now()) return nullptr;
  const EntryPoint* const e = find_exported(name);
  if (e == nullptr || !watching()) return nullptr;
  // Only where there would be one.
  if (real_dlsym()(library, name) == nullptr) return nullptr;
  log("{} by dlsym", name);
  return e->function;
}

#if defined(__x86_64__)
__asm__(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call heddle_own_function
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  test %rax, %rax
  jne 1f
  jmp *heddle_real_dlsym(%rip)
1:
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
__asm__(R"(
  .text
  .balign 4
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset 29, -32
  .cfi_offset 30, -24
  stp x0, x1, [sp, #16]
  bl heddle_own_function
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  cbnz x9, 1f
  adrp x9, heddle_real_dlsym
  ldr x9, [x9, :lo12:heddle_real_dlsym]
  br x9
1:
  mov x0, x9
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#else
#error "write dlsym() for this processor"
#endif
