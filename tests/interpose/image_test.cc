#include "interpose/image.h"

#include <gmock/gmock.h>

#include "tests/fatbin/bytes.h"
#include "tests/interpose/sample_ptx.h"

namespace heddle::interpose {
namespace {

using testing::HasSubstr;

TEST(Image, PtxTextIsTakenAsItIs) {
  EXPECT_EQ(read_image(kMixPtx, 75).text, kMixPtx);
  EXPECT_EQ(read_image("", 75).reason, "its image is empty");
  EXPECT_FALSE(read_image(nullptr, 75).reason.empty());
}

TEST(Image, OfAFatBinaryThePtxThatTheDeviceCanRun) {
  const std::string fat = fatbin::container({{2, 90, 0, "machine code"},
                                             {1, 75, 0, std::string("low\0", 4)},
                                             {1, 80, 0, std::string("mid\0", 4)},
                                             {1, 100, 0, std::string("high", 5)}});
  EXPECT_EQ(read_image(fat.data(), 90).text, "mid");
  EXPECT_EQ(read_image(fat.data(), 75).text, "low");
  const ImagePtx none = read_image(fat.data(), 70);
  EXPECT_EQ(none.text, "");
  EXPECT_EQ(none.reason, "its PTX is for compute_75, the device is sm_70");
}

TEST(Image, CodeForOneChipOnlyForThatChip) {
  const std::string fat = sample_container(kMixPtx, 90, 0x100000);
  EXPECT_EQ(read_image(fat.data(), 90).text, kMixPtx);
  EXPECT_THAT(read_image(fat.data(), 100).reason, HasSubstr("compute_90a"));
}

TEST(Image, MachineCodeAloneHasAReason) {
  const std::string fat = fatbin::container({{2, 90, 0, "machine code"}});
  EXPECT_EQ(read_image(fat.data(), 90).reason, "its fat binary has machine code but no PTX");
  EXPECT_EQ(read_image("\x7f"
                       "ELF and so on",
                       90)
                .reason,
            "the program loads it as machine code");
}

TEST(Image, PartsOfALinkedProgramAreJoined) {
  const std::string empty = fatbin::container({});
  const std::string a = sample_container(
                        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry a() { ret; }\n", 75,
                        0),
                    b = sample_container(
                        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry b() { ret; }\n", 75,
                        0);
  const void* const parts[] = {a.data(), b.data(), nullptr};
  const struct {
    std::uint32_t magic, version;
    const void* data;
    const void* const* parts;
  } wrapper{0x466243b1, 2, empty.data(), parts};
  const std::string text = read_image(&wrapper, 75).text;
  EXPECT_THAT(text, HasSubstr(".entry a"));
  EXPECT_THAT(text, HasSubstr(".entry b"));
}

TEST(Image, DamageIsAReason) {
  std::string fat = sample_container(kMixPtx, 75, 0);
  fat[16 + 4] = 3;  // the size of an entry's header
  EXPECT_THAT(read_image(fat.data(), 75).reason, HasSubstr("damaged"));
}

}  // namespace
}  // namespace heddle::interpose
