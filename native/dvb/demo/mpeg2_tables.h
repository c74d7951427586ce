// Variable length codes and matrices of ISO/IEC 13818-2 needed to encode intra and skipped macroblocks.
#pragma once

#include <array>
#include <cstdint>

namespace receiverd::dvb::demo {

struct Code {
  std::uint16_t bits;
  std::uint8_t length;
};

/// Table B.1, macroblock_address_increment 1..33.
inline constexpr std::array<Code, 34> kAddressIncrement{{
    {0, 0},   {1, 1},   {3, 3},   {2, 3},   {3, 4},   {2, 4},   {3, 5},   {2, 5},   {7, 7},
    {6, 7},   {11, 8},  {10, 8},  {9, 8},   {8, 8},   {7, 8},   {6, 8},   {23, 10}, {22, 10},
    {21, 10}, {20, 10}, {19, 10}, {18, 10}, {35, 11}, {34, 11}, {33, 11}, {32, 11}, {31, 11},
    {30, 11}, {29, 11}, {28, 11}, {27, 11}, {26, 11}, {25, 11}, {24, 11},
}};
inline constexpr Code kAddressEscape{8, 11};

/// Table B.10, motion_code 0..8 without the sign bit.
inline constexpr std::array<Code, 9> kMotionCode{
    {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {3, 6}, {5, 7}, {4, 7}, {3, 7}, {11, 9}}};

/// Table B.12, dct_dc_size_luminance.
inline constexpr std::array<Code, 9> kDcSizeLuminance{
    {{4, 3}, {0, 2}, {1, 2}, {5, 3}, {6, 3}, {14, 4}, {30, 5}, {62, 6}, {126, 7}}};

/// Table B.13, dct_dc_size_chrominance.
inline constexpr std::array<Code, 9> kDcSizeChrominance{
    {{0, 2}, {1, 2}, {2, 2}, {6, 3}, {14, 4}, {30, 5}, {62, 6}, {126, 7}, {254, 8}}};

inline constexpr Code kEndOfBlock{2, 2};
inline constexpr Code kCoefficientEscape{1, 6};

/// Table B.14 by run: levels 1, 2, ... without the sign bit. A run and level not listed here uses the escape code.
struct RunCodes {
  std::uint8_t first;  ///< index of level 1 in kCoefficientCodes
  std::uint8_t count;  ///< highest level that has a code
};

inline constexpr std::array<Code, 111> kCoefficientCodes{{
    // run 0
    {0x03, 2},
    {0x04, 4},
    {0x05, 5},
    {0x06, 7},
    {0x26, 8},
    {0x21, 8},
    {0x0A, 10},
    {0x1D, 12},
    {0x18, 12},
    {0x13, 12},
    {0x10, 12},
    {0x1A, 13},
    {0x19, 13},
    {0x18, 13},
    {0x17, 13},
    {0x1F, 14},
    {0x1E, 14},
    {0x1D, 14},
    {0x1C, 14},
    {0x1B, 14},
    {0x1A, 14},
    {0x19, 14},
    {0x18, 14},
    {0x17, 14},
    {0x16, 14},
    {0x15, 14},
    {0x14, 14},
    {0x13, 14},
    {0x12, 14},
    {0x11, 14},
    {0x10, 14},
    {0x18, 15},
    {0x17, 15},
    {0x16, 15},
    {0x15, 15},
    {0x14, 15},
    {0x13, 15},
    {0x12, 15},
    {0x11, 15},
    {0x10, 15},
    // run 1
    {0x03, 3},
    {0x06, 6},
    {0x25, 8},
    {0x0C, 10},
    {0x1B, 12},
    {0x16, 13},
    {0x15, 13},
    {0x1F, 15},
    {0x1E, 15},
    {0x1D, 15},
    {0x1C, 15},
    {0x1B, 15},
    {0x1A, 15},
    {0x19, 15},
    {0x13, 16},
    {0x12, 16},
    {0x11, 16},
    {0x10, 16},
    // run 2..6
    {0x05, 4},
    {0x04, 7},
    {0x0B, 10},
    {0x14, 12},
    {0x14, 13},
    {0x07, 5},
    {0x24, 8},
    {0x1C, 12},
    {0x13, 13},
    {0x06, 5},
    {0x0F, 10},
    {0x12, 12},
    {0x07, 6},
    {0x09, 10},
    {0x12, 13},
    {0x05, 6},
    {0x1E, 12},
    {0x14, 16},
    // run 7..16, two levels each
    {0x04, 6},
    {0x15, 12},
    {0x07, 7},
    {0x11, 12},
    {0x05, 7},
    {0x11, 13},
    {0x27, 8},
    {0x10, 13},
    {0x23, 8},
    {0x1A, 16},
    {0x22, 8},
    {0x19, 16},
    {0x20, 8},
    {0x18, 16},
    {0x0E, 10},
    {0x17, 16},
    {0x0D, 10},
    {0x16, 16},
    {0x08, 10},
    {0x15, 16},
    // run 17..31, level 1
    {0x1F, 12},
    {0x1A, 12},
    {0x19, 12},
    {0x17, 12},
    {0x16, 12},
    {0x1F, 13},
    {0x1E, 13},
    {0x1D, 13},
    {0x1C, 13},
    {0x1B, 13},
    {0x1F, 16},
    {0x1E, 16},
    {0x1D, 16},
    {0x1C, 16},
    {0x1B, 16},
}};

inline constexpr std::array<RunCodes, 32> kRunCodes = [] {
  constexpr std::array<std::uint8_t, 7> kLong{40, 18, 5, 4, 3, 3, 3};
  std::array<RunCodes, 32> codes{};
  std::uint8_t first = 0;
  for (std::size_t run = 0; run < codes.size(); ++run) {
    const std::uint8_t count = run < kLong.size() ? kLong[run] : run < 17 ? 2 : 1;
    codes[run] = {first, count};
    first = static_cast<std::uint8_t>(first + count);
  }
  return codes;
}();

/// §7.3, zigzag scan: position in the block (row * 8 + column) of the n-th coefficient.
inline constexpr std::array<std::uint8_t, 64> kZigzag{0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                                      12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                                      35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                                      58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/// §6.3.11, the default intra quantiser matrix.
inline constexpr std::array<std::uint8_t, 64> kIntraMatrix{
    8,  16, 19, 22, 26, 27, 29, 34, 16, 16, 22, 24, 27, 29, 34, 37, 19, 22, 26, 27, 29, 34,
    34, 38, 22, 22, 26, 27, 29, 34, 37, 40, 22, 26, 27, 29, 32, 35, 40, 48, 26, 27, 29, 32,
    35, 40, 48, 58, 26, 27, 29, 34, 38, 46, 56, 69, 27, 29, 35, 38, 46, 56, 69, 83};

}  // namespace receiverd::dvb::demo
