// wmma.load and wmma.store: fragments from and to memory.
#include <array>
#include <cstring>

#include "exec/handlers/bind.h"
#include "exec/handlers/memory_operands.h"
#include "exec/image/kernel_image.h"
#include "exec/image/matrix.h"
#include "exec/memory/logged_access.h"
#include "exec/memory/memory_access.h"

namespace heddle::exec {
namespace {

using ptx::FragmentPart;
using ptx::Instr;
using ptx::MatrixInstr;
using ptx::Op;
using ptx::Space;
using ptx::Type;

constexpr unsigned kMostAccesses = 8;
constexpr unsigned kMostFragmentBytes = 8;  // of a lane in one access

// ---- which lane accesses what
// ---------------------------------------------------------------------------------

// A fragment of A or B as rows of A or columns of B, `lines` of them, each k elements.
void plan_factor(const MatrixInstr& m, MatrixCode& code) {
  const bool is_a = m.part == FragmentPart::A;
  const unsigned per = ptx::elements_per_register(m.a_type), k = m.shape.k;
  const unsigned halves = is_a && m.shape.m != 8 ? 2 : 1;
  const unsigned per_tile = halves * k / (4 * per);
  const bool along_k = m.column_major != is_a;
  code.bytes = m.a_type == Type::F64 ? 8 : 4;
  code.form = along_k || per == 1 ? FragmentForm::Register : FragmentForm::Transposed;
  code.distinct = ptx::distinct_registers(m.part, m.shape, m.a_type);
  for (unsigned r = 0; r < code.distinct; ++r) {
    FragmentAccess& access = code.accesses.emplace_back();
    const unsigned in_tile = r % per_tile;
    const unsigned first = r / per_tile * 8 * halves + in_tile % halves * 8;
    const unsigned first_k = in_tile / halves * 4 * per;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      // Transposed: words run across the eight rows instead of along k.
      const unsigned across = code.form == FragmentForm::Transposed ? 8 / per : 0;
      const unsigned row = across != 0 ? first + lane % across * per : first + lane / 4;
      const unsigned column = across != 0 ? first_k + lane / across : first_k + lane % 4 * per;
      access.line[lane] = static_cast<std::uint8_t>(along_k ? row : column);
      access.at[lane] = static_cast<std::uint8_t>(along_k ? column : row);
    }
  }
}

// Accumulators: pairs of a row, or single elements where a pair lies in two lines.
void plan_sums(const MatrixInstr& m, MatrixCode& code) {
  const unsigned size = ptx::bytes(m.a_type), halves = m.shape.m == 8 ? 1 : 2;
  const bool pairs = !m.column_major && m.a_type != Type::F64;
  code.bytes = pairs ? 2 * size : size;
  code.distinct = ptx::distinct_registers(FragmentPart::C, m.shape, m.a_type);
  const bool packed = m.a_type == Type::F16;
  code.form = pairs == packed ? FragmentForm::Register : pairs ? FragmentForm::Pair : FragmentForm::Half;
  for (unsigned row = 0; row < m.shape.m; row += 8 * halves)
    for (unsigned column = 0; column < m.shape.n; column += 8)
      for (unsigned i = 0; i < 2 * halves; i += pairs ? 2 : 1) {
        FragmentAccess& access = code.accesses.emplace_back();
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const unsigned x = row + i / 2 * 8 + lane / 4, y = column + lane % 4 * 2 + i % 2;
          access.line[lane] = static_cast<std::uint8_t>(m.column_major ? y : x);
          access.at[lane] = static_cast<std::uint8_t>(m.column_major ? x : y);
        }
      }
}

// ---- addresses --------------------------------------------------------------------------------------------

// Where a generic address points, which becomes one of that space.
Space take_window(std::uint64_t& address) {
  if (address < mem::kSharedWindow || address >= mem::kFunctionWindow) return Space::Global;
  const std::uint64_t base = address & ~(mem::kWindowBytes - 1);
  address -= base;
  return base == mem::kSharedWindow ? Space::Shared : base == mem::kLocalWindow ? Space::Local : Space::Param;
}

// All lanes have the same address and stride (PTX manual, wmma.load): those of the first one count.
class FragmentAddresses {
 public:
  FragmentAddresses(Warp& w, const Code& c, const MatrixCode& m, bool write, Mask active)
      : warp_(w), matrix_(m), write_(write), bits_(ptx::bits(m.instr->a_type)) {
    set_addresses(w, c, m.bytes, c.instr->space, write, active);
    const auto first = static_cast<unsigned>(__builtin_ctz(active));
    base_ = w.access().address[first];
    space_ = c.instr->space == Space::Generic ? take_window(base_) : c.instr->space;
    stride_ = w.in<std::uint32_t>(c.b)[first];
  }
  bool global() const { return space_ == Space::Global; }

  // Sets warp.access() up for access i.
  void set(unsigned i, Mask lanes) {
    Access& access = warp_.access();
    access.space = space_;
    access.write = write_;
    access.atomic = false;
    access.bytes = matrix_.bytes;
    access.mask = lanes;
    const FragmentAccess& a = matrix_.accesses[i];
    for (unsigned l = 0; l < kLanes; ++l)
      access.address[l] = base_ + (std::uint64_t{a.line[l]} * stride_ + a.at[l]) * bits_ / 8;
  }
  // Whether a line with an atomic under way is among them; then nothing may be done yet.
  bool must_wait(Mask active) {
    if (!global() || warp_.context().log == nullptr) return false;
    bool waits = false;
    for (unsigned i = 0; i < matrix_.accesses.size(); ++i) {
      set(i, active);
      waits |= awaits_atomic(warp_, active);
    }
    return waits;
  }

 private:
  Warp& warp_;
  const MatrixCode& matrix_;
  bool write_;
  unsigned bits_;
  Space space_ = Space::Global;
  std::uint64_t base_ = 0, stride_ = 0;
};

// The lanes that execute it together; 0: they wait for others, or for an atomic.
Mask begin(Warp& w, const Code& c, FragmentAddresses& addresses, Mask active) {
  w.access().parts = 0;
  if (addresses.must_wait(active)) {
    w.retry(active);
    return 0;
  }
  const Mask group = w.gather(active, kAllLanes, c);
  w.access().mask = group;  // none: no access to report
  return group;
}

// ---- execution --------------------------------------------------------------------------------------------

using FragmentData = std::array<std::array<std::byte, kLanes * kMostFragmentBytes>, kMostAccesses>;

void read_lanes(Warp& w, const Region& region, Mask lanes, const Shape& shape, std::byte* data) {
  const Access& access = w.access();
  const mem::StoreLog* const log = access.space == Space::Global ? w.context().log : nullptr;
  if (log != nullptr && may_touch(*log, access, lanes, shape)) {
    read_logged(*log, access, region, lanes, shape, data);
    return;
  }
  for (unsigned l = 0; l < kLanes; ++l)  // inactive lanes have a valid address too
    std::memcpy(data + l * access.bytes,
                reinterpret_cast<const void*>(region.bias + access.address[l] + l * region.lane_stride),
                access.bytes);
}

void write_lanes_to(Warp& w, const Region& region, Mask lanes, const std::byte* data) {
  const Access& access = w.access();
  if (access.space == Space::Global && w.context().log != nullptr) {
    append_lanes(*w.context().log, access, lanes, data);
    return;
  }
  for (Mask m = lanes; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(__builtin_ctz(m));
    std::memcpy(reinterpret_cast<void*>(region.bias + access.address[l] + l * region.lane_stride),
                data + l * access.bytes, access.bytes);
  }
}

template <class T>
T lane_of(const std::byte* data, unsigned lane) {
  T v;
  std::memcpy(&v, data + lane * sizeof v, sizeof v);
  return v;
}

// The register of lane 4g + t has row g's elements of columns tP + e; the words that were read have P rows of
// one column each.
std::uint32_t transposed(const std::byte* data, unsigned lane, unsigned per) {
  const unsigned g = lane / 4, t = lane % 4, width = 32 / per, across = 8 / per;
  std::uint32_t r = 0;
  for (unsigned e = 0; e < per; ++e) {
    const auto word = lane_of<std::uint32_t>(data, (t * per + e) * across + g / per);
    r |= (word >> g % per * width & (~0u >> (32 - width))) << e * width;
  }
  return r;
}

void to_registers(Warp& w, const MatrixCode& m, const FragmentData& data, Mask lanes) {
  auto put = [&](unsigned r, auto&& value) {
    for (; r < m.instr->d.count; r += m.distinct)
      write_lanes(w.out<std::uint32_t>(m.d[r]), lanes,
                  [&](int l) { return value(static_cast<unsigned>(l)); });
  };
  const unsigned per = ptx::elements_per_register(m.instr->a_type);
  for (unsigned i = 0; i < m.accesses.size(); ++i) {
    const std::byte* const from = data[i].data();
    switch (m.form) {
      case FragmentForm::Register:
        if (m.bytes == 8)
          write_lanes(w.out<std::uint64_t>(m.d[i]), lanes,
                      [&](int l) { return lane_of<std::uint64_t>(from, static_cast<unsigned>(l)); });
        else
          put(i, [&](unsigned l) { return lane_of<std::uint32_t>(from, l); });
        break;
      case FragmentForm::Pair:
        put(2 * i, [&](unsigned l) { return lane_of<std::uint32_t>(from, 2 * l); });
        put(2 * i + 1, [&](unsigned l) { return lane_of<std::uint32_t>(from, 2 * l + 1); });
        break;
      case FragmentForm::Half:
        if (i % 2 == 0) break;
        put(i / 2, [&](unsigned l) {
          return lane_of<std::uint16_t>(data[i - 1].data(), l) |
                 std::uint32_t{lane_of<std::uint16_t>(from, l)} << 16;
        });
        break;
      case FragmentForm::Transposed: {
        std::array<std::uint32_t, kLanes> words;
        for (unsigned l = 0; l < kLanes; ++l) words[l] = transposed(from, l, per);
        put(i, [&](unsigned l) { return words[l]; });
        break;
      }
    }
  }
}

void from_registers(const Warp& w, const MatrixCode& m, unsigned i, std::byte* data) {
  auto put = [&](auto&& value) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const auto v = value(l);
      std::memcpy(data + l * sizeof v, &v, sizeof v);
    }
  };
  switch (m.form) {
    case FragmentForm::Register:
      if (m.bytes == 8)
        put([&](unsigned l) { return w.in<std::uint64_t>(m.c[i])[l]; });
      else
        put([&](unsigned l) { return w.in<std::uint32_t>(m.c[i])[l]; });
      break;
    case FragmentForm::Pair:
      put([&](unsigned l) {
        return w.in<std::uint32_t>(m.c[2 * i])[l] | std::uint64_t{w.in<std::uint32_t>(m.c[2 * i + 1])[l]}
                                                        << 32;
      });
      break;
    case FragmentForm::Half:
      put([&](unsigned l) {
        return static_cast<std::uint16_t>(w.in<std::uint32_t>(m.c[i / 2])[l] >> i % 2 * 16);
      });
      break;
    case FragmentForm::Transposed:
      break;  // accumulators never are
  }
}

void load_fragment(Warp& w, const Code& c, Mask active) {
  const MatrixCode& m = w.image().matrices[c.d.bits()];
  FragmentAddresses addresses(w, c, m, false, active);
  const Mask lanes = begin(w, c, addresses, active);
  if (lanes == 0) return;
  FragmentData data;
  for (unsigned i = 0; i < m.accesses.size(); ++i) {
    addresses.set(i, lanes);
    with_regions(w, c, lanes, [&](const Region& region, Mask group, const Shape& shape) {
      read_lanes(w, region, group, shape, data[i].data());
    });
    if (w.context().log != nullptr) w.add_part(w.access());
  }
  to_registers(w, m, data, lanes);
}

void store_fragment(Warp& w, const Code& c, Mask active) {
  const MatrixCode& m = w.image().matrices[c.d.bits()];
  FragmentAddresses addresses(w, c, m, true, active);
  const Mask lanes = begin(w, c, addresses, active);
  if (lanes == 0) return;
  std::array<std::byte, kLanes * kMostFragmentBytes> data;
  for (unsigned i = 0; i < m.accesses.size(); ++i) {
    addresses.set(i, lanes);
    from_registers(w, m, i, data.data());
    with_regions(w, c, lanes, [&](const Region& region, Mask group, const Shape&) {
      write_lanes_to(w, region, group, data.data());
    });
    if (w.context().log != nullptr) w.add_part(w.access());
  }
}

}  // namespace

bool bind_fragment(const Instr& in, Binder& b, Code& c) {
  if (in.op != Op::WmmaLoad && in.op != Op::WmmaStore) return false;
  const MatrixInstr& m = b.matrix(in);
  MatrixCode code;
  code.instr = &m;
  if (m.part == FragmentPart::C)
    plan_sums(m, code);
  else
    plan_factor(m, code);
  const Type reg = ptx::fragment_register(m.part, m.a_type);
  for (unsigned i = 0; i < m.d.count; ++i) code.d[i] = b.place(m.d.reg[i], reg);
  for (unsigned i = 0; i < m.c.count; ++i) code.c[i] = b.place(m.c.reg[i], reg);
  Space space = in.space;
  bool kernel_param = false;
  bind_address_operand(in, b, c, space, kernel_param);
  // Without a stride lines follow each other closely.
  c.b = in.n_src != 0 ? b.place(in.src[0], Type::U32) : b.constant32(ptx::matrix_extent(m).line);
  c.d = Place::from_bits(b.add_matrix(std::move(code)));
  c.handler = in.op == Op::WmmaLoad ? load_fragment : store_fragment;
  return true;
}

}  // namespace heddle::exec
