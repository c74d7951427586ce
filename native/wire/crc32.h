// CRC_32 of sections (ISO/IEC 13818-1 Annex A): polynomial 0x04C11DB7, most significant bit first, no final inversion.
// zlib's crc32 has the same polynomial in the opposite bit order.
#pragma once

#include "wire/bytes.h"

namespace receiverd::wire {

/// The CRC register after `bytes`. Over a whole section, its CRC_32 included, the result is 0.
/// `initial`: all ones for sections, 0 for the descriptor hash of epg.dat.
std::uint32_t crc32(Bytes bytes, std::uint32_t initial = 0xFFFFFFFFU);

}  // namespace receiverd::wire
