// The one-byte tables of EN 300 468 Annex A: ISO/IEC 8859 parts 1 to 15 and ISO/IEC 6937 with DVB's euro sign. Most
// broadcasts need one of them.
#pragma once

#include <cstdint>

#include "epg/text/dvb_text.h"

namespace receiverd::epg {

/// The character of `byte` (0xA0..0xFF) in an ISO/IEC 8859 table or, marks excepted, in ISO/IEC 6937; 0 = none.
/// REQUIRES: a one-byte table.
char16_t table_character(CharacterTable table, std::uint8_t byte);

/// ISO/IEC 6937: 0xC0..0xCF are marks, each before its letter.
inline bool is_mark(std::uint8_t byte) { return byte >= 0xC0 && byte <= 0xCF; }

/// A mark combined with the character after it.
struct MarkedLetter {
  char16_t character = 0;      ///< the letter with its mark in one code point (NFC), else the letter alone
  char16_t combining = 0;      ///< to follow `character` if Unicode has no code point for both
  bool in_repertoire = false;  ///< ISO/IEC 6937 has this pair; a text with others is hardly ISO/IEC 6937
};

/// `letter` is a code point. A mark before a blank becomes the spacing sign. Before any other non-letter, it is
/// dropped.
MarkedLetter marked_letter(std::uint8_t mark, char16_t letter);

}  // namespace receiverd::epg
