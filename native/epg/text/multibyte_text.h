// East Asian multi-byte texts (EUC-KR, GB 18030, Big5) through the system's iconv: the tables are large, and most libcs
// have them. Where they are missing (firmware built without them), the text is dropped and counted.
#pragma once

#include <string>

#include "epg/text/dvb_text.h"

namespace receiverd::epg {

/// Decodes the text to code points; one-byte control codes 0x80..0x9F pass unchanged. Returns false if this system
/// cannot read the table. `malformed` rises by one for each byte that belongs to no character.
/// REQUIRES: table is euc_kr, gb18030 or big5.
bool decode_multibyte(wire::Bytes text, CharacterTable table, std::u32string& out, std::uint64_t& malformed);

}  // namespace receiverd::epg
