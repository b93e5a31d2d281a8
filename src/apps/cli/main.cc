#include <cstdio>
#include <chrono>
#include "exec/functional_device.h"
#include "workloads/registry.h"
#include "base/error.h"
using namespace heddle;
int main(int argc,char**argv){
  workload::RunOptions o; o.scale=workload::Scale::Tiny; if(argc>2) o.scale=*workload::parse_scale(argv[2]);
  for (auto* w: workloads::all_workloads()) {
    if (argc>1 && std::string(argv[1])!="all" && w->info().name!=argv[1]) continue;
    try {
      exec::FunctionalDevice d;
      auto t0=std::chrono::steady_clock::now();
      auto v=w->run(d,o);
      double wall=std::chrono::duration<double>(std::chrono::steady_clock::now()-t0).count();
      unsigned long long n=0; unsigned long long ctas=0; for(auto&l:d.launches()) {for(auto&c:l.counts) n+=c.issued; ctas+=l.grid.count();}
      printf("%-10s %s err=%g cmp=%llu launches=%zu ctas=%llu winst=%.3fM wall=%.3fs %.2f M/s %s\n", w->info().name.c_str(), v.ok?"OK":"FAIL", v.max_error,(unsigned long long)v.compared,d.launches().size(),ctas,n/1e6,wall,n/1e6/wall,v.detail.c_str());
    } catch(const Error&e){ printf("%-10s ERROR %s\n", w->info().name.c_str(), e.what()); }
    fflush(stdout);
  }
}
