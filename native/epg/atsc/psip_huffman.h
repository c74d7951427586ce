// Compressed texts of PSIP (ATSC A/65 annex C): order-1 Huffman codes for English, one for titles (tables C.4 and C.5)
// and one for descriptions (C.6 and C.7). Each character selects the code of the next one; context 0 is the start.
//
// After the escape code, and after a character above 127, the next one is sent as it is, in eight bits.
#pragma once

#include <string>

#include "wire/bytes.h"

namespace receiverd::epg {

/// Appends the characters up to the end code, or to where the bits end. An unfinished one is left out.
void decode_psip_huffman(wire::Bytes bytes, bool is_description, std::string& latin1);

}  // namespace receiverd::epg
