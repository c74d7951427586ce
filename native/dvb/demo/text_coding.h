// UTF-8 to DVB text in the coding of a service (EN 300 468 Annex A).
//
// Text is coded character by character, so that a long one can be cut into descriptors without splitting a character;
// every piece begins with the selection bytes of its table. A character the table lacks is replaced by a plain
// likeness ("…" by "...") or by '?'.
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

/// The whole text with selection bytes, cut before a character so that it has at most `limit` bytes. Empty text gives
/// no bytes.
ByteVector code_text(TextCoding coding, std::string_view utf8, std::size_t limit = 255);

}  // namespace receiverd::dvb::demo
