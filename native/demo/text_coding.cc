#include "demo/text_coding.h"

#include <map>
#include <string>

#include "epg/text/character_tables.h"
#include "epg/text/utf8.h"

namespace receiverd::demo {
namespace {

using epg::CharacterTable;

/// The characters of a one-byte table beyond ASCII, and their bytes: the decoder's table in reverse.
using Characters = std::map<char32_t, ByteVector>;

Characters characters_of(CharacterTable table) {
  Characters characters;
  for (int code = 0xA0; code <= 0xFF; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    if (table == CharacterTable::iso6937 && epg::is_mark(byte)) {
      for (char letter = 'A'; letter <= 'z'; ++letter) {
        const epg::MarkedLetter marked = epg::marked_letter(byte, static_cast<char16_t>(letter));
        if (marked.in_repertoire) characters[marked.character] = {byte, static_cast<std::uint8_t>(letter)};
      }
    } else if (const char16_t character = epg::table_character(table, byte); character != 0) {
      characters[character] = {byte};
    }
  }
  return characters;
}

const Characters& characters_of(TextCoding coding) {
  static const Characters latin = characters_of(CharacterTable::iso6937);
  static const Characters latin_9 = characters_of(CharacterTable::iso8859_15);
  static const Characters cyrillic = characters_of(CharacterTable::iso8859_5);
  static const Characters greek = characters_of(CharacterTable::iso8859_7);
  static const Characters turkish = characters_of(CharacterTable::iso8859_9);
  switch (coding) {
    case TextCoding::latin_9:
      return latin_9;
    case TextCoding::cyrillic:
      return cyrillic;
    case TextCoding::greek:
      return greek;
    case TextCoding::turkish:
      return turkish;
    default:
      return latin;
  }
}

/// The substitute for a character missing from a table.
std::string_view likeness(char32_t letter) {
  switch (letter) {
    case U'…':
      return "...";
    case U'–':
    case U'—':
    case U'·':
    case U'•':
      return "-";
    case U'‘':
    case U'’':
    case U'ʼ':
      return "'";
    case U'“':
    case U'”':
    case U'„':
    case U'«':
    case U'»':
      return "\"";
    default:
      return "?";
  }
}

void append(std::string_view text, ByteVector& out) { out.insert(out.end(), text.begin(), text.end()); }

ByteVector code_letter(TextCoding coding, char32_t letter) {
  if (coding == TextCoding::two_byte) {
    return {static_cast<std::uint8_t>(letter >> 8), static_cast<std::uint8_t>(letter)};
  }
  if (letter < 0x80) return {static_cast<std::uint8_t>(letter)};
  ByteVector coded;
  if (coding == TextCoding::utf8) {
    std::string utf8;
    epg::append_utf8(utf8, letter);
    append(utf8, coded);
    return coded;
  }
  const Characters& characters = characters_of(coding);
  if (const auto found = characters.find(letter); found != characters.end()) return found->second;
  append(likeness(letter), coded);
  return coded;
}

}  // namespace

ByteVector selection_bytes(TextCoding coding) {
  switch (coding) {
    case TextCoding::latin:
      return {};
    case TextCoding::latin_9:
      return {0x10, 0x00, 0x0F};
    case TextCoding::cyrillic:
      return {0x01};
    case TextCoding::greek:
      return {0x03};
    case TextCoding::turkish:
      return {0x05};
    case TextCoding::two_byte:
      return {0x11};
    case TextCoding::utf8:
      return {0x15};
  }
  return {};
}

ByteVector code_text(TextCoding coding, std::string_view utf8, std::size_t limit) {
  if (utf8.empty()) return {};
  ByteVector text = selection_bytes(coding);
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t letter = epg::next_utf8(utf8, at);
    if (letter > 0xFFFF) continue;  // also what is not UTF-8
    const ByteVector coded = code_letter(coding, letter);
    if (text.size() + coded.size() > limit) break;
    text.insert(text.end(), coded.begin(), coded.end());
  }
  return text;
}

}  // namespace receiverd::demo
