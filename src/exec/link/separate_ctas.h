// Kernels whose CTAs cannot tell in which order they run, so that they may run on several host threads.
#pragma once

namespace heddle::exec {

struct KernelImage;

// Whether nothing in the kernel, nor in what it may call, is there for other CTAs to see or depends on what
// they have done: no atomics on global memory, no ordered or volatile access to it, no fence beyond the CTA,
// no sleep, no output, no allocation, no launch. Plain loads and stores of CTAs may still race: what they
// then read is undefined on a card, too.
bool has_separate_ctas(const KernelImage& image);

}  // namespace heddle::exec
