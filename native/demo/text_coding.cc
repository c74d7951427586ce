#include "demo/text_coding.h"

#include <array>
#include <map>
#include <string>

#include "epg/text/character_tables.h"
#include "epg/text/utf8.h"

namespace receiverd::demo {
namespace {

using epg::CharacterTable;

/// Maps the characters of a one-byte table beyond ASCII to their bytes: the decoder's table in reverse.
using Characters = std::map<char32_t, ByteVector>;

Characters characters_beyond_ascii(CharacterTable table) {
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

const Characters& characters_of(CharacterTable table) {
  static const auto tables = [] {
    std::array<Characters, static_cast<std::size_t>(CharacterTable::utf16be)> all;
    for (std::size_t one = 0; one < all.size(); ++one) {
      all[one] = characters_beyond_ascii(static_cast<CharacterTable>(one));
    }
    return all;
  }();
  return tables[static_cast<std::size_t>(table)];
}

/// The substitute for a character that a table lacks.
std::string_view substitute_for(char32_t letter) {
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

ByteVector code_letter(CharacterTable table, char32_t letter) {
  if (table == CharacterTable::utf16be) {
    return {static_cast<std::uint8_t>(letter >> 8), static_cast<std::uint8_t>(letter)};
  }
  if (letter < 0x80) return {static_cast<std::uint8_t>(letter)};
  std::string coded;
  if (table == CharacterTable::utf8) {
    epg::append_utf8(coded, letter);
  } else {
    const Characters& characters = characters_of(table);
    if (const auto found = characters.find(letter); found != characters.end()) return found->second;
    coded = substitute_for(letter);
  }
  return {coded.begin(), coded.end()};
}

}  // namespace

ByteVector selection_bytes(CharacterTable table) {
  if (table == CharacterTable::iso6937) return {};
  if (table == CharacterTable::utf16be) return {0x11};
  if (table == CharacterTable::utf8) return {0x15};
  const auto part =
      static_cast<std::uint8_t>(static_cast<int>(table) - static_cast<int>(CharacterTable::iso8859_1) + 1);
  if (part == 15) return {0x10, 0x00, part};
  return {static_cast<std::uint8_t>(part - 4)};
}

ByteVector code_text(CharacterTable table, std::string_view utf8, std::size_t limit) {
  if (utf8.empty()) return {};
  ByteVector text = selection_bytes(table);
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t letter = epg::next_utf8(utf8, at);
    if (letter > 0xFFFF) continue;  // includes invalid UTF-8
    const ByteVector coded = code_letter(table, letter);
    if (text.size() + coded.size() > limit) break;
    text.insert(text.end(), coded.begin(), coded.end());
  }
  return text;
}

}  // namespace receiverd::demo
