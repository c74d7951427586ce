// CRC_32 of sections (ISO/IEC 13818-1 Annex A): polynomial 0x04C11DB7, most significant bit first, no final inversion.
// zlib's crc32 has the same polynomial in the opposite bit order. Files of the receiver use it as a checksum, too. It
// detects damage, not tampering: a program that can write a file can also write its checksum.
#pragma once

#include "wire/bytes.h"

namespace receiverd::wire {

inline constexpr std::uint32_t kCrcStart = 0xFFFFFFFFU;

/// The CRC register after `bytes`. Over a whole section, its CRC_32 included, the result is 0.
/// `initial`: all ones for sections, 0 for the descriptor hash of epg.dat, the last result for the next piece.
std::uint32_t crc32(Bytes bytes, std::uint32_t initial = kCrcStart);

}  // namespace receiverd::wire
