// Converts UTF-8 to DVB text in the coding of a service (EN 300 468 Annex A).
//
// Text is coded character by character, so that a long one can be divided between descriptors without splitting a
// character. Every piece starts with the selection bytes of its table. A character missing from the table is replaced
// by a plain equivalent ("…" by "...") or by '?'.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "demo/lineup.h"

namespace receiverd::demo {

using ByteVector = std::vector<std::uint8_t>;

/// Selection bytes of a coding; empty for the default table.
ByteVector selection_bytes(TextCoding coding);

/// The whole text with selection bytes, truncated between characters to at most `limit` bytes. An empty text yields no
/// bytes.
ByteVector code_text(TextCoding coding, std::string_view utf8, std::size_t limit = 255);

}  // namespace receiverd::demo
