#include "interpose/image.h"

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "fatbin/ptx_link.h"

namespace heddle::interpose {
namespace {

constexpr std::uint32_t kContainerMagic = 0xba55ed50, kWrapperMagic = 0x466243b1;
constexpr unsigned char kElf[] = {0x7f, 'E', 'L', 'F'};
constexpr std::uint32_t kLinkedWrapper = 2;  // -rdc=true: a list of containers to link

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* parts;
};

bool suits(const fatbin::Entry& e, std::uint32_t architecture) {
  return e.specific ? e.architecture == architecture : e.architecture <= architecture;
}

// False: there is no PTX for this architecture, and `reason` says what there is.
bool add_container(const void* container, std::uint32_t architecture, std::vector<std::string>& texts,
                   ImagePtx& image) {
  const std::vector<fatbin::Entry> all = fatbin::entries_in_memory(container);
  const fatbin::Entry* ptx = fatbin::choose_ptx(all, architecture);
  if (ptx == nullptr) {
    image.reason = all.empty() ? "its fat binary is empty" : "its fat binary has machine code but no PTX";
    return false;
  }
  if (!suits(*ptx, architecture)) {
    image.reason = fmt::format("its PTX is for compute_{}{}, the device is sm_{}", ptx->architecture,
                               ptx->specific ? "a" : "", architecture);
    return false;
  }
  texts.push_back(fatbin::unpack(*ptx));
  if (fatbin::is_device_runtime(texts.back())) {
    image.reason = "it uses the device runtime (dynamic parallelism)";
    return false;
  }
  image.name = ptx->source;
  return true;
}

void read_wrapper(const Wrapper& wrapper, std::uint32_t architecture, ImagePtx& image) {
  std::vector<std::string> texts;
  const bool whole = add_container(wrapper.data, architecture, texts, image);
  if (!whole && wrapper.version == kLinkedWrapper && wrapper.parts != nullptr && *wrapper.parts != nullptr) {
    for (const void* const* part = wrapper.parts; *part != nullptr; ++part)
      if (!add_container(*part, architecture, texts, image)) return;
  } else if (!whole) {
    return;
  }
  image.reason.clear();
  image.text = texts.size() == 1 ? std::move(texts.front()) : fatbin::link_ptx(texts);
}

}  // namespace

ImagePtx read_image(const void* image, std::uint32_t architecture) {
  ImagePtx read;
  if (image == nullptr) return {{}, {}, "it has no image"};
  try {
    std::uint32_t magic = 0;
    std::memcpy(&magic, image, sizeof magic);
    if (magic == kWrapperMagic)
      read_wrapper(*static_cast<const Wrapper*>(image), architecture, read);
    else if (magic == kContainerMagic)
      read_wrapper({kWrapperMagic, 1, image, nullptr}, architecture, read);
    else if (std::memcmp(image, kElf, sizeof kElf) == 0)
      read.reason = "the program loads it as machine code";
    else
      read.text = static_cast<const char*>(image);
    if (read.text.empty() && read.reason.empty()) read.reason = "its image is empty";
  } catch (const std::exception& e) {
    read.text.clear();
    const auto* const error = dynamic_cast<const Error*>(&e);
    read.reason = fmt::format("its image cannot be read: {}", error != nullptr ? error->message() : e.what());
  }
  return read;
}

}  // namespace heddle::interpose
