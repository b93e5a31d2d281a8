#include <fmt/format.h>

#include "ptx/rewrite/edit.h"
#include "techniques/cta_clustering/rewrite/checks.h"
#include "techniques/cta_clustering/rewrite/passes.h"
#include "techniques/cta_clustering/rewrite/task_registers.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using tree::Refusal;

// u: the CTA's own number. v = i (q + 1) + w + min(r - i, 0) with (w, i) = (u / M, u mod M), rules 6, 7
// and 10.
std::string entry_code(const TaskRegisters& registers, const Redirection& options) {
  std::string code = registers.declarations() + R"({
.reg .pred %HD_many;
.reg .b32 %HD_t<10>;
.reg .b32 %HD_gx, %HD_gy, %HD_gz, %HD_cx, %HD_cy, %HD_cz, %HD_nx, %HD_ny, %HD_nz;
.reg .b32 %HD_u, %HD_v, %HD_q, %HD_r, %HD_w, %HD_i;
.reg .b64 %HD_all, %HD_planes;
mov.u32 %HD_gx, %nctaid.x;
mov.u32 %HD_gy, %nctaid.y;
mov.u32 %HD_gz, %nctaid.z;
mov.u32 %HD_cx, %ctaid.x;
mov.u32 %HD_cy, %ctaid.y;
mov.u32 %HD_cz, %ctaid.z;
mul.wide.u32 %HD_all, %HD_gx, %HD_gy;
cvt.u64.u32 %HD_planes, %HD_gz;
mul.lo.u64 %HD_all, %HD_all, %HD_planes;
setp.gt.u64 %HD_many, %HD_all, 0xffffffff;
cvt.u32.u64 %HD_t0, %HD_all;
mad.lo.u32 %HD_u, %HD_cz, %HD_gy, %HD_cy;
mad.lo.u32 %HD_u, %HD_u, %HD_gx, %HD_cx;
)";
  code += fmt::format(
      "div.u32 %HD_q, %HD_t0, {0};\nmul.lo.u32 %HD_t1, %HD_q, {0};\nsub.u32 %HD_r, %HD_t0, %HD_t1;\n"
      "div.u32 %HD_w, %HD_u, {0};\nmul.lo.u32 %HD_t1, %HD_w, {0};\nsub.u32 %HD_i, %HD_u, %HD_t1;\n",
      options.clusters);
  code += R"(add.u32 %HD_q, %HD_q, 1;
mad.lo.u32 %HD_v, %HD_i, %HD_q, %HD_w;
sub.s32 %HD_t1, %HD_r, %HD_i;
min.s32 %HD_t1, %HD_t1, 0;
add.u32 %HD_v, %HD_v, %HD_t1;
)" + coordinates_code(options.partition);
  for (const std::string& name : registers.names)
    code += fmt::format("selp.b32 %{}, %HD_c{}, %HD_n{}, %HD_many;\n", name, name.back(), name.back());
  return code + registers.halves_code() + "}\n";
}

void edit(tree::Function& f, const std::string& prefix, const Redirection& options) {
  const TaskRegisters registers = replace_task_registers(f, prefix, false);
  if (registers.none()) return;
  auto& body = f.body->statements;
  const auto code = added(entry_code(registers, options), prefix);
  body.insert(body.begin(), code.begin(), code.end());
}

std::optional<Refusal> apply(tree::Module& module, const std::string& kernel, const Redirection& options) {
  KernelCode code;
  if (auto no = read_kernel(module, kernel, code)) return no;
  if (auto no = refuse_another_order(code)) return no;
  std::optional<Refusal> refusal;
  const auto functions = functions_of_task(code, false, refusal);
  if (refusal) return refusal;
  const std::string prefix = tree::Names(module).fresh_prefix("hd");
  auto copies =
      copies_for_kernel(code, functions, prefix, [&](tree::Function& f) { edit(f, prefix, options); });
  edit(code.kernel().tree(), prefix, options);
  insert_around_kernel(module, kernel, std::move(copies.declarations), std::move(copies.definitions));
  return {};
}

}  // namespace

tree::Pass redirect(std::string kernel, const Redirection& options) {
  if (options.clusters == 0 || options.clusters > 0x7fffffffu)
    throw Error(fmt::format("redirection over {} clusters", options.clusters),
                "Give at least one, usually one per SM.");
  check(options.partition);
  if (options.partition.order == Order::Table)
    throw Error("redirection by a table: functions that a kernel calls do not see the launch's parameters",
                "Take agents, or rows, columns or tiles.");
  return {"redirection",
          [kernel = std::move(kernel), options](tree::Module& m) { return apply(m, kernel, options); }};
}

}  // namespace heddle::cta_clustering
