// How texture and surface instructions get their handlers and operands when a kernel is linked.
#pragma once

#include "exec/image/binder.h"
#include "exec/image/code.h"
#include "ptx/ir/instr.h"

namespace heddle::exec {

// As in handlers/bind.h.
bool bind_texture(const ptx::Instr& instr, Binder& binder, Code& code);  // tex, tld4, txq, suq
bool bind_surface(const ptx::Instr& instr, Binder& binder, Code& code);

}  // namespace heddle::exec
