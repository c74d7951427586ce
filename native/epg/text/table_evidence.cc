// Decides which one-byte table a text without a selection byte is coded in.
//
// The standard's default is ISO/IEC 6937; many broadcasters use ISO/IEC 8859-1 or their national part without
// signalling it. The text itself shows the difference: read in the wrong table, letters become signs inside words,
// capitals follow small letters, and marks precede characters that cannot carry them. Each such oddity is counted, and
// the alternative table is chosen only if it has fewer. A short text gives little evidence, so the evidence of all
// texts of one broadcaster is added up (the decoder uses a whole section).
#include <string_view>

#include "epg/text/character_tables.h"
#include "epg/text/dvb_text.h"
#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

// Weights, heaviest first: a code that the table lacks, a sign in an odd place, a rare letter.
constexpr unsigned kImpossible = 4;
constexpr unsigned kVeryOdd = 3;
constexpr unsigned kOdd = 2;
constexpr unsigned kRare = 1;

enum class ByteKind : std::uint8_t { blank, small, capital, caseless, digit, punctuation, sign };

struct Character {
  char16_t code = ' ';
  ByteKind kind = ByteKind::blank;
  bool own = false;  // from a byte over 0x7F; ASCII is the same in every table
};

ByteKind kind_of(char16_t code) {
  if (code == ' ' || code == 0xA0) return ByteKind::blank;
  if (code >= '0' && code <= '9') return ByteKind::digit;
  if (code < 0x80) {
    if (code >= 'a' && code <= 'z') return ByteKind::small;
    if (code >= 'A' && code <= 'Z') return ByteKind::capital;
    return ByteKind::punctuation;
  }
  // Quotation marks, dashes and other characters found at word edges.
  constexpr std::u16string_view kEdges =
      u"\u00A1\u00AB\u00AD\u00B4\u00BB\u00BF\u2013\u2014\u2015\u2018\u2019\u201C\u201D\u2026\u2122\u20AC\u00A3\u00A9"
      u"\u00AE\u00B0\u00B7";
  if (kEdges.find(code) != kEdges.npos) return ByteKind::punctuation;
  if (code < 0xC0 || code == 0xD7 || code == 0xF7) return ByteKind::sign;
  if (code < 0x100) return code < 0xDF ? ByteKind::capital : ByteKind::small;
  if (code < 0x180) {
    if (code == 0x138 || code == 0x149) return ByteKind::small;
    // Latin Extended-A: pairs of capital and small letters. In two runs the capitals have odd codes, elsewhere even
    // ones.
    const bool odd_capitals = (code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E);
    return (code % 2 == 1) == odd_capitals && code != 0x178 ? ByteKind::capital : ByteKind::small;
  }
  if ((code >= 0x2000 && code < 0x2C00) || (code >= 0x2B0 && code < 0x300)) return ByteKind::sign;
  if (code >= 0x370 && code < 0x400) return code < 0x3AC && code != 0x390 ? ByteKind::capital : ByteKind::small;
  if (code >= 0x400 && code < 0x460) return code < 0x430 ? ByteKind::capital : ByteKind::small;
  return ByteKind::caseless;
}

bool is_letter(const Character& character) {
  return character.kind == ByteKind::small || character.kind == ByteKind::capital ||
         character.kind == ByteKind::caseless;
}

// Letters that few languages use, at codes where ISO/IEC 8859-1 has frequent ones.
unsigned rarity(char16_t code) {
  // Ohm, H with stroke, ligature ij, kra, L with middle dot, n preceded by apostrophe, eng, T with stroke.
  constexpr std::u16string_view kOddLetters = u"\u2126ĦħĲĳĸĿŀŉŊŋŦŧ";
  // O and L with stroke: at codes of small e with an accent elsewhere. Eth, d with stroke, thorn, dotless i.
  constexpr std::u16string_view kRareLetters = u"ØŁÐðđÞþı";
  if (kOddLetters.find(code) != kOddLetters.npos) return kOdd;
  return kRareLetters.find(code) != kRareLetters.npos ? kRare : 0;
}

// A character affects its neighbours up to this many characters away.
constexpr std::size_t kNeighbours = 2;

// Reads a text character by character. Only adjacent characters matter, so no others are stored.
class Reading {
 public:
  void take(char16_t code, bool own) {
    const Character now{code, kind_of(code), own};
    if (own) total_ += rarity(code);
    if (now.kind == ByteKind::capital && own && last_.kind == ByteKind::small) total_ += kOdd;
    // Two capitals and a small letter: "SOrie" for "Serie".
    if (before_.kind == ByteKind::capital && last_.kind == ByteKind::capital && (before_.own || last_.own) &&
        now.kind == ByteKind::small) {
      total_ += kRare;
    }
    // A capital of this table inside a word: "uIs" for "u" and a caron on "s".
    if (last_.kind == ByteKind::capital && last_.own && now.kind == ByteKind::small && before_.kind == ByteKind::small)
      total_ += kRare;
    if (last_.kind == ByteKind::sign && last_.own) {
      if (is_letter(before_) && is_letter(now)) {
        total_ += kOdd;
      } else if (is_letter(before_) || is_letter(now)) {
        total_ += kRare;
      }
    }
    before_ = last_;
    last_ = now;
  }
  void take_ascii(std::uint8_t byte) { take(byte < 0x20 ? u' ' : byte, false); }
  void oddity(unsigned weight) { total_ += weight; }
  std::uint64_t total() {
    take(' ', false);
    return total_;
  }

 private:
  Character before_;
  Character last_;
  std::uint64_t total_ = 0;
};

// The weighted oddities of `text` (without a selection byte) in a one-byte table; 0 = none.
std::uint64_t oddity(wire::Bytes text, CharacterTable table) {
  Reading reading;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::uint8_t byte = text[at];
    if (byte < 0x80) {
      reading.take_ascii(byte);
      if (const std::size_t rest = ascii_run(wire::text_of(text.subspan(at + 1))); rest > kNeighbours) {
        // Without a character beyond ASCII nearby, nothing is odd.
        reading.take_ascii(text[at + 1]);
        at += rest - kNeighbours;
      }
    } else if (byte < 0xA0) {
      if (byte != 0x8A && byte != 0x86 && byte != 0x87) reading.oddity(kVeryOdd);
    } else if (table == CharacterTable::iso6937 && is_mark(byte)) {
      const std::uint8_t next = at + 1 < text.size() ? text[at + 1] : std::uint8_t{0};
      const auto letter = next < 0x80   ? static_cast<char16_t>(next)
                          : next < 0xA0 ? u'\0'
                                        : table_character(table, next);
      const MarkedLetter marked = marked_letter(byte, letter);
      if (!marked.in_repertoire) reading.oddity(at + 1 < text.size() ? kVeryOdd : kRare);
      if (letter != 0) reading.take(marked.in_repertoire ? marked.character : letter, true);
      ++at;
    } else if (const char16_t code = table_character(table, byte); code != 0) {
      reading.take(code, true);
    } else {
      reading.oddity(kImpossible);
    }
  }
  return reading.total();
}

}  // namespace

void TableEvidence::add(wire::Bytes text) {
  if (assumption_.table == assumption_.alternative || has_selection_byte(text, assumption_)) return;
  if (ascii_run(wire::text_of(text)) == text.size()) return;
  if (assumption_.detect_utf8 && valid_utf8(wire::text_of(text))) return;
  oddity_ += oddity(text, assumption_.table);
  alternative_oddity_ += oddity(text, assumption_.alternative);
}

}  // namespace receiverd::epg
