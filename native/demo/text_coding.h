// Converts UTF-8 to DVB text in one of the character tables of EN 300 468 Annex A: the decoder's tables in reverse.
//
// Text is coded character by character, so that a long text can be divided between descriptors without splitting a
// character. Every piece starts with the selection bytes of its table. A character that the table lacks is replaced by
// a plain equivalent ("…" by "...") or by '?'.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "epg/text/dvb_text.h"

namespace receiverd::demo {

using ByteVector = std::vector<std::uint8_t>;

/// The bytes at the start of a text that select the table. Supports ISO/IEC 6937 (no bytes), ISO/IEC 8859, UTF-16BE and
/// UTF-8.
ByteVector selection_bytes(epg::CharacterTable table);

/// The whole text with selection bytes, truncated between characters to at most `limit` bytes. An empty text yields no
/// bytes.
ByteVector code_text(epg::CharacterTable table, std::string_view utf8, std::size_t limit = 255);

}  // namespace receiverd::demo
