// Launches: of the rewritten kernel where that can be, timed either way.
#include "interpose/agents.h"
#include "interpose/entry.h"
#include "interpose/launch_times.h"
#include "interpose/loaded.h"

namespace heddle::interpose {
namespace {

CUresult issue(const LaunchCall& c) {
  const auto& [gx, gy, gz] = c.grid;
  const auto& [bx, by, bz] = c.block;
  if (c.config != nullptr) {
    CUlaunchConfig config = *c.config;
    config.stream = c.stream;
    return call(driver().cuLaunchKernelEx, &config, c.function, c.parameters, c.extra);
  }
  if (c.cooperative)
    return call(driver().cuLaunchCooperativeKernel, c.function, gx, gy, gz, bx, by, bz, c.shared, c.stream,
                c.parameters);
  return call(driver().cuLaunchKernel, c.function, gx, gy, gz, bx, by, bz, c.shared, c.stream, c.parameters,
              c.extra);
}

// A launch, and what is known of it before it is made.
struct Prepared {
  KernelPtr kernel;
  AgentLaunch agents;
  LaunchCall redirected;
  const LaunchCall* instead = nullptr;  // of the rewritten kernel
  bool captured = false;
  Session::LaunchNote note;
};

void prepare(const LaunchCall& c, Prepared& p) {
  const Options& options = Session::get().options();
  p.kernel = LoadedCode::get().find(c.function);
  p.captured = is_capturing(c.stream);
  p.note.ctas = c.ctas();
  if (options.mode != Mode::Rewritten) return;
  p.note.reason = p.kernel->reason;
  if (p.kernel->rewritten == nullptr) return;
  p.note.reason = p.captured ? "captured into a graph" : launch_obstacle(c);
  if (!p.note.reason.empty()) return;
  if (!options.agents) {
    p.redirected = c;
    p.redirected.function = p.kernel->rewritten;
    p.instead = &p.redirected;
  } else if (p.agents.prepare(c, *p.kernel, options.active_agents)) {
    p.instead = &p.agents.launch();
    p.note.agents = p.instead->ctas();
  } else {
    p.note.reason = p.agents.reason();
  }
}

// Whatever the driver does not take rewritten it gets as it was.
CUresult issue(const LaunchCall& c, Prepared& p) {
  if (p.instead == nullptr) return issue(c);
  const CUresult code = issue(*p.instead);
  if (code == kSuccess) {
    p.note.rewritten = true;
    return code;
  }
  p.note.agents = 0;
  p.note.reason = fmt::format("the driver does not launch it rewritten: {}", name_of(code));
  log("{}: {}", p.kernel->name, p.note.reason);
  return issue(c);
}

CUresult launch(const LaunchCall& c) {
  if (!watching()) return issue(c);
  Prepared p;
  LaunchTimes::Stamp stamp;
  quietly([&] {
    const RelaxedCapture relaxed;
    prepare(c, p);
    if (!p.captured) stamp = LaunchTimes::get().start(c.stream);
  });
  const CUresult code = issue(c, p);
  quietly([&] {
    if (code != kSuccess || p.kernel == nullptr) return LaunchTimes::get().give_up(stamp);
    const RelaxedCapture relaxed;
    const std::size_t number = Session::get().add_launch(p.kernel->name, p.note);
    LaunchTimes::get().end(stamp, c.stream, number);
  });
  return code;
}

LaunchCall of_config(const CUlaunchConfig* config, CUfunction f, void** parameters, void** extra) {
  LaunchCall c;
  c.function = f;
  std::copy(config->grid, config->grid + 3, c.grid);
  std::copy(config->block, config->block + 3, c.block);
  c.shared = config->shared;
  c.stream = config->stream;
  c.parameters = parameters;
  c.extra = extra;
  c.config = config;
  return c;
}

CUresult launch_graph(CUgraphExec graph, CUstream stream) {
  if (!watching() || is_capturing(stream)) return call(driver().cuGraphLaunch, graph, stream);
  LaunchTimes::Stamp stamp;
  quietly([&] {
    const RelaxedCapture relaxed;
    stamp = LaunchTimes::get().start(stream);
  });
  const CUresult code = call(driver().cuGraphLaunch, graph, stream);
  quietly([&] {
    if (code != kSuccess) return LaunchTimes::get().give_up(stamp);
    const RelaxedCapture relaxed;
    Session::LaunchNote note;
    note.reason = "kernels of a graph";
    LaunchTimes::get().end(stamp, stream, Session::get().add_launch("(graph)", note));
  });
  return code;
}

}  // namespace

HEDDLE_INTERPOSED CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                          void** parameters, void** extra) {
  return launch({f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, extra});
}
HEDDLE_INTERPOSED CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                               unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                               CUstream stream, void** parameters, void** extra) {
  return launch({f, {gx, gy, gz}, {bx, by, bz}, shared, of_thread(stream), parameters, extra});
}
HEDDLE_INTERPOSED CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                                     unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                                     CUstream stream, void** parameters) {
  return launch({f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, nullptr, nullptr, true});
}
HEDDLE_INTERPOSED CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                                          unsigned bx, unsigned by, unsigned bz,
                                                          unsigned shared, CUstream stream,
                                                          void** parameters) {
  return launch(
      {f, {gx, gy, gz}, {bx, by, bz}, shared, of_thread(stream), parameters, nullptr, nullptr, true});
}
HEDDLE_INTERPOSED CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** parameters,
                                            void** extra) {
  if (config == nullptr) return call(driver().cuLaunchKernelEx, config, f, parameters, extra);
  return launch(of_config(config, f, parameters, extra));
}
HEDDLE_INTERPOSED CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f,
                                                 void** parameters, void** extra) {
  if (config == nullptr) return call(driver().cuLaunchKernelEx, config, f, parameters, extra);
  LaunchCall c = of_config(config, f, parameters, extra);
  c.stream = of_thread(c.stream);
  return launch(c);
}
HEDDLE_INTERPOSED CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  return launch_graph(graph, stream);
}
HEDDLE_INTERPOSED CUresult cuGraphLaunch_ptsz(CUgraphExec graph, CUstream stream) {
  return launch_graph(graph, of_thread(stream));
}

}  // namespace heddle::interpose
