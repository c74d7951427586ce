// Decides which one-byte table a text without a selection byte is coded in.
//
// The standard says ISO/IEC 6937; many broadcasters mean ISO/IEC 8859-1 or their national part and do not say so.
// Reading the text tells them apart. In the wrong table, letters become signs inside words, capitals follow small
// letters, and marks precede characters that cannot carry them. Each such oddity counts, and the alternative is chosen
// only if it reads less oddly. Evidence adds up over the texts of one broadcaster (the decoder takes a whole section),
// since short texts say little.
#pragma once

#include "epg/text/dvb_text.h"

namespace receiverd::epg {

class TableEvidence {
 public:
  explicit TableEvidence(const TextAssumption& assumption) : assumption_(assumption) {}

  /// Adds a text to the evidence. One with a selection byte, or without bytes over 0x7F, adds nothing.
  void add(wire::Bytes text);

  /// The table that the texts so far point to.
  CharacterTable table() const { return oddity_ > alternative_oddity_ ? assumption_.alternative : assumption_.table; }
  /// True if one reads less oddly than the other.
  bool decided() const { return oddity_ != alternative_oddity_; }

 private:
  TextAssumption assumption_;
  std::uint64_t oddity_ = 0;
  std::uint64_t alternative_oddity_ = 0;
};

/// How oddly `text` (no selection byte) reads in a one-byte table; 0 = nothing speaks against it.
std::uint64_t oddity(wire::Bytes text, CharacterTable table);

/// True if `text` has a selection byte and `assumption` allows one.
bool has_selection_byte(wire::Bytes text, const TextAssumption& assumption);

}  // namespace receiverd::epg
