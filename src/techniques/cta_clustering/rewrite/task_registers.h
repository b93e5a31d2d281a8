// %ctaid and %nctaid of a task instead of the CTA's own, in a kernel and in the functions that it calls.
//
// Code that passes add is written with names that begin with HD_: `named` puts a beginning in its place that
// the module does not use.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "techniques/cta_clustering/rewrite/kernel_code.h"
#include "techniques/cta_clustering/rewrite/partition.h"

namespace heddle::cta_clustering {

std::string named(std::string_view code, const std::string& prefix);
// A piece of the kernel's own text, which `named` leaves as it is.
std::string verbatim(std::string_view text);
// `named`, as statements.
std::vector<ptx::tree::Statement> added(std::string_view code, const std::string& prefix);

// %ctaid.x becomes the register %HD_ctaid_x, and so on; with `grid`, %nctaid.x becomes %HD_nctaid_x. Old code
// that reads the lower halves gets %HD_ctaid_x_half. What must be declared is in the result.
struct TaskRegisters {
  std::vector<std::string> names;   // of 32 bits: "HD_ctaid_x"
  std::vector<std::string> halves;  // those with a half as well

  bool none() const { return names.empty(); }
  std::string declarations() const;
  std::string halves_code() const;  // sets the halves, behind what sets the whole
};
TaskRegisters replace_task_registers(ptx::tree::Function& function, const std::string& prefix, bool grid);

// The functions, the kernel not among them, that read the registers or call one that does, in the order of
// the module. `refusal`: where that cannot be followed.
std::vector<const FunctionCode*> functions_of_task(const KernelCode& code, bool grid,
                                                   std::optional<ptx::tree::Refusal>& refusal);

// Copies of these, named HD_ and their name, for this kernel alone. `edit` changes each definition; calls
// among them and by the kernel go to the copies.
struct Copies {
  std::vector<ptx::tree::Statement> declarations, definitions;
};
Copies copies_for_kernel(const KernelCode& code, const std::vector<const FunctionCode*>& functions,
                         const std::string& prefix, const std::function<void(ptx::tree::Function&)>& edit);

// `before` stands before the kernel's definition then, `behind` at the module's end: there everything is
// declared.
void insert_around_kernel(ptx::tree::Module& module, const std::string& kernel,
                          std::vector<ptx::tree::Statement> before, std::vector<ptx::tree::Statement> behind);

// From the task's number %HD_v and the grid's %HD_gx and %HD_gy to %HD_nx, %HD_ny and %HD_nz. Uses the family
// %HD_t<10>, which is to be declared around it. By a table also its address %HD_order (0: there is none,
// rows), %HD_a and %HD_p; %HD_v is then the CTA's number. `divide` gives the code for
// quotient = number / %HD_gx ('x') or %HD_gy ('y'), which are two registers.
using DivideBySide =
    std::function<std::string(std::string_view quotient, std::string_view number, char side)>;
std::string coordinates_code(const Partition& partition, const DivideBySide& divide);

}  // namespace heddle::cta_clustering
