#include "wire/crc32.h"

#include <array>

namespace receiverd::wire {
namespace {

// Eight tables ("slicing by eight"): sections are checked in eight-byte steps, which matters on a 1 GHz core.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t index = 0; index < 256; ++index) {
    std::uint32_t value = index << 24;
    for (int bit = 0; bit < 8; ++bit) value = (value & 0x80000000U) != 0 ? value << 1 ^ 0x04C11DB7U : value << 1;
    tables[0][index] = value;
  }
  for (std::size_t step = 1; step < tables.size(); ++step) {
    for (std::size_t index = 0; index < 256; ++index) {
      const std::uint32_t before = tables[step - 1][index];
      tables[step][index] = before << 8 ^ tables[0][before >> 24];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t initial) {
  std::uint32_t crc = initial;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint8_t* p = bytes.data() + at;
    crc = kTables[7][(crc >> 24 ^ p[0]) & 0xFF] ^ kTables[6][(crc >> 16 ^ p[1]) & 0xFF] ^
          kTables[5][(crc >> 8 ^ p[2]) & 0xFF] ^ kTables[4][(crc ^ p[3]) & 0xFF] ^ kTables[3][p[4]] ^ kTables[2][p[5]] ^
          kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; at < bytes.size(); ++at) crc = crc << 8 ^ kTables[0][(crc >> 24 ^ bytes[at]) & 0xFF];
  return crc;
}

}  // namespace receiverd::wire
