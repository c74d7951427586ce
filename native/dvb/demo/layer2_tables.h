// Tables of ISO/IEC 11172-3 for Layer II at 48 kHz and 56 kbit/s or more per channel.
#pragma once

#include <array>
#include <cstdint>

namespace receiverd::dvb::demo {

inline constexpr std::size_t kSubbands = 27;  ///< sblimit of table B.2a

/// Prototype of the filter bank: table C.1 without the signs required for its folding, times 65536 * 32. The window is
/// symmetric around index 256.
inline constexpr std::array<std::int32_t, 257> kPrototype{
    0,     -1,    -1,    -1,    -1,    -1,    -1,    -2,    -2,    -2,    -2,    -3,    -3,    -4,    -4,    -5,
    -5,    -6,    -7,    -7,    -8,    -9,    -10,   -11,   -13,   -14,   -16,   -17,   -19,   -21,   -24,   -26,
    -29,   -31,   -35,   -38,   -41,   -45,   -49,   -53,   -58,   -63,   -68,   -73,   -79,   -85,   -91,   -97,
    -104,  -111,  -117,  -125,  -132,  -139,  -147,  -154,  -161,  -169,  -176,  -183,  -190,  -196,  -202,  -208,
    -213,  -218,  -222,  -225,  -227,  -228,  -228,  -227,  -224,  -221,  -215,  -208,  -200,  -189,  -177,  -163,
    -146,  -127,  -106,  -83,   -57,   -29,   2,     36,    72,    111,   153,   197,   244,   294,   347,   401,
    459,   519,   581,   645,   711,   779,   848,   919,   991,   1064,  1137,  1210,  1283,  1356,  1428,  1498,
    1567,  1634,  1698,  1759,  1817,  1870,  1919,  1962,  2001,  2032,  2057,  2075,  2085,  2087,  2080,  2063,
    2037,  2000,  1952,  1893,  1822,  1739,  1644,  1535,  1414,  1280,  1131,  970,   794,   605,   402,   185,
    -45,   -288,  -545,  -814,  -1095, -1388, -1692, -2006, -2330, -2663, -3004, -3351, -3705, -4063, -4425, -4788,
    -5153, -5517, -5879, -6237, -6589, -6935, -7271, -7597, -7910, -8209, -8491, -8755, -8998, -9219, -9416, -9585,
    -9727, -9838, -9916, -9959, -9966, -9935, -9863, -9750, -9592, -9389, -9139, -8840, -8492, -8092, -7640, -7134,
    -6574, -5959, -5288, -4561, -3776, -2935, -2037, -1082, -70,   998,   2122,  3300,  4533,  5818,  7154,  8540,
    9975,  11455, 12980, 14548, 16155, 17799, 19478, 21189, 22929, 24694, 26482, 28289, 30112, 31947, 33791, 35640,
    37489, 39336, 41176, 43006, 44821, 46617, 48390, 50137, 51853, 53534, 55178, 56778, 58333, 59838, 61289, 62684,
    64019, 65290, 66494, 67629, 68692, 69679, 70590, 71420, 72169, 72835, 73415, 73908, 74313, 74630, 74856, 74992,
    75038};

/// A quantiser (table B.4) of `levels` steps. If `grouped`, three samples share a code of `bits`; otherwise each has
/// `bits`.
struct Quantiser {
  std::uint16_t levels;
  std::uint8_t bits;
  bool grouped;
};

inline constexpr std::array<Quantiser, 18> kQuantisers{{
    {0, 0, false},
    {3, 5, true},
    {5, 7, true},
    {7, 3, false},
    {9, 10, true},
    {15, 4, false},
    {31, 5, false},
    {63, 6, false},
    {127, 7, false},
    {255, 8, false},
    {511, 9, false},
    {1023, 10, false},
    {2047, 11, false},
    {4095, 12, false},
    {8191, 13, false},
    {16383, 14, false},
    {32767, 15, false},
    {65535, 16, false},
}};

/// Table B.2a: indices into kQuantisers available to the allocation of a subband; `bits` is nbal.
struct Allocation {
  std::uint8_t bits;
  std::array<std::uint8_t, 16> quantisers;
};

inline constexpr Allocation kLowAllocation{4, {0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}};   // 0..2
inline constexpr Allocation kMiddleAllocation{4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17}};  // 3..10
inline constexpr Allocation kHighAllocation{3, {0, 1, 2, 3, 4, 5, 6, 17}};                                 // 11..22
inline constexpr Allocation kTopAllocation{2, {0, 1, 2, 17}};                                              // 23..26

inline constexpr const Allocation& allocation_of(std::size_t subband) {
  return subband < 3    ? kLowAllocation
         : subband < 11 ? kMiddleAllocation
         : subband < 23 ? kHighAllocation
                        : kTopAllocation;
}

/// bitrate_index of Layer II by kbit/s (§2.4.2.3).
inline constexpr std::array<std::uint16_t, 15> kBitRates{0,   32,  48,  56,  64,  80,  96, 112,
                                                         128, 160, 192, 224, 256, 320, 384};

}  // namespace receiverd::dvb::demo
