// Texts of PSIP: the multiple_string_structure (ATSC A/65 §6.10), one text in several languages, each in segments.
//
//   number_strings 8 { ISO_639_language_code 24, number_segments 8
//                      { compression_type 8, mode 8, number_bytes 8, bytes } }
//
// compression_type 0 is none, 1 and 2 are the Huffman codes of annex C (psip_huffman.h). Modes up to 0x3D give the
// upper byte of a character whose lower byte is sent, 0x3E is SCSU, 0x3F UTF-16. Segments in reserved modes are left
// out.
#pragma once

#include <span>
#include <string>

#include "epg/event/event.h"
#include "wire/bytes.h"

namespace receiverd::epg {

/// The text in the first of `languages` that it is sent in, else the first one sent. `language` gets its code. Broken
/// parts end the text; blanks at its end and NULs are removed.
std::string decode_multiple_string(wire::Bytes structure, std::span<const Language> languages = {},
                                   Language* language = nullptr);

/// UTF-16, big endian. Unpaired surrogates become U+FFFD; ends like decode_multiple_string().
std::string decode_utf16(wire::Bytes bytes);

}  // namespace receiverd::epg
