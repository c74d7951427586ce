// Converts UTF-8 to DVB text in the coding of a service (EN 300 468 Annex A).
//
// Text is coded character by character, so that a long one can be divided between descriptors without splitting a
// character. Every piece starts with the selection bytes of its table. A character missing from the table is replaced
// by a plain equivalent ("…" by "...") or by '?'.
#pragma once

#include <string_view>
#include <vector>

#include "dvb/demo/bit_writer.h"
#include "dvb/demo/lineup.h"

namespace receiverd::dvb::demo {

/// Selection bytes of a coding; empty for the default table.
ByteVector selection_bytes(TextCoding coding);

/// One element per character, without selection bytes.
std::vector<ByteVector> code_characters(TextCoding coding, std::string_view utf8);

/// The whole text with selection bytes, truncated between characters to at most `limit` bytes. An empty text yields no
/// bytes.
ByteVector code_text(TextCoding coding, std::string_view utf8, std::size_t limit = 255);

}  // namespace receiverd::dvb::demo
