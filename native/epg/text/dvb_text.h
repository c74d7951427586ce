// Converts DVB text to UTF-8: ETSI EN 300 468 Annex A, and what broadcasters actually send.
//
//   bytes ──► selection byte(s)? ──► character table ──► control codes ──► UTF-8 (NFC for ISO/IEC 6937)
//              0x01..0x1F               character_tables.h      8A = line break
//              none: TextAssumption     east_asian_characters.h 86/87 = emphasis
//
// The output is always valid UTF-8 and at most three times as long as the input (kMaxCompressedTextCharacters for a
// compressed text, kMaxAribCharacters for one of ARIB). Unreadable bytes are dropped and counted, never shown as
// garbage.
//
// Thread safety: every function here may be called from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "wire/bytes.h"

namespace receiverd::epg {

class HuffmanTables;

/// The character tables that a DVB text can be coded in. iso8859_1 + (part - 1) is ISO/IEC 8859-part.
enum class CharacterTable : std::uint8_t {
  iso6937,  ///< Annex A figure A.1: the default table, ISO/IEC 6937 with the euro sign
  iso8859_1,
  iso8859_2,
  iso8859_3,
  iso8859_4,
  iso8859_5,
  iso8859_6,
  iso8859_7,
  iso8859_8,
  iso8859_9,
  iso8859_10,
  iso8859_11,
  iso8859_12,  ///< does not exist; reserved in Annex A
  iso8859_13,
  iso8859_14,
  iso8859_15,
  utf16be,
  utf16le,
  euc_kr,   ///< KS X 1001
  gb18030,  ///< GB 2312 and what GBK adds
  big5,     ///< Big5, or UTF-16BE if the bytes are not Big5
  utf8,
  arib,        ///< ARIB STD-B24: an ISDB multiplex (epg/arib), never announced
  arib_latin,  ///< ABNT NBR 15606-1
  compressed,  ///< 0x1F: Freesat and Freeview HD Huffman texts
  unknown      ///< reserved selection byte: the text is dropped
};

/// How to read a text without a selection byte. A text that is announced as UTF-8 (0x15) and is valid UTF-8 is always
/// read as UTF-8, whatever the assumption.
struct TextAssumption {
  CharacterTable table = CharacterTable::iso6937;  ///< the standard's table
  /// The table that the broadcaster may have meant instead. It is used only if it fits the text better (TableEvidence).
  /// Equal to `table`: no alternative.
  CharacterTable alternative = CharacterTable::iso8859_1;
  bool detect_utf8 = true;                 ///< bytes over 0x7F that form valid UTF-8 are UTF-8
  bool enforced = false;                   ///< skip any selection byte and use `table` anyway
  bool no_selection_bytes = false;         ///< the first byte is text even if it looks like a selection byte
  bool two_byte_marks = false;             ///< this multiplex sends ISO/IEC 6937 where it announces ISO/IEC 8859-5
  const HuffmanTables* huffman = nullptr;  ///< for compressed texts, which are dropped without it. Not owned
};

/// Errors counted since the start, kept by the caller (one writer).
struct TextErrors {
  std::uint64_t undefined_characters = 0;  ///< codes missing from the table
  std::uint64_t malformed = 0;             ///< truncated or invalid multi-byte characters, unpaired surrogates
  std::uint64_t unknown_tables = 0;        ///< reserved selection bytes: text dropped
  std::uint64_t no_decoder = 0;            ///< a compressed text without the Huffman file: text dropped
};

inline constexpr std::size_t kMaxCompressedTextCharacters = 4096;

/// Decodes a text for display: control codes removed, 0x8A as a line feed, trailing blanks and NULs removed. `parts`: a
/// text may be split across several extended_event_descriptors (§6.2.15). Adjacent parts in the same table are joined
/// before decoding, because a character may be split between them. `out` must be empty; its memory is reused.
/// `abbreviated` gets the pieces between emphasis on and off (0x86, 0x87).
void decode_dvb_text(std::span<const wire::Bytes> parts, const TextAssumption& assumption, TextErrors* errors,
                     std::string& out, std::string* abbreviated = nullptr);
std::string decode_dvb_text(std::span<const wire::Bytes> parts, const TextAssumption& assumption = {},
                            TextErrors* errors = nullptr);
inline std::string decode_dvb_text(wire::Bytes text, const TextAssumption& assumption = {},
                                   TextErrors* errors = nullptr) {
  return decode_dvb_text(std::span(&text, 1), assumption, errors);
}

/// A service name and its short form: the pieces between emphasis on and off (TR 101 211 §4.6.1).
struct ServiceName {
  std::string full;
  std::string abbreviated;  ///< empty if the broadcaster marks none
};

ServiceName decode_service_name(wire::Bytes text, const TextAssumption& assumption = {});

/// Decides which one-byte table a text without a selection byte is coded in (table_evidence.cc).
class TableEvidence {
 public:
  explicit TableEvidence(const TextAssumption& assumption) : assumption_(assumption) {}

  /// Adds a text to the evidence. One with a selection byte, or without bytes over 0x7F, adds nothing.
  void add(wire::Bytes text);

  /// The table that fits the texts so far: the one with fewer oddities.
  CharacterTable table() const { return oddity_ > alternative_oddity_ ? assumption_.alternative : assumption_.table; }
  /// True if one table fits better than the other.
  bool decided() const { return oddity_ != alternative_oddity_; }

 private:
  TextAssumption assumption_;
  std::uint64_t oddity_ = 0;
  std::uint64_t alternative_oddity_ = 0;
};

/// True if `text` has a selection byte and `assumption` allows one.
inline bool has_selection_byte(wire::Bytes text, const TextAssumption& assumption) {
  return !assumption.no_selection_bytes && !text.empty() && text[0] < 0x20;
}

}  // namespace receiverd::epg
