// Accesses at which the warps of a CTA notice each other although no barrier stands between them.
#pragma once

namespace heddle::exec {

struct KernelImage;

// Sets Code::in_step of those accesses and KernelImage::in_step if there are any; and
// Code::instructions_to_write.
//
// A warp could run from one barrier to the next before the next warp starts: legal, but not what a card does.
// There the warps of a CTA leave a barrier together and go on about in step, and programs that forget a
// barrier depend on it: a value is read by all warps before one overwrites it some instructions later, or
// written before others read it. So where warps may touch what others write they access memory in the order
// of the instructions that each has executed since the barrier (cta_round.h).
//
// Nothing needs to be in step where between two barriers of the whole CTA a space is only read, or changed by
// atomics alone, or is written by a single instruction; nor in kernels that have neither barriers nor shared
// memory: there nothing says that warps are to see what others of the CTA do.
void mark_in_step(KernelImage& image);

}  // namespace heddle::exec
