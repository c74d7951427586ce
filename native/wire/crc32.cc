#include "wire/crc32.h"

#include <array>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define RECEIVERD_CARRYLESS
#endif

namespace receiverd::wire {
namespace {

constexpr std::uint32_t kPolynomial = 0x04C11DB7;

// Eight tables ("slicing by eight"): the CRC advances eight bytes per step, which matters on a 1 GHz core.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr std::uint32_t times_x(std::uint32_t value) {
  return (value & 0x80000000U) != 0 ? value << 1 ^ kPolynomial : value << 1;
}

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t index = 0; index < 256; ++index) {
    std::uint32_t value = index << 24;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
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

std::uint32_t crc_by_tables(Bytes bytes, std::uint32_t crc) {
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

#ifdef RECEIVERD_CARRYLESS

// With carry-less multiplication, each 16-byte block is folded into the next one, or into the one 64 bytes further on:
// high * x^(n+64) + low * x^n has the same remainder as the block itself n bits further up. (Gopal et al., "Fast CRC
// Computation for Generic Polynomials Using PCLMULQDQ", Intel 2009.) The tables handle the remaining bytes.

constexpr std::size_t kBlock = 16;
constexpr std::size_t kLanes = 4;
/// Shorter input is left to the tables.
constexpr std::size_t kMinBytes = kLanes * kBlock;

constexpr std::int64_t power_of_x(unsigned exponent) {
  std::uint32_t value = 1;
  while (exponent-- > 0) value = times_x(value);
  return value;
}

__attribute__((target("pclmul,ssse3"))) inline __m128i in_order(__m128i bytes) {
  return _mm_shuffle_epi8(bytes, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

__attribute__((target("pclmul,ssse3"))) inline __m128i load(const std::uint8_t* at) {
  return in_order(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

__attribute__((target("pclmul,ssse3"))) inline __m128i fold(__m128i sum, __m128i by, __m128i next) {
  return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(sum, by, 0x11), _mm_clmulepi64_si128(sum, by, 0x00)), next);
}

__attribute__((target("pclmul,ssse3"))) std::uint32_t crc_by_multiplication(Bytes bytes, std::uint32_t crc) {
  const __m128i by_four = _mm_set_epi64x(power_of_x(512 + 64), power_of_x(512));
  const __m128i by_one = _mm_set_epi64x(power_of_x(128 + 64), power_of_x(128));
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  __m128i sums[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] = load(at + lane * kBlock);
  sums[0] = _mm_xor_si128(sums[0], _mm_set_epi32(static_cast<int>(crc), 0, 0, 0));
  at += kLanes * kBlock;
  for (; static_cast<std::size_t>(end - at) >= kLanes * kBlock; at += kLanes * kBlock) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] = fold(sums[lane], by_four, load(at + lane * kBlock));
  }
  __m128i sum = sums[0];
  for (std::size_t lane = 1; lane < kLanes; ++lane) sum = fold(sum, by_one, sums[lane]);
  for (; static_cast<std::size_t>(end - at) >= kBlock; at += kBlock) sum = fold(sum, by_one, load(at));
  std::array<std::uint8_t, kBlock> rest;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest.data()), in_order(sum));
  return crc_by_tables({at, end}, crc_by_tables(rest, 0));
}

bool has_carryless_multiplication() {
  static const bool does = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
  return does;
}

#endif

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t initial) {
#ifdef RECEIVERD_CARRYLESS
  if (bytes.size() >= kMinBytes && has_carryless_multiplication()) return crc_by_multiplication(bytes, initial);
#endif
  return crc_by_tables(bytes, initial);
}

}  // namespace receiverd::wire
