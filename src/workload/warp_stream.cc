#include "workload/warp_stream.h"

namespace heddle::workload {

std::string_view name(InstrClass c) {
  switch (c) {
    case InstrClass::IntAdd:
      return "int_add";
    case InstrClass::IntMinMax:
      return "int_min_max";
    case InstrClass::IntMul:
      return "int_mul";
    case InstrClass::IntMad:
      return "int_mad";
    case InstrClass::IntDiv:
      return "int_div";
    case InstrClass::Int64Add:
      return "int64_add";
    case InstrClass::Int64Mul:
      return "int64_mul";
    case InstrClass::Bits:
      return "bits";
    case InstrClass::FloatAdd:
      return "float_add";
    case InstrClass::FloatMinMax:
      return "float_min_max";
    case InstrClass::FloatMul:
      return "float_mul";
    case InstrClass::FloatMad:
      return "float_mad";
    case InstrClass::FloatDiv:
      return "float_div";
    case InstrClass::HalfMath:
      return "half_math";
    case InstrClass::DoubleAdd:
      return "double_add";
    case InstrClass::DoubleMinMax:
      return "double_min_max";
    case InstrClass::DoubleMul:
      return "double_mul";
    case InstrClass::DoubleMad:
      return "double_mad";
    case InstrClass::DoubleDiv:
      return "double_div";
    case InstrClass::Tensor:
      return "tensor";
    case InstrClass::TensorDouble:
      return "tensor_double";
    case InstrClass::Special:
      return "special";
    case InstrClass::Convert:
      return "convert";
    case InstrClass::Move:
      return "move";
    case InstrClass::AddressSpace:
      return "address_space";
    case InstrClass::ReadClock:
      return "read_clock";
    case InstrClass::Shuffle:
      return "shuffle";
    case InstrClass::Vote:
      return "vote";
    case InstrClass::Branch:
      return "branch";
    case InstrClass::Barrier:
      return "barrier";
    case InstrClass::Fence:
      return "fence";
    case InstrClass::LoadParam:
      return "load_param";
    case InstrClass::LoadConst:
      return "load_const";
    case InstrClass::Load:
      return "load";
    case InstrClass::Store:
      return "store";
    case InstrClass::LoadShared:
      return "load_shared";
    case InstrClass::StoreShared:
      return "store_shared";
    case InstrClass::AtomicShared:
      return "atomic_shared";
    case InstrClass::Atomic:
      return "atomic";
    case InstrClass::Texture:
      return "texture";
    case InstrClass::Other:
      return "other";
  }
  return "";
}

}  // namespace heddle::workload
