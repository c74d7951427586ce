// The two-byte tables of EN 300 468 Annex A: KS X 1001, GB 2312 and Big5, in the forms that broadcasters send. Firmware
// often lacks iconv's tables of them.
//
//   KS X 1001   EUC-KR, and the other 8,822 syllables as in UHC (code page 949)
//   GB 2312     EUC-CN with the additions of GB 18030 to its rows, and the other 14,139 ideographs as in GBK
//   Big5        code page 950
//
// Only the characters of the standards themselves have tables (east_asian_tables.h). UHC and GBK add all others in the
// order of Unicode, so these are computed.
#pragma once

#include <cstdint>

#include "epg/text/dvb_text.h"

namespace receiverd::epg {

/// The character of any two bytes; 0 = none. REQUIRES: euc_kr, gb18030 or big5.
char16_t east_asian_character(CharacterTable table, std::uint8_t lead, std::uint8_t trail);

}  // namespace receiverd::epg
