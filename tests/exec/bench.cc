#include "bench.h"

#include <algorithm>

#include "exec/image/kernel_image.h"

namespace heddle::exec {

std::string kernel_text(std::string_view body, std::string_view globals, std::string_view params) {
  return std::string(kPtxHeading) + std::string(globals) + "\n.visible .entry k(.param .u64 k_out" +
         std::string(params) + R"() {
.reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .b64 %rd<60>; .reg .f32 %f<20>; .reg .f64 %d<10>;
.reg .b32 %tid, %lane, %gid, %cta; .reg .b64 %out, %mine;
ld.param.u64 %out, [k_out]; mov.u32 %tid, %tid.x; mov.u32 %lane, %laneid; mov.u32 %cta, %ctaid.x;
mov.u32 %gid, %ntid.x; mad.lo.u32 %gid, %cta, %gid, %tid; mad.wide.u32 %mine, %gid, 4, %out;
)" + std::string(body) +
         "\nret;\n}\n";
}

Bench::Bench(std::string_view body, Case given) : case_(std::move(given)) {
  text_ = kernel_text(body, case_.globals, case_.params);
  case_.options.output = this;
  device_ = std::make_unique<FunctionalDevice>(case_.options);
  device_->load_module(text_, "bench.ptx");
  if (case_.words == 0) case_.words = static_cast<std::uint32_t>(case_.grid.count() * case_.block.count());
  array_ = device_->allocate(std::uint64_t{4} * case_.words, "out");
  out_.resize(case_.words);
  if (case_.order_shows) return;
  windowed_ = std::make_unique<WindowedDevice>(WindowedOptions{
      .most_windows = 100'000, .recursive_stack = case_.options.recursive_stack, .output = &windowed_text_});
  windowed_->load_module(text_, "bench.ptx");
  EXPECT_EQ(windowed_->allocate(std::uint64_t{4} * case_.words, "out"), array_);
  FunctionalOptions options = case_.options;
  options.output = &assembled_text_;
  options.code_order = CodeOrder::AsAssembled;
  options.count_accesses = false;  // takes shorter ways through memory
  assembled_ = std::make_unique<FunctionalDevice>(options);
  assembled_->load_module(text_, "bench.ptx");
  EXPECT_EQ(assembled_->allocate(std::uint64_t{4} * case_.words, "out"), array_);
}

void Bench::compare_assembled(const workload::Launch& launch) {
  if (assembled_ == nullptr) return;
  assembled_->launch(launch);
  std::vector<std::uint32_t> words(out_.size());
  assembled_->copy_out(words.data(), array_, std::uint64_t{4} * words.size());
  EXPECT_EQ(words, out_) << "as assembled";
  EXPECT_EQ(assembled_text_.text, printed_) << "as assembled";
}

void Bench::compare_windowed(const workload::Launch& launch) {
  constexpr std::uint64_t kLongest = 50'000;  // warp instructions
  if (windowed_ == nullptr || issued_in_all() > kLongest) {
    windowed_.reset();
    return;
  }
  windowed_->launch(launch);
  std::vector<std::uint32_t> words(out_.size());
  windowed_->copy_out(words.data(), array_, std::uint64_t{4} * words.size());
  EXPECT_EQ(words, out_) << "executed in windows";
  EXPECT_EQ(windowed_text_.text.size(), printed_.size()) << "executed in windows";
}

const std::vector<std::uint32_t>& Bench::run() {
  KernelArgs a = args(array_);
  if (!case_.more.block().empty()) a.add_bytes(case_.more.block().data(), case_.more.block().size(), 8);
  const workload::Launch launch{"k", case_.grid, case_.block, case_.dynamic_shared, a};
  try {
    device_->launch(launch);
  } catch (const Error&) {
    if (windowed_ != nullptr) {
      EXPECT_THROW(windowed_->launch(launch), Error) << "executed in windows";
    }
    if (assembled_ != nullptr) {
      EXPECT_THROW(assembled_->launch(launch), Error) << "as assembled";
    }
    windowed_.reset();
    assembled_.reset();
    throw;
  }
  device_->copy_out(out_.data(), array_, std::uint64_t{4} * out_.size());
  compare_windowed(launch);
  compare_assembled(launch);
  return out_;
}

Error Bench::run_error() {
  try {
    run();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "the kernel ended without an error";
  return Error("none");
}

const KernelImage& Bench::image() const {
  return *device_->modules().at(0)->find_kernel("k");
}

void Bench::set_out(const std::vector<std::uint32_t>& words) {
  const std::uint64_t bytes = std::uint64_t{4} * std::min<std::size_t>(words.size(), out_.size());
  device_->copy_in(array_, words.data(), bytes);
  if (windowed_ != nullptr) windowed_->copy_in(array_, words.data(), bytes);
  if (assembled_ != nullptr) assembled_->copy_in(array_, words.data(), bytes);
}

std::uint32_t Bench::line(std::string_view tag) const {
  const std::string mark = "//" + std::string(tag) + "\n";
  const std::size_t at = text_.find(mark);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no line is named " << tag;
    return 0;
  }
  return 1 + static_cast<std::uint32_t>(
                 std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

template <class F>
void Bench::for_each_pc(std::string_view tag, F&& f) const {
  const std::uint32_t wanted = line(tag);
  const std::vector<Code>& code = image().code;
  for (std::size_t pc = 0; pc < code.size(); ++pc)
    if (code[pc].instr->line == wanted) f(pc);
}

std::uint64_t Bench::issued(std::string_view tag) const {
  std::uint64_t n = 0;
  for_each_pc(tag, [&](std::size_t pc) { n += device_->launches().back().counts[pc].issued; });
  return n;
}

std::uint64_t Bench::lanes(std::string_view tag) const {
  std::uint64_t n = 0;
  for_each_pc(tag, [&](std::size_t pc) { n += device_->launches().back().counts[pc].lanes; });
  return n;
}

AccessCount Bench::access(std::string_view tag) const {
  AccessCount sum;
  for_each_pc(tag, [&](std::size_t pc) {
    const AccessCount& a = device_->launches().back().accesses[pc];
    sum.accesses += a.accesses;
    sum.bytes += a.bytes;
    sum.lines += a.lines;
    sum.sectors += a.sectors;
    sum.shared_accesses += a.shared_accesses;
    sum.shared_bytes += a.shared_bytes;
    sum.passes += a.passes;
  });
  return sum;
}

std::uint64_t Bench::issued_in_all() const {
  std::uint64_t n = 0;
  for (const PcCount& c : device_->launches().back().counts) n += c.issued;
  return n;
}

}  // namespace heddle::exec
