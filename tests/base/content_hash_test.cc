#include "base/content_hash.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary.h"

namespace heddle {
namespace {

// From FIPS 180-4's examples, and sha256sum.
TEST(ContentHash, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1000, 'a')),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

TEST(ContentHash, OfAFileAsOfItsBytes) {
  const TemporaryFolder folder("heddle-content-hash-test");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{63}, std::size_t{64}, (std::size_t{1} << 20) + 57}) {
    std::string bytes(size, 'a');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i >> 5);
    write_file(folder.path() / "f", bytes);
    EXPECT_EQ(sha256_of_file(folder.path() / "f"), sha256_hex(bytes)) << size;
  }
  EXPECT_THROW(sha256_of_file(folder.path() / "none"), Error);
  EXPECT_THROW(sha256_of_file(folder.path()), Error);
}

TEST(ContentHash, AsWebPagesWriteIt) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

}  // namespace
}  // namespace heddle
