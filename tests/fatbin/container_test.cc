// Entries of containers as nvcc writes them, and of such as nobody should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "tests/fatbin/bytes.h"

namespace heddle::fatbin {
namespace {

using testing::HasSubstr;

// The message of the error that `f` throws.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

TEST(Container, EveryPackingHoldsTheSameText) {
  const std::string stored = data_file("stored.fatbin"), lz4 = data_file("lz4.fatbin"),
                    zstd = data_file("zstd.fatbin");
  std::vector<Entry> all;
  for (const std::string* file : {&stored, &lz4, &zstd}) {
    const std::vector<Entry> here = entries(bytes_of(*file));
    ASSERT_EQ(here.size(), 1u);
    all.push_back(here[0]);
    EXPECT_EQ(here[0].kind, Kind::Ptx);
    EXPECT_EQ(here[0].architecture, 75u);
    EXPECT_EQ(here[0].ptx_major, 9u);
    EXPECT_EQ(here[0].ptx_minor, 0u);
    EXPECT_FALSE(here[0].debug);
    EXPECT_FALSE(here[0].specific);
  }
  EXPECT_EQ(all[0].packing, Packing::Stored);
  EXPECT_EQ(all[1].packing, Packing::Lz4);
  EXPECT_EQ(all[2].packing, Packing::Zstd);
  const std::string text = unpack(all[0]);
  EXPECT_EQ(unpack(all[1]), text);
  EXPECT_EQ(unpack(all[2]), text);
  EXPECT_THAT(text, HasSubstr(".entry scale("));
  EXPECT_THAT(text, HasSubstr(".entry rotate("));
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

TEST(Container, DebugInformationNamesTheSource) {
  const std::string file = data_file("debug.fatbin");
  const std::vector<Entry> all = entries(bytes_of(file));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].debug);
  EXPECT_EQ(all[0].source, "kernels.cu");
  EXPECT_THAT(unpack(all[0]), HasSubstr(".target sm_75, debug"));
}

TEST(Container, ThePtxToTakeIsTheNewestThatTheLimitAllows) {
  const std::string file = data_file("several.fatbin");
  const std::vector<Entry> all = entries(bytes_of(file));
  ASSERT_EQ(all.size(), 4u);  // compute_75, 90, 90a, 100f
  EXPECT_TRUE(all[2].specific);
  EXPECT_TRUE(all[3].specific);
  EXPECT_EQ(choose_ptx(all), &all[0]);  // later cards have what Heddle has not
  EXPECT_EQ(choose_ptx(all, 99), &all[1]);
  EXPECT_EQ(choose_ptx(all, 90), &all[1]);
  EXPECT_EQ(choose_ptx(all, 89), &all[0]);
  EXPECT_EQ(choose_ptx(all, 70), &all[0]);                    // the lowest
  EXPECT_EQ(choose_ptx(std::span(all).subspan(2)), &all[2]);  // better than nothing
  const std::string machine_code = data_file("machine_code.fatbin");
  EXPECT_EQ(choose_ptx(entries(bytes_of(machine_code))), nullptr);
}

TEST(Container, IntermediateCodeCanBeListedOnly) {
  const std::string file = data_file("lto.fatbin");
  const std::vector<Entry> all = entries(bytes_of(file));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Kind::Other);
  EXPECT_THROW(unpack(all[0]), Error);
}

TEST(Container, InMemoryTheHeaderSaysHowLongItIs) {
  const std::string file = data_file("several.fatbin");
  const std::vector<Entry> all = entries_in_memory(file.data());
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(unpack(all[1]), unpack(entries(bytes_of(file))[1]));
  const std::string wrong(64, 'x');
  EXPECT_THROW(entries_in_memory(wrong.data()), Error);
}

TEST(Container, WhatLiesBehindItDoesNotMatter) {
  const std::string file = data_file("zstd.fatbin");
  const std::string longer = file + "something else";
  EXPECT_EQ(entries(bytes_of(longer)).size(), 1u);
  EXPECT_TRUE(entries(bytes_of(container({}))).empty());
}

TEST(Container, StoredTextEndsBeforeItsPadding) {
  const std::string file = container({{.payload = std::string("text\0\0\0\0", 8)}});
  const std::vector<Entry> all = entries(bytes_of(file));
  EXPECT_EQ(unpack(all[0]), "text");
  EXPECT_EQ(all[0].unpacked_bytes, 8u);
  EXPECT_EQ(all[0].ptx_major, 7u);
  EXPECT_EQ(all[0].ptx_minor, 4u);
}

TEST(Container, BadHeadersAreRefused) {
  const auto refuse = [](const MadeEntry& e) {
    const std::string file = container({e});
    return error_of([&] { entries(bytes_of(file)); });
  };
  EXPECT_THAT(refuse({.header_bytes = 60}), HasSubstr("expected at least 64"));
  EXPECT_THAT(refuse({.payload = "x", .header_bytes = 66}), HasSubstr("damaged"));
  EXPECT_THAT(refuse({.payload = "text", .packed_bytes = 4}), HasSubstr("unknown compression"));
  EXPECT_THAT(refuse({.flags = 0xa000, .payload = "text", .packed_bytes = 4}),
              HasSubstr("unknown compression"));
  EXPECT_THAT(refuse({.flags = 0x8000, .payload = "text", .packed_bytes = 5}), HasSubstr("expected 5 bytes"));
  EXPECT_THAT(refuse({.payload = "text", .name_at = 60, .name_bytes = 5}), HasSubstr("expected 5 bytes"));
  EXPECT_EQ(refuse({.payload = "text", .name_at = 60, .name_bytes = 4}), "no error");

  std::string file = container({});
  put(file, 4, 2, 2);
  EXPECT_THAT(error_of([&] { entries(bytes_of(file)); }), HasSubstr("version 2"));
  file = container({});
  put(file, 8, std::uint64_t{1} << 62, 8);
  EXPECT_THAT(error_of([&] { entries(bytes_of(file)); }), HasSubstr("damaged"));
  EXPECT_THAT(error_of([&] { entries(bytes_of(std::string("PK\3\4"))); }), HasSubstr("not a fat binary"));
}

TEST(Container, SizesThatCannotBeAreRefusedBeforeMemoryIsTaken) {
  for (const std::uint64_t flags : {0x2000, 0x8000}) {
    for (const std::uint64_t size : {std::uint64_t{1} << 62, std::uint64_t{200} << 20}) {
      const std::string file =
          container({{.flags = flags, .payload = "text", .packed_bytes = 4, .unpacked_bytes = size}});
      const std::vector<Entry> all = entries(bytes_of(file));
      EXPECT_THROW(unpack(all[0]), Error);
    }
  }
}

TEST(Container, AFrameMustHoldWhatItsEntrySays) {
  const std::string text = "the text of a module, the text of a module";
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 3));
  const auto unpacked = [&](std::uint64_t says) {
    const std::string file = container({{.flags = 0x8000,
                                         .payload = frame,
                                         .packed_bytes = static_cast<std::uint32_t>(frame.size()),
                                         .unpacked_bytes = says}});
    return unpack(entries(bytes_of(file))[0]);
  };
  EXPECT_EQ(unpacked(text.size()), text);
  EXPECT_THAT(error_of([&] { unpacked(text.size() + 1); }), HasSubstr("its entry says 43"));
  EXPECT_THAT(error_of([&] { unpacked(text.size() - 1); }), HasSubstr("its entry says 41"));
}

}  // namespace
}  // namespace heddle::fatbin
