// East Asian multi-byte texts (EUC-KR, GB 18030, Big5) through the system's iconv: those tables are large, and every
// libc has them. Where it has not (a firmware built without them), the text is left out and counted.
#pragma once

#include <string>

#include "epg/dvb_text.h"

namespace receiverd::epg {

/// The text as code points; one-byte control codes 0x80..0x9F come through as they are. False when this system cannot
/// read the table. `malformed` rises by one for each byte that is no character.
/// REQUIRES: table is euc_kr, gb18030 or big5.
bool decode_multibyte(wire::Bytes text, CharacterTable table, std::u32string& out, std::uint64_t& malformed);

}  // namespace receiverd::epg
