#include "dvb/demo/text_coding.h"

#include <algorithm>
#include <iterator>

#include "dvb/demo/glyphs.h"
#include "dvb/demo/lettering.h"

namespace receiverd::dvb::demo {
namespace {

struct Single {
  char32_t letter;
  std::uint8_t byte;
};

/// ISO/IEC 6937 with the euro: one-byte characters above ASCII that the texts may use (Annex A figure A.1).
constexpr Single kLatin[] = {{U'¡', 0xA1}, {U'£', 0xA3}, {U'€', 0xA4}, {U'§', 0xA7}, {U'‘', 0xA9}, {U'“', 0xAA},
                             {U'«', 0xAB}, {U'°', 0xB0}, {U'·', 0xB7}, {U'’', 0xB9}, {U'”', 0xBA}, {U'»', 0xBB},
                             {U'½', 0xBD}, {U'¿', 0xBF}, {U'—', 0xD0}, {U'æ', 0xF1}, {U'ı', 0xF5}, {U'ł', 0xF8},
                             {U'ø', 0xF9}, {U'œ', 0xFA}, {U'ß', 0xFB}};

/// The differences of ISO/IEC 8859-15 and -9 from 8859-1.
constexpr Single kLatin9[] = {{U'€', 0xA4}, {U'Š', 0xA6}, {U'š', 0xA8}, {U'Ž', 0xB4},
                              {U'ž', 0xB8}, {U'Œ', 0xBC}, {U'œ', 0xBD}, {U'Ÿ', 0xBE}};
constexpr Single kTurkish[] = {{U'Ğ', 0xD0}, {U'İ', 0xDD}, {U'Ş', 0xDE}, {U'ğ', 0xF0}, {U'ı', 0xFD}, {U'ş', 0xFE}};

template <std::size_t N>
int find_single(const Single (&table)[N], char32_t letter) {
  const auto found = std::find_if(std::begin(table), std::end(table), [=](Single s) { return s.letter == letter; });
  return found == std::end(table) ? -1 : found->byte;
}

template <std::size_t N>
bool taken(const Single (&table)[N], char32_t letter) {
  return std::any_of(std::begin(table), std::end(table), [=](Single s) { return s.byte == letter; });
}

/// Non-spacing accent of ISO/IEC 6937 for a mark of glyphs.h.
std::uint8_t accent_byte(char mark) {
  switch (mark) {
    case '`':
      return 0xC1;
    case '\'':
      return 0xC2;
    case '^':
      return 0xC3;
    case '~':
      return 0xC4;
    case 'u':
      return 0xC6;
    case '.':
      return 0xC7;
    case '"':
      return 0xC8;
    case 'o':
      return 0xCA;
    case ',':
      return 0xCB;
    case 'v':
      return 0xCF;
    default:
      return 0;
  }
}

ByteVector latin(char32_t letter) {
  if (const int byte = find_single(kLatin, letter); byte >= 0) return {static_cast<std::uint8_t>(byte)};
  const GlyphComposition* composed = glyph_composition(letter);
  if (composed == nullptr) return {};
  const char32_t base = composed->base == U'ı' ? U'i' : composed->base;
  if (base >= 0x80) return {};
  return {accent_byte(composed->mark), static_cast<std::uint8_t>(base)};
}

/// One byte of an ISO/IEC 8859 part, or -1.
int single_byte(TextCoding coding, char32_t letter) {
  const bool latin_1 = letter >= 0xA0 && letter <= 0xFF;
  switch (coding) {
    case TextCoding::latin_9:
      if (const int byte = find_single(kLatin9, letter); byte >= 0) return byte;
      return latin_1 && !taken(kLatin9, letter) ? static_cast<int>(letter) : -1;
    case TextCoding::turkish:
      if (const int byte = find_single(kTurkish, letter); byte >= 0) return byte;
      return latin_1 && !taken(kTurkish, letter) ? static_cast<int>(letter) : -1;
    case TextCoding::cyrillic:
      if (letter == U'№') return 0xF0;
      if (letter == U'§') return 0xFD;
      return letter >= 0x401 && letter <= 0x45F && letter != 0x40D && letter != 0x450 && letter != 0x45D
                 ? static_cast<int>(letter - 0x360)
                 : -1;
    case TextCoding::greek:
      if (letter == U'«' || letter == U'»' || letter == U'·' || letter == U'°') return static_cast<int>(letter);
      if (letter == U'‘' || letter == U'’') return letter == U'‘' ? 0xA1 : 0xA2;
      return letter >= 0x384 && letter <= 0x3CE && letter != 0x385 && letter != 0x387 && letter != 0x38B &&
                     letter != 0x38D && letter != 0x3A2
                 ? static_cast<int>(letter - 0x2D0)
                 : -1;
    default:
      return -1;
  }
}

/// The substitute for a character missing from a table.
std::string_view likeness(char32_t letter) {
  switch (letter) {
    case U'…':
      return "...";
    case U'–':
    case U'—':
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
    case U'·':
    case U'•':
      return "-";
    default:
      return "?";
  }
}

ByteVector code_utf8(char32_t letter) {
  if (letter < 0x800) {
    return {static_cast<std::uint8_t>(0xC0 | letter >> 6), static_cast<std::uint8_t>(0x80 | (letter & 0x3F))};
  }
  return {static_cast<std::uint8_t>(0xE0 | letter >> 12), static_cast<std::uint8_t>(0x80 | (letter >> 6 & 0x3F)),
          static_cast<std::uint8_t>(0x80 | (letter & 0x3F))};
}

ByteVector code_letter(TextCoding coding, char32_t letter) {
  if (coding == TextCoding::two_byte) {
    return {static_cast<std::uint8_t>(letter >> 8), static_cast<std::uint8_t>(letter)};
  }
  if (letter < 0x80) return {static_cast<std::uint8_t>(letter)};
  ByteVector coded;
  if (coding == TextCoding::utf8) {
    coded = code_utf8(letter);
  } else if (coding == TextCoding::latin) {
    coded = latin(letter);
  } else if (const int byte = single_byte(coding, letter); byte >= 0) {
    coded = {static_cast<std::uint8_t>(byte)};
  }
  if (coded.empty()) {
    const std::string_view plain = likeness(letter);
    coded.assign(plain.begin(), plain.end());
  }
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

std::vector<ByteVector> code_characters(TextCoding coding, std::string_view utf8) {
  std::vector<ByteVector> characters;
  for (const char32_t letter : code_points(utf8)) {
    if (letter <= 0xFFFF) characters.push_back(code_letter(coding, letter));
  }
  return characters;
}

ByteVector code_text(TextCoding coding, std::string_view utf8, std::size_t limit) {
  if (utf8.empty()) return {};
  ByteVector text = selection_bytes(coding);
  for (const ByteVector& character : code_characters(coding, utf8)) {
    if (text.size() + character.size() > limit) break;
    text.insert(text.end(), character.begin(), character.end());
  }
  return text;
}

}  // namespace receiverd::dvb::demo
