// Converts the 8-bit texts of ARIB STD-B24 (volume 1, part 2, chapter 7) to UTF-8: those of Japan, and of the countries
// that adopted ABNT NBR 15606-1 (Brazil and others).
//
//   bytes ──► control codes: designate, invoke, shift ──► GL or GR: G0..G3 ──► character set ──► UTF-8
//             0x00..0x20, 0x7F..0xA0                                          arib_tables.h
//
// Sizes and colours, positions, bitmaps (DRCS) and mosaics are left out. Alphanumeric characters of normal size are
// full width, as a Japanese receiver shows them; those of medium and small size are half width.
//
// Thread safety: every function here may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "epg/arib/si_rules.h"
#include "epg/text/dvb_text.h"
#include "wire/bytes.h"

namespace receiverd::epg {

/// Repetitions (RPC) and macros cannot make a text longer than this, in characters.
inline constexpr std::size_t kMaxAribCharacters = 4096;

/// Appends the text. `latin`: the initial character sets are those of ABNT NBR 15606-1.
void decode_arib_text(wire::Bytes text, bool latin, TextErrors& errors, std::string& out);

/// How decode_dvb_text() has to read the texts of an ISDB multiplex.
inline TextAssumption arib_text_assumption(const SiRules& rules) {
  const CharacterTable table = rules.latin ? CharacterTable::arib_latin : CharacterTable::arib;
  return {.table = table, .alternative = table, .detect_utf8 = false, .no_selection_bytes = true};
}

}  // namespace receiverd::epg
