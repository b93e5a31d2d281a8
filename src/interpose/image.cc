#include "interpose/image.h"

#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "fatbin/ptx_link.h"

namespace heddle::interpose {
namespace {

constexpr unsigned char kContainer[] = {0x50, 0xed, 0x55, 0xba}, kWrapper[] = {0xb1, 0x43, 0x62, 0x46},
                        kElf[] = {0x7f, 'E', 'L', 'F'};
constexpr std::uint32_t kLinkedWrapper = 2;  // -rdc=true: a list of containers to link

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* parts;
};

// Nobody says how long an image is: a text may end, with its 0, before there are four bytes.
bool begins_with(const void* image, const unsigned char (&magic)[4]) {
  const auto* const bytes = static_cast<const unsigned char*>(image);
  return bytes[0] == magic[0] && bytes[1] == magic[1] && bytes[2] == magic[2] && bytes[3] == magic[3];
}

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
    if (begins_with(image, kWrapper))
      read_wrapper(*static_cast<const Wrapper*>(image), architecture, read);
    else if (begins_with(image, kContainer))
      read_wrapper({0, 1, image, nullptr}, architecture, read);
    else if (begins_with(image, kElf))
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
