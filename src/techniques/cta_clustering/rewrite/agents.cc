#include <fmt/format.h>

#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/read.h"
#include "techniques/cta_clustering/rewrite/agent_launch.h"
#include "techniques/cta_clustering/rewrite/checks.h"
#include "techniques/cta_clustering/rewrite/passes.h"
#include "techniques/cta_clustering/rewrite/successor.h"
#include "techniques/cta_clustering/rewrite/task_registers.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using tree::Refusal;

// The task in shared memory: whether there is one, its coordinates; the grid; the same of the one after it;
// and what thread 0 has to know between tasks: its cluster, and how many clusters it has found empty. There it
// takes no registers from the body.
constexpr std::string_view kTaskVariable = ".shared .align 16 .b32 HD_task[16];\n";

// Parameters are loaded once: assemblers read them where they lie, in a constant bank, and keep none of them
// in a register. An agent that is not active finds all clusters empty. %HD_b: behind the counters of
// clusters, where agents that have left are counted, and behind them clusters without tasks.
constexpr std::string_view kEntry = R"(
.reg .pred %HD_other, %HD_p;
.reg .b32 %HD_gx, %HD_gy, %HD_gz, %HD_active, %HD_clusters, %HD_q, %HD_r;
.reg .b32 %HD_x_factor, %HD_x_shift, %HD_y_factor, %HD_y_shift;
.reg .b32 %HD_home, %HD_empty, %HD_has, %HD_v, %HD_nx, %HD_ny, %HD_nz, %HD_t<10>;
.reg .b64 %HD_workspace, %HD_counters, %HD_a, %HD_b;
ld.param.u32 %HD_gx, [HD_grid_x];
ld.param.u32 %HD_gy, [HD_grid_y];
ld.param.u32 %HD_gz, [HD_grid_z];
ld.param.u32 %HD_active, [HD_active_agents];
ld.param.u32 %HD_clusters, [HD_clusters];
ld.param.u32 %HD_q, [HD_tasks];
ld.param.u32 %HD_r, [HD_rest];
ld.param.u32 %HD_x_factor, [HD_x_factor];
ld.param.u32 %HD_x_shift, [HD_x_shift];
ld.param.u32 %HD_y_factor, [HD_y_factor];
ld.param.u32 %HD_y_shift, [HD_y_shift];
ld.param.u64 %HD_workspace, [HD_workspace];
cvta.to.global.u64 %HD_counters, %HD_workspace;
mad.wide.u32 %HD_b, %HD_clusters, 8, %HD_counters;
mov.u32 %HD_t0, %tid.x;
mov.u32 %HD_t1, %tid.y;
mov.u32 %HD_t2, %tid.z;
or.b32 %HD_t0, %HD_t0, %HD_t1;
or.b32 %HD_t0, %HD_t0, %HD_t2;
setp.ne.u32 %HD_other, %HD_t0, 0;
@%HD_other bra HD_claim;
st.shared.v4.u32 [HD_task+16], {%HD_gx, %HD_gy, %HD_gz, %HD_t0};
mov.u32 %HD_home, %smid;
setp.lt.u32 %HD_p, %HD_home, %HD_clusters;
@%HD_p bra HD_count;
rem.u32 %HD_home, %HD_home, %HD_clusters;
HD_count:
add.u32 %HD_t3, %HD_home, %HD_clusters;
mad.wide.u32 %HD_a, %HD_t3, 4, %HD_counters;
atom.global.add.u32 %HD_t4, [%HD_a], 1;
setp.ge.u32 %HD_p, %HD_t4, %HD_active;
selp.b32 %HD_empty, %HD_clusters, 0, %HD_p;
st.shared.v2.u32 [HD_task+48], {%HD_home, %HD_empty};
)";

constexpr std::string_view kOrder = R"(
.reg .b64 %HD_table, %HD_order;
ld.param.u64 %HD_table, [HD_order];
cvta.to.global.u64 %HD_order, %HD_table;
)";

// By thread 0. t0: the cluster that it takes from; t1: how many tasks have been taken from it before; t2:
// how many it has. In clusters other than its own it looks before it takes, and ends as soon as all clusters
// are known to be empty: a round trip to the L2 for each of them would be many microseconds on large cards.
// It asks when it needs a task and not before: asking ahead gained nothing on an H200, and where tasks differ
// in length (spmv) others could not take those that were held.
//
// What thread 0 alone will know is set for all, or it would be kept in registers through the body.
constexpr std::string_view kClaim = R"(
HD_claim:
mov.u32 %HD_has, 0;
mov.u32 %HD_nx, 0;
mov.u32 %HD_ny, 0;
mov.u32 %HD_nz, 0;
HD_NO_SUCCESSOR
@%HD_other bra HD_ready;
ld.shared.v2.u32 {%HD_home, %HD_empty}, [HD_task+48];
HD_next:
setp.ge.u32 %HD_p, %HD_empty, %HD_clusters;
@%HD_p bra HD_none;
add.u32 %HD_t0, %HD_home, %HD_empty;
setp.ge.u32 %HD_p, %HD_t0, %HD_clusters;
@%HD_p sub.u32 %HD_t0, %HD_t0, %HD_clusters;
setp.lt.u32 %HD_p, %HD_t0, %HD_r;
selp.u32 %HD_t2, 1, 0, %HD_p;
add.u32 %HD_t2, %HD_t2, %HD_q;
mad.wide.u32 %HD_a, %HD_t0, 4, %HD_counters;
setp.eq.u32 %HD_p, %HD_empty, 0;
@%HD_p bra HD_take;
ld.volatile.global.u32 %HD_t3, [%HD_b+4];
ld.volatile.global.u32 %HD_t1, [%HD_a];
setp.eq.u32 %HD_p, %HD_q, 0;
selp.b32 %HD_t4, %HD_r, %HD_clusters, %HD_p;
setp.ge.u32 %HD_p, %HD_t3, %HD_t4;
@%HD_p bra HD_none;
setp.ge.u32 %HD_p, %HD_t1, %HD_t2;
@%HD_p bra HD_without;
HD_take:
atom.global.add.u32 %HD_t1, [%HD_a], 1;
setp.lt.u32 %HD_p, %HD_t1, %HD_t2;
@%HD_p bra HD_got;
HD_without:
add.u32 %HD_empty, %HD_empty, 1;
bra HD_next;
HD_got:
add.u32 %HD_t3, %HD_t1, 1;
setp.eq.u32 %HD_p, %HD_t3, %HD_t2;
@%HD_p red.global.add.u32 [%HD_b+4], 1;
add.u32 %HD_t3, %HD_q, 1;
mad.lo.u32 %HD_v, %HD_t0, %HD_t3, %HD_t1;
sub.s32 %HD_t3, %HD_r, %HD_t0;
min.s32 %HD_t3, %HD_t3, 0;
add.u32 %HD_v, %HD_v, %HD_t3;
)";

// The task that an agent of this SM takes when every active one has taken another.
constexpr std::string_view kSuccessor = R"(
add.u32 %HD_t9, %HD_t1, %HD_active;
setp.lt.u32 %HD_p, %HD_t9, %HD_t2;
selp.u32 %HD_has, 1, 0, %HD_p;
@!%HD_p bra HD_last;
mov.u32 %HD_t9, %HD_v;
add.u32 %HD_v, %HD_v, %HD_active;
HD_COORDINATES
mov.u32 %HD_v, %HD_t9;
HD_last:
mov.u32 %HD_next_has, %HD_has;
mov.u32 %HD_next_x, %HD_nx;
mov.u32 %HD_next_y, %HD_ny;
mov.u32 %HD_next_z, %HD_nz;
)";
constexpr std::string_view kNoSuccessor = R"(
mov.u32 %HD_next_has, 0;
mov.u32 %HD_next_x, 0;
mov.u32 %HD_next_y, 0;
mov.u32 %HD_next_z, 0;
)";
constexpr std::string_view kStoreSuccessor =
    "st.shared.v4.u32 [HD_task+32], {%HD_next_has, %HD_next_x, %HD_next_y, %HD_next_z};\n";
constexpr std::string_view kSuccessorRegisters =
    ".reg .b32 %HD_next_has, %HD_next_x, %HD_next_y, %HD_next_z;\n";

constexpr std::string_view kPrefetch = R"(
ld.shared.v4.u32 {%HD_has, %HD_nx, %HD_ny, %HD_nz}, [HD_task+32];
setp.eq.u32 %HD_p, %HD_has, 0;
@%HD_p bra HD_body;
HD_PREFETCHES
HD_body:
)";

// The first barrier: nobody needs the old task any more, nor what shared memory it used, when the new one is
// written; the second: it is written.
constexpr std::string_view kTell = R"(
mov.u32 %HD_has, 1;
HD_none:
st.shared.v2.u32 [HD_task+48], {%HD_home, %HD_empty};
HD_ready:
bar.sync HD_BARRIER;
@%HD_other bra HD_wait;
st.shared.v4.u32 [HD_task], {%HD_has, %HD_nx, %HD_ny, %HD_nz};
HD_STORE_SUCCESSOR
HD_wait:
bar.sync HD_BARRIER;
ld.shared.v4.u32 {%HD_has, %HD_nx, %HD_ny, %HD_nz}, [HD_task];
setp.eq.u32 %HD_p, %HD_has, 0;
@%HD_p bra HD_leave;
)";

// The last agent that leaves sets all counters to 0 for the next launch.
constexpr std::string_view kEnd = R"(
HD_end:
HD_COPIES
bra HD_claim;
HD_leave:
@%HD_other ret;
mov.u32 %HD_t0, %nctaid.x;
mov.u32 %HD_t1, %nctaid.y;
mov.u32 %HD_t2, %nctaid.z;
mul.lo.u32 %HD_t0, %HD_t0, %HD_t1;
mul.lo.u32 %HD_t0, %HD_t0, %HD_t2;
membar.gl;
atom.global.add.u32 %HD_t1, [%HD_b], 1;
add.u32 %HD_t1, %HD_t1, 1;
setp.ne.u32 %HD_p, %HD_t1, %HD_t0;
@%HD_p ret;
mov.u32 %HD_t4, 0;
st.global.u32 [%HD_b+4], %HD_t4;
mov.u64 %HD_a, %HD_counters;
HD_reset:
st.global.u32 [%HD_a], %HD_t4;
setp.eq.u64 %HD_p, %HD_a, %HD_b;
add.u64 %HD_a, %HD_a, 4;
@!%HD_p bra HD_reset;
ret;
)";

// By what the launch has computed of the grid's sides.
std::string divided_by_side(std::string_view quotient, std::string_view number, char side) {
  return fmt::format(
      "shl.b32 {0}, {1}, 1;\nmul.hi.u32 {0}, {0}, %HD_{2}_factor;\nshr.u32 {0}, {0}, %HD_{2}_shift;\n",
      quotient, number, side);
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// %HD_ctaid_x from %HD_nx, %HD_nctaid_x from %HD_gx.
std::string moves(const TaskRegisters& registers) {
  std::string code;
  for (const std::string& name : registers.names)
    code += fmt::format("mov.u32 %{}, %HD_{}{};\n", name, name.starts_with("HD_n") ? 'g' : 'n', name.back());
  return code + registers.halves_code();
}

// Threads that end the body go on to the end of the task.
void redirect_returns(tree::Function& f, const std::string& end) {
  for (tree::Statement* s : tree::instructions(*f.body)) {
    auto& i = *s->as<tree::Instruction>();
    if (!i.root.is("ret") && !i.root.is("exit")) continue;
    i.root.text = "bra";
    i.operands = {{tree::Piece{ptx::Tok::Name, tree::Gap::Blank, end}}};
  }
}

void append_parameters(tree::Function& f, const std::string& prefix, bool table) {
  if (!f.params) f.params.emplace();
  std::string list;
  for (const char* name : kAgentParameters)
    list += fmt::format("{}.param .{} HD_{}", list.empty() ? "" : ", ",
                        name == std::string_view("workspace") ? "u64" : "u32", name);
  if (table) list += fmt::format(", .param .u64 HD_{}", kOrderParameter);
  const auto declared = tree::read_module_statements(named(".func f(" + list + ");", prefix));
  for (const tree::Pieces& p : *declared.at(0).as<tree::Function>()->params) f.params->push_back(p);
}

bool copies_asynchronously(const KernelCode& code) {
  for (const FunctionCode& f : code.functions)
    for (const ptx::Instr& in : f.decoded->instrs)
      if (in.op == ptx::Op::CpAsync) return true;
  return false;
}

void edit_kernel(tree::Function& f, const std::string& prefix, const Agents& options, int barrier,
                 bool waits_for_copies, const SuccessorPrefetch& next) {
  const TaskRegisters registers = replace_task_registers(f, prefix, true);
  redirect_returns(f, prefix + "_end");
  const bool table = options.partition.order == Order::Table;
  append_parameters(f, prefix, table);
  const bool prefetches = next.loads != 0;
  const auto finished = [&](std::string code) {
    code = replaced(std::move(code), "HD_NO_SUCCESSOR", prefetches ? kNoSuccessor : "");
    code = replaced(std::move(code), "HD_STORE_SUCCESSOR", prefetches ? kStoreSuccessor : "");
    code = replaced(std::move(code), "HD_BARRIER", std::to_string(barrier));
    return added(replaced(std::move(code), "HD_COPIES", waits_for_copies ? "cp.async.wait_all;" : ""),
                 prefix);
  };
  auto& body = f.body->statements;
  const std::string coordinates = coordinates_code(options.partition, divided_by_side);
  const auto head = finished(
      registers.declarations() + next.declarations + std::string(prefetches ? kSuccessorRegisters : "") +
      std::string(table ? kOrder : "") + std::string(kEntry) + std::string(kClaim) +
      (prefetches ? replaced(std::string(kSuccessor), "HD_COORDINATES", coordinates) : "") + coordinates +
      std::string(kTell) + moves(registers) +
      (prefetches ? replaced(std::string(kPrefetch), "HD_PREFETCHES", next.code) : ""));
  const auto end = finished(std::string(kEnd));
  body.insert(body.begin(), head.begin(), head.end());
  body.insert(body.end(), end.begin(), end.end());
}

// A function reads the task's place where thread 0 has put it.
void edit_function(tree::Function& f, const std::string& prefix) {
  const TaskRegisters registers = replace_task_registers(f, prefix, true);
  if (registers.none()) return;
  std::string code = registers.declarations();
  for (const std::string& name : registers.names) {
    const int word = (name.starts_with("HD_n") ? 4 : 1) + (name.back() - 'x');
    code += fmt::format("ld.shared.u32 %{}, [HD_task+{}];\n", name, 4 * word);
  }
  const auto statements = added(code + registers.halves_code(), prefix);
  f.body->statements.insert(f.body->statements.begin(), statements.begin(), statements.end());
}

std::optional<Refusal> apply(tree::Module& module, const std::string& kernel, const Agents& options) {
  KernelCode code;
  if (auto no = read_kernel(module, kernel, code)) return no;
  if (auto no = refuse_tasks(code)) return no;
  const int barrier = free_barrier(code);
  if (barrier < 0)
    return tree::refuse("barrier number", "it uses all barriers of a CTA", kernel, code.kernel().statement);
  std::optional<Refusal> refusal;
  const auto functions = functions_of_task(code, true, refusal);
  if (refusal) return refusal;
  const std::string prefix = tree::Names(module).fresh_prefix("hd");
  auto before = tree::read_module_statements(named(kTaskVariable, prefix));
  Copies copies =
      copies_for_kernel(code, functions, prefix, [&](tree::Function& f) { edit_function(f, prefix); });
  before.insert(before.end(), copies.declarations.begin(), copies.declarations.end());
  const SuccessorPrefetch next = options.prefetch ? successor_prefetch(code) : SuccessorPrefetch{};
  edit_kernel(code.kernel().tree(), prefix, options, barrier, copies_asynchronously(code), next);
  insert_around_kernel(module, kernel, std::move(before), std::move(copies.definitions));
  return {};
}

}  // namespace

tree::Pass become_agents(std::string kernel, const Agents& options) {
  check(options.partition);
  return {"agents",
          [kernel = std::move(kernel), options](tree::Module& m) { return apply(m, kernel, options); }};
}

}  // namespace heddle::cta_clustering
