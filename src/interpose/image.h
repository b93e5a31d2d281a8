// Images of device code, as programs give them to the driver.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::interpose {

struct ImagePtx {
  std::string text;    // the PTX; empty: see `reason`
  std::string name;    // of its source file, where that is known
  std::string reason;  // why there is none that the device can run: "it has machine code but no PTX"
};

// `image`: PTX text that ends with a NUL, a fat binary, what nvcc registers, or machine code. Of several PTX
// that for the highest architecture up to `architecture`. Never throws.
ImagePtx read_image(const void* image, std::uint32_t architecture);

}  // namespace heddle::interpose
