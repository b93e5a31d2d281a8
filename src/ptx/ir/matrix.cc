#include "ptx/ir/matrix.h"

#include <algorithm>
#include <span>

namespace heddle::ptx {
namespace {

// Signed and unsigned elements come in the same shapes.
Type family(Type t) {
  return t == Type::U8 ? Type::S8 : t == Type::U4 ? Type::S4 : t;
}

struct Form {
  Type a;
  MatrixShape shape;
};
constexpr Form kWmma[] = {{Type::F16, {16, 16, 16}},  {Type::F16, {32, 8, 16}},  {Type::F16, {8, 32, 16}},
                          {Type::BF16, {16, 16, 16}}, {Type::BF16, {32, 8, 16}}, {Type::BF16, {8, 32, 16}},
                          {Type::TF32, {16, 16, 8}},  {Type::F64, {8, 8, 4}},    {Type::S8, {16, 16, 16}},
                          {Type::S8, {32, 8, 16}},    {Type::S8, {8, 32, 16}},   {Type::S4, {8, 8, 32}},
                          {Type::B1, {8, 8, 128}}};
constexpr Form kMma[] = {
    {Type::F16, {16, 8, 8}},  {Type::F16, {16, 8, 16}}, {Type::BF16, {16, 8, 8}}, {Type::BF16, {16, 8, 16}},
    {Type::TF32, {16, 8, 4}}, {Type::TF32, {16, 8, 8}}, {Type::F64, {8, 8, 4}},   {Type::F64, {16, 8, 4}},
    {Type::F64, {16, 8, 8}},  {Type::F64, {16, 8, 16}}, {Type::S8, {8, 8, 16}},   {Type::S8, {16, 8, 16}},
    {Type::S8, {16, 8, 32}},  {Type::S4, {8, 8, 32}},   {Type::S4, {16, 8, 32}},  {Type::S4, {16, 8, 64}},
    {Type::B1, {8, 8, 128}},  {Type::B1, {16, 8, 128}}, {Type::B1, {16, 8, 256}}};

bool contains(std::span<const Form> forms, MatrixShape shape, Type a) {
  return std::any_of(forms.begin(), forms.end(),
                     [&](const Form& f) { return f.a == family(a) && f.shape == shape; });
}

}  // namespace

MatrixShape parse_shape(std::string_view text) {
  MatrixShape s;
  auto number = [&](char letter, std::uint16_t& out) {
    if (text.empty() || text[0] != letter) return false;
    text.remove_prefix(1);
    std::uint32_t v = 0;
    bool any = false;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9' && v < 1000; text.remove_prefix(1), any = true)
      v = v * 10 + static_cast<std::uint32_t>(text[0] - '0');
    out = static_cast<std::uint16_t>(v);
    return any;
  };
  const bool ok = number('m', s.m) && number('n', s.n) && (text.empty() || number('k', s.k)) && text.empty();
  return ok ? s : MatrixShape{};
}

unsigned distinct_registers(FragmentPart part, MatrixShape shape, Type element) {
  const unsigned size = part == FragmentPart::A   ? shape.m * shape.k
                        : part == FragmentPart::B ? shape.k * shape.n
                                                  : shape.m * shape.n;
  return size / 32 / elements_per_register(element);
}

MatrixExtent matrix_extent(const MatrixInstr& m) {
  const std::uint32_t rows = m.part == FragmentPart::B ? m.shape.k : m.shape.m;
  const std::uint32_t columns = m.part == FragmentPart::A ? m.shape.k : m.shape.n;
  return m.column_major ? MatrixExtent{columns, rows} : MatrixExtent{rows, columns};
}

bool is_wmma_shape(MatrixShape shape, Type a) {
  return contains(kWmma, shape, a);
}
bool is_mma_shape(MatrixShape shape, Type a) {
  return contains(kMma, shape, a);
}

}  // namespace heddle::ptx
