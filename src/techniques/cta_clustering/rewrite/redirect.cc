#include <fmt/format.h>

#include "ptx/rewrite/edit.h"
#include "techniques/cta_clustering/rewrite/checks.h"
#include "techniques/cta_clustering/rewrite/passes.h"
#include "techniques/cta_clustering/rewrite/task_registers.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using tree::Refusal;

std::string divided(std::string_view quotient, std::string_view number, std::uint32_t by) {
  const Divisor d = divisor(by);
  return fmt::format("shl.b32 {0}, {1}, 1;\nmul.hi.u32 {0}, {0}, {2};\nshr.u32 {0}, {0}, {3};\n", quotient,
                     number, d.factor, d.shift);
}

// A division is as long as the rest of the code together: none where a grid has fewer dimensions.
std::string divided_by_side(std::string_view quotient, std::string_view number, char side) {
  return fmt::format(R"(mov.u32 {0}, {1};
setp.eq.u32 %HD_p, %HD_g{2}, 1;
@%HD_p bra HD_by_{2};
mov.u32 {0}, 0;
setp.lt.u32 %HD_p, {1}, %HD_g{2};
@%HD_p bra HD_by_{2};
div.u32 {0}, {1}, %HD_g{2};
HD_by_{2}:
)",
                     quotient, number, side);
}

// u: the CTA's own number. v = i (q + 1) + w + min(r - i, 0) with (w, i) = (u / M, u mod M), rules 6, 7
// and 10.
std::string entry_code(const TaskRegisters& registers, const Redirection& options) {
  std::string code = registers.declarations() + R"({
.reg .pred %HD_many, %HD_p;
.reg .b32 %HD_t<10>;
.reg .b32 %HD_gx, %HD_gy, %HD_gz, %HD_cx, %HD_cy, %HD_cz, %HD_nx, %HD_ny, %HD_nz;
.reg .b32 %HD_u, %HD_v, %HD_q, %HD_r, %HD_w, %HD_i;
mov.u32 %HD_gx, %nctaid.x;
mov.u32 %HD_gy, %nctaid.y;
mov.u32 %HD_gz, %nctaid.z;
mov.u32 %HD_cx, %ctaid.x;
mov.u32 %HD_cy, %ctaid.y;
mov.u32 %HD_cz, %ctaid.z;
mul.lo.u32 %HD_t1, %HD_gx, %HD_gy;
mul.hi.u32 %HD_t2, %HD_gx, %HD_gy;
mul.lo.u32 %HD_t0, %HD_t1, %HD_gz;
mul.hi.u32 %HD_t3, %HD_t1, %HD_gz;
or.b32 %HD_t2, %HD_t2, %HD_t3;
shr.u32 %HD_t3, %HD_t0, 31;
or.b32 %HD_t2, %HD_t2, %HD_t3;
setp.ne.u32 %HD_many, %HD_t2, 0;
mad.lo.u32 %HD_u, %HD_cz, %HD_gy, %HD_cy;
mad.lo.u32 %HD_u, %HD_u, %HD_gx, %HD_cx;
)";
  code += divided("%HD_q", "%HD_t0", options.clusters) + divided("%HD_w", "%HD_u", options.clusters);
  code += fmt::format(R"(mul.lo.u32 %HD_t1, %HD_q, {0};
sub.u32 %HD_r, %HD_t0, %HD_t1;
mul.lo.u32 %HD_t1, %HD_w, {0};
sub.u32 %HD_i, %HD_u, %HD_t1;
add.u32 %HD_q, %HD_q, 1;
mad.lo.u32 %HD_v, %HD_i, %HD_q, %HD_w;
sub.s32 %HD_t1, %HD_r, %HD_i;
min.s32 %HD_t1, %HD_t1, 0;
add.u32 %HD_v, %HD_v, %HD_t1;
)",
                      options.clusters);
  code += coordinates_code(options.partition, divided_by_side);
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
