// Which one-byte table a text without a selection byte is in.
//
// The standard says ISO/IEC 6937; many senders mean ISO/IEC 8859-1 or their national part and say nothing. The two can
// be told apart by reading: in the wrong table, letters become signs inside words, capitals stand behind small letters,
// and marks stand before what carries none. Each such oddity counts; the alternative is believed only when it reads
// less oddly. Evidence adds up over the texts of one sender (the decoder takes a whole section), since short texts say
// little.
#pragma once

#include "epg/dvb_text.h"

namespace receiverd::epg {

class TableEvidence {
 public:
  explicit TableEvidence(const TextAssumption& assumption) : assumption_(assumption) {}

  /// Takes a text into account; one with a selection byte, or without bytes over 0x7F, says nothing.
  void add(wire::Bytes text);

  /// The table that the texts so far speak for.
  CharacterTable table() const { return oddity_ > alternative_oddity_ ? assumption_.alternative : assumption_.table; }
  /// True when one reads less oddly than the other.
  bool decided() const { return oddity_ != alternative_oddity_; }

 private:
  TextAssumption assumption_;
  std::uint64_t oddity_ = 0;
  std::uint64_t alternative_oddity_ = 0;
};

/// How odd `text` (no selection byte) reads in a one-byte table; 0 = nothing speaks against it.
std::uint64_t oddity(wire::Bytes text, CharacterTable table);

/// True when `text` has a selection byte that `assumption` lets it have.
bool has_selection_byte(wire::Bytes text, const TextAssumption& assumption);

}  // namespace receiverd::epg
