// Tests of XXH64: published values, split messages.
#include "wire/xxh64.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

using namespace receiverd::wire;

namespace {

Bytes bytes(const char* text) { return {reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)}; }

}  // namespace

TEST_CASE("XXH64 gives its published values") {
  CHECK(xxh64({}) == 0xEF46DB3751D8E999ULL);
  CHECK(xxh64(bytes("a")) == 0xD24EC4F1A98C6E5BULL);
  CHECK(xxh64(bytes("abc")) == 0x44BC2CF5AD770999ULL);
  CHECK(xxh64(bytes("Nobody inspects the spammish repetition")) == 0xFBCEA83C8A378BF1ULL);
}

TEST_CASE("splitting a message does not change its checksum") {
  std::mt19937 random(64);
  std::vector<std::uint8_t> message(5000);
  for (std::uint8_t& byte : message) byte = static_cast<std::uint8_t>(random());
  for (int round = 0; round < 500; ++round) {
    const Bytes part = Bytes(message).first(random() % message.size());
    Xxh64 hash;
    for (Bytes left = part; !left.empty();) {
      const std::size_t size = std::min<std::size_t>(left.size(), random() % 100);
      hash.update(left.first(size));
      left = left.subspan(size);
    }
    REQUIRE(hash.digest() == xxh64(part));
  }
}
