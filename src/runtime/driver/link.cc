// Driver interface: PTX that programs link themselves (cuLinkCreate), and libraries of kernels. The result of
// linking is PTX, too.
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "fatbin/fatbin.h"
#include "fatbin/ptx_link.h"
#include "runtime/driver/image.h"

namespace heddle::runtime {

struct LinkState {
  JitOptions options;
  std::vector<std::string> texts;
  std::string result;
};
using CUlinkState = LinkState*;

void JitOptions::finish(std::string_view errors) const {
  constexpr int kWallTime = 2, kInfoLog = 3, kInfoLogBytes = 4, kErrorLog = 5, kErrorLogBytes = 6;
  std::size_t room = 0;  // of the error log, with its NUL
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == kErrorLogBytes) room = reinterpret_cast<std::uintptr_t>(values[i]);
  errors = errors.substr(0, room == 0 ? 0 : room - 1);
  for (unsigned i = 0; i < count; ++i) {
    if (names[i] == kWallTime) {
      const float milliseconds = 0;
      std::memcpy(&values[i], &milliseconds, sizeof milliseconds);
    } else if (names[i] == kInfoLog || names[i] == kErrorLog) {
      if (values[i] == nullptr) continue;
      auto* const log = static_cast<char*>(values[i]);
      const std::size_t length = names[i] == kErrorLog ? errors.copy(log, errors.size()) : 0;
      log[length] = '\0';
    } else if (names[i] == kInfoLogBytes || names[i] == kErrorLogBytes) {
      // So many bytes of the buffer are filled.
      values[i] = reinterpret_cast<void*>(names[i] == kErrorLogBytes ? errors.size() : 0);
    }
  }
}

static void add_to_link(LinkState& state, int type, const std::string& data) {
  constexpr int kPtx = 1, kFatBinary = 2;
  if (type == kPtx) {
    state.texts.emplace_back(data.c_str());  // up to the NUL, if there is one
  } else if (type == kFatBinary) {
    const std::vector<fatbin::Entry> all = fatbin::entries(std::as_bytes(std::span(data)));
    const fatbin::Entry* ptx = fatbin::choose_ptx(all);
    require(ptx != nullptr, cudaErrorNoKernelImageForDevice);
    state.texts.push_back(fatbin::unpack(*ptx));
  } else {
    throw Failure{cudaErrorNotSupported, "cuLinkAddData: only PTX and fat binaries with PTX can be linked"};
  }
}

HEDDLE_ENTRY(cuLinkCreate)(unsigned count, const int* names, void** values, CUlinkState* state) {
  return driver_entry([&](Session&) {
    require(state != nullptr, cudaErrorInvalidValue);
    *state = new LinkState{{count, names, values}, {}, {}};
    (*state)->options.finish();
  });
}
HEDDLE_ENTRY(cuLinkAddData)
(CUlinkState state, int type, const void* data, std::size_t bytes, const char*, unsigned, const int*,
 void**) {
  return driver_entry([&](Session&) {
    require(state != nullptr && data != nullptr, cudaErrorInvalidValue);
    add_to_link(*state, type, std::string(static_cast<const char*>(data), bytes));
  });
}
HEDDLE_ENTRY(cuLinkAddFile)
(CUlinkState state, int type, const char* path, unsigned, const int*, void**) {
  return driver_entry([&](Session&) {
    require(state != nullptr && path != nullptr, cudaErrorInvalidValue);
    std::string data;
    try {
      data = read_file(path);
    } catch (const Error&) {
      throw Failure{cudaErrorFileNotFound, {}};
    }
    add_to_link(*state, type, data);
  });
}
HEDDLE_ENTRY(cuLinkComplete)(CUlinkState state, const void** image, std::size_t* bytes) {
  return driver_entry([&](Session&) {
    require(state != nullptr && image != nullptr && !state->texts.empty(), cudaErrorInvalidValue);
    state->result = state->texts.size() == 1 ? state->texts.front() : fatbin::link_ptx(state->texts);
    *image = state->result.c_str();
    if (bytes != nullptr) *bytes = state->result.size() + 1;
    state->options.finish();
  });
}
HEDDLE_ENTRY(cuLinkDestroy)(CUlinkState state) {
  delete state;
  return cudaSuccess;
}

// ---- libraries: modules that belong to no context
// -----------------------------------------------------------

HEDDLE_ENTRY(cuLibraryLoadData)
(CUmodule* library, const void* image, const int* names, void** values, unsigned count, const int*, void**,
 unsigned) {
  return driver_entry([&](Session& s) {
    load_image(s, library, image);
    JitOptions{count, names, values}.finish();
  });
}
HEDDLE_ENTRY(cuLibraryLoadFromFile)
(CUmodule* library, const char* path, const int* names, void** values, unsigned count, const int*, void**,
 unsigned) {
  return driver_entry([&](Session& s) {
    load_image_file(s, library, path);
    JitOptions{count, names, values}.finish();
  });
}
HEDDLE_ENTRY(cuLibraryUnload)(CUmodule) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuLibraryGetModule)(CUmodule* module, CUmodule library) {
  *module = library;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuFuncLoad)(CUfunction) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuKernelGetFunction)(CUfunction* function, CUfunction kernel) {
  *function = kernel;
  return cudaSuccess;
}

}  // namespace heddle::runtime
