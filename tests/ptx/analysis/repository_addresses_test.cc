// Whatever compilers write, the analysis ends, soon, and says what it does not follow.
#include <gtest/gtest.h>

#include <cstdio>

#include "ptx/analysis/cta_addresses.h"
#include "ptx/parse/parse_module.h"
#include "rewrite/repository_texts.h"

namespace heddle::ptx {
namespace {

TEST(RepositoryAddresses, AreFound) {
  std::size_t kernels = 0, accesses = 0, followed = 0, by_data = 0;
  for (const NamedText& t : repository_texts()) {
    SCOPED_TRACE(t.name);
    std::vector<Unsupported> unsupported;
    const Module m = parse_module(t.text, t.name, {}, &unsupported);
    for (const Function& f : m.functions) {
      if (!f.entry || f.external) continue;
      ++kernels;
      const KernelAddresses found = find_addresses(m, f);
      for (const GlobalAccess& a : found.accesses) {
        ++accesses;
        followed += a.understood;
        by_data += a.by_data;
        EXPECT_EQ(a.loop.size(), a.loops.size());
        EXPECT_GT(a.width, 0u);
        EXPECT_LE(a.offset.degree(), 8u);
      }
    }
  }
  std::printf("%zu kernels, %zu accesses, %zu followed, %zu by data\n", kernels, accesses, followed, by_data);
  EXPECT_GT(followed * 100, accesses * 98);
}

}  // namespace
}  // namespace heddle::ptx
