// Tests of the wire helpers: CRC_32, cursors, descriptor loops, dates and times.
#include <doctest/doctest.h>

#include <array>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/descriptors.h"
#include "wire/time.h"

using namespace receiverd::wire;

TEST_CASE("CRC_32 gives the published check values") {
  CHECK(crc32(bytes_of("123456789")) == 0x0376E6E7U);
  CHECK(crc32(bytes_of("123456789"), 0) == 0x89A1897FU);
  CHECK(crc32({}) == 0xFFFFFFFFU);
}

TEST_CASE("CRC_32 of any bytes equals the polynomial division") {
  const auto bit_by_bit = [](Bytes bytes, std::uint32_t crc) {
    for (const std::uint8_t byte : bytes) {
      crc ^= std::uint32_t{byte} << 24;
      for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80000000U) != 0 ? crc << 1 ^ 0x04C11DB7U : crc << 1;
    }
    return crc;
  };
  std::array<std::uint8_t, 700> data;
  std::uint32_t random = 1;
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>((random = random * 1664525 + 1013904223) >> 24);
  for (std::size_t size = 0; size < 640; ++size) {
    const Bytes bytes = Bytes(data).subspan(size % 16, size);
    for (const std::uint32_t initial : {0xFFFFFFFFU, 0U, 0x12345678U}) {
      REQUIRE(crc32(bytes, initial) == bit_by_bit(bytes, initial));
    }
    REQUIRE(crc32(bytes.subspan(size / 3), crc32(bytes.first(size / 3))) == crc32(bytes));
  }
}

TEST_CASE("a cursor never reads past its bytes") {
  const std::array<std::uint8_t, 3> data{1, 2, 3};
  Cursor cursor{data};
  CHECK(cursor.u16() == 0x0102);
  CHECK(cursor.ok());
  CHECK(cursor.u16() == 0);
  CHECK_FALSE(cursor.ok());
  CHECK(cursor.u8() == 0);
  CHECK(cursor.rest().empty());
}

TEST_CASE("a descriptor longer than its loop ends the iteration") {
  const std::array<std::uint8_t, 6> data{0x48, 1, 7, 0x4D, 9, 0};
  DescriptorLoop loop{data};
  Descriptor descriptor;
  REQUIRE(loop.next(descriptor));
  CHECK(descriptor.tag == 0x48);
  CHECK(descriptor.body.size() == 1);
  CHECK_FALSE(loop.next(descriptor));
  CHECK_FALSE(loop.ok());
}

TEST_CASE("MJD and BCD give UTC, undefined and invalid values give nothing") {
  CHECK(mjd_time(0xEB96120000ULL) == 1704110400);  // 2024-01-01 12:00 UTC
  CHECK(mjd_time(0xC079124500ULL) == 750516300);   // the example of EN 300 468 Annex C, 1993-10-13 12:45 UTC
  CHECK_FALSE(mjd_time(0xFFFFFFFFFFULL));
  CHECK_FALSE(mjd_time(0xEB962A0000ULL));
  CHECK_FALSE(mjd_time(0xEB96240000ULL));
  CHECK(bcd_seconds(0x450000) == 45 * 3600U);
  CHECK_FALSE(bcd_seconds(0x006000));
}
