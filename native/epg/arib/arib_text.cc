#include "epg/arib/arib_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "epg/arib/arib_tables.h"
#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

using wire::Bytes;
using wire::Cursor;

/// Character sets by their final bytes (table 7-3), and what needs no characters.
enum Set : std::uint8_t {
  hiragana = 0x30,
  katakana = 0x31,
  proportional_alphanumeric = 0x36,
  proportional_hiragana = 0x37,
  proportional_katakana = 0x38,
  jis_plane_1 = 0x39,
  jis_plane_2 = 0x3A,
  additional_symbols = 0x3B,
  kanji = 0x42,
  jis_x0201_katakana = 0x49,
  alphanumeric = 0x4A,
  latin_extension = 0x4B,
  latin_special = 0x4C,
  macro = 0x70,
  bitmaps = 0x80,  ///< DRCS, mosaics, and whatever is unknown
};

struct GraphicSet {
  std::uint8_t set = bitmaps;
  bool two_bytes = false;
};
using GraphicSets = std::array<GraphicSet, 4>;

constexpr GraphicSet one(std::uint8_t set) { return {set, false}; }
constexpr GraphicSet two(std::uint8_t set) { return {set, true}; }
constexpr GraphicSets kJapanese = {two(kanji), one(alphanumeric), one(hiragana), one(katakana)};
constexpr GraphicSets kLatin = {one(alphanumeric), one(alphanumeric), one(latin_extension), one(latin_special)};

/// The default macros 0x60 to 0x6F (table 7-13): each designates G0 to G3 and invokes G0 and G2.
constexpr std::array<std::array<GraphicSet, 3>, 16> kMacros = {{
    {two(kanji), one(alphanumeric), one(hiragana)},
    {two(kanji), one(katakana), one(hiragana)},
    {two(kanji), one(bitmaps), one(hiragana)},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {two(kanji), one(bitmaps), one(hiragana)},
    {two(kanji), one(bitmaps), one(hiragana)},
    {two(kanji), one(bitmaps), one(hiragana)},
    {one(katakana), one(hiragana), one(alphanumeric)},
    {one(alphanumeric), one(bitmaps), one(bitmaps)},
}};

/// Codes 0x77 to 0x7E of hiragana and katakana.
constexpr std::u16string_view kHiraganaMarks = u"ゝゞー。「」、・";
constexpr std::u16string_view kKatakanaMarks = u"ヽヾー。「」、・";
/// Where ABNT's table differs from ISO/IEC 8859-1.
constexpr std::u16string_view kLatinCodes = u"\u00A4\u00A6\u00A8\u00AD\u00B4\u00B8\u00BC\u00BD\u00BE";
constexpr std::u16string_view kLatinCharacters = u"€Šš\u00FFŽžŒœŸ";
/// ABNT's special characters from 0x40 and from 0x50.
constexpr std::u16string_view kLatinSpecial[] = {u"¤¦¨´¸¼½¾", u"…█‘’“”•™⅛⅜⅝⅞"};

char16_t jis_character(std::span<const char16_t> plane, std::size_t row, std::size_t cell) {
  const std::size_t at = row * kJisRow + cell;
  return at < plane.size() ? plane[at] : u'\0';
}

/// `row` and `cell` count from 0, here and below.
char16_t additional_character(std::size_t row, std::size_t cell) {
  constexpr std::string_view kRows = "\x54\x55\x59\x5A\x5B\x5C\x5D";
  const auto at = kRows.find(static_cast<char>(row));
  return at == kRows.npos ? u'\0' : jis_character(kAribAdditional, at, cell);
}

char16_t plane_2_character(std::size_t row, std::size_t cell) {
  constexpr std::string_view kFirstRows("\x00\x02\x03\x04\x07\x0B\x0C\x0D\x0E", 9);
  constexpr std::size_t kLaterRows = 77;
  if (row >= kLaterRows) return jis_character(kJisPlane2, kFirstRows.size() + row - kLaterRows, cell);
  const auto at = kFirstRows.find(static_cast<char>(row));
  return at == kFirstRows.npos ? u'\0' : jis_character(kJisPlane2, at, cell);
}

char16_t two_byte_character(std::uint8_t set, std::uint8_t first, std::uint8_t second) {
  constexpr std::size_t kAdditionalRows = 84;
  const std::size_t row = first - 0x21U;
  const std::size_t cell = second - 0x21U;
  if (set == jis_plane_1) return jis_character(kJisPlane1, row, cell);
  if (set == jis_plane_2) return plane_2_character(row, cell);
  if (row >= kAdditionalRows) return additional_character(row, cell);
  return set == kanji ? jis_character(kJisPlane1, row, cell) : u'\0';
}

char16_t kana(std::uint8_t code, char16_t first, char16_t last, std::u16string_view marks) {
  if (code >= 0x77) return marks[code - 0x77U];
  const auto character = static_cast<char16_t>(first + code - 0x21);
  return character <= last ? character : u'\0';
}

class Decoder {
 public:
  Decoder(Bytes text, bool latin, TextErrors& errors, std::string& out)
      : cursor_(text), sets_(latin ? kLatin : kJapanese), latin_(latin), errors_(errors), out_(out) {}

  void decode() {
    while ((cursor_.left() > 0 || unread_) && characters_ < kMaxAribCharacters) {
      const std::uint8_t byte = unread_ ? *std::exchange(unread_, std::nullopt) : cursor_.u8();
      const std::uint8_t code = byte & 0x7F;
      if (code > 0x20 && code < 0x7F) {
        graphic(byte < 0x80 ? left_ : right_, code);
      } else {
        control(byte);
      }
    }
    while (!out_.empty() && (out_.back() == ' ' || out_.back() == '\n')) out_.pop_back();
    while (out_.ends_with("\u3000")) out_.erase(out_.size() - std::string_view("\u3000").size());
    if (!cursor_.ok()) ++errors_.malformed;
  }

 private:
  void control(std::uint8_t byte) {
    switch (byte) {
      case 0x0A:  // APD
      case 0x0D:  // APR
        return put(U'\n');
      case 0x0E:
      case 0x0F:  // LS1, LS0
        left_ = byte == 0x0E ? 1 : 0;
        return;
      case 0x19:
      case 0x1D: {  // SS2, SS3
        const std::uint8_t next = cursor_.u8();
        const std::uint8_t code = next & 0x7F;
        if (code > 0x20 && code < 0x7F) return graphic(byte == 0x19 ? 2 : 3, code);
        if (cursor_.ok()) ++errors_.malformed;
        return;
      }
      case 0x1B:
        return escape();
      case 0x20:
        return put(latin_ || !normal_size_ ? U' ' : U'\u3000');
      case 0x88:
      case 0x89:
      case 0x8A:  // SSZ, MSZ, NSZ
        normal_size_ = byte == 0x8A;
        return;
      case 0x16:
      case 0x8B:
      case 0x91:
      case 0x93:
      case 0x94:
      case 0x97:  // PAPF, SZX, FLC, POL, WMM, HLC
        return cursor_.skip(1);
      case 0x1C:  // APS
        return cursor_.skip(2);
      case 0x90:
      case 0x92:
      case 0x9D:  // COL, CDC, TIME
        if (cursor_.u8() <= 0x29 && cursor_.left() > 0) cursor_.skip(1);
        return;
      case 0x95:  // MACRO: its definition ends with MACRO, 0x4F
        while (cursor_.left() > 0 && (cursor_.u8() != 0x95 || cursor_.left() == 0 || cursor_.u8() != 0x4F)) {
        }
        return;
      case 0x98:  // RPC
        repeat_ = std::max(cursor_.u8() & 0x3F, 1);
        return;
      case 0x9B:  // CSI: parameters, then a final byte
        while (cursor_.left() > 0 && cursor_.u8() < 0x40) {
        }
        return;
      default:
        return;
    }
  }

  void escape() {
    std::uint8_t byte = cursor_.u8();
    switch (byte) {
      case 0x6E:
      case 0x6F:  // LS2, LS3
        left_ = byte - 0x6EU + 2;
        return;
      case 0x7C:
      case 0x7D:
      case 0x7E:  // LS3R, LS2R, LS1R
        right_ = 0x7FU - byte;
        return;
      default:
        break;
    }
    const bool two_bytes = byte == 0x24;
    if (two_bytes) byte = cursor_.u8();
    std::size_t into = 0;
    if (byte >= 0x28 && byte <= 0x2B) {
      into = byte - 0x28U;
      byte = cursor_.u8();
    } else if (!two_bytes) {
      return;
    }
    if (byte != 0x20) {
      sets_[into] = {byte, two_bytes};
      return;
    }
    const std::uint8_t drcs = cursor_.u8();
    sets_[into] = {drcs == macro ? macro : bitmaps, two_bytes};
  }

  void graphic(std::size_t from, std::uint8_t code) {
    const GraphicSet set = sets_[from];
    if (!set.two_bytes) return one_byte(set.set, code);
    const std::uint8_t byte = cursor_.u8();
    const std::uint8_t second = byte & 0x7F;
    if (!cursor_.ok()) return;
    if (second <= 0x20 || second == 0x7F) {
      ++errors_.malformed;
      unread_ = byte;  // a control code that cuts the character short
      return;
    }
    if (set.set != bitmaps) put_text(two_byte_character(set.set, code, second));
  }

  void one_byte(std::uint8_t set, std::uint8_t code) {
    switch (set) {
      case alphanumeric:
      case proportional_alphanumeric:
        return put(alphanumeric_character(code));
      case hiragana:
      case proportional_hiragana:
        return put_text(kana(code, u'ぁ', u'ん', kHiraganaMarks));
      case katakana:
      case proportional_katakana:
        return put_text(kana(code, u'ァ', u'ヶ', kKatakanaMarks));
      case jis_x0201_katakana:
        return put_text(code <= 0x5F ? static_cast<char16_t>(0xFF40 + code) : u'\0');
      case latin_extension: {
        const auto byte = static_cast<char16_t>(code | 0x80);
        const auto at = kLatinCodes.find(byte);
        return put(at == kLatinCodes.npos ? byte : kLatinCharacters[at]);
      }
      case latin_special: {
        const std::size_t row = code >> 4;
        if (code == 0x30 || code == 0x31) return put(U'♪');
        const auto characters = row == 4 || row == 5 ? kLatinSpecial[row - 4] : std::u16string_view();
        return put_text((code & 0xFU) < characters.size() ? characters[code & 0xF] : u'\0');
      }
      case macro:
        if (code < 0x60 || code > 0x6F) return;
        std::ranges::copy(kMacros[code - 0x60U], sets_.begin());
        sets_[3] = one(macro);
        left_ = 0;
        right_ = 2;
        return;
      default:
        return;
    }
  }

  char32_t alphanumeric_character(std::uint8_t code) const {
    if (latin_) return code;
    if (code == 0x5C) return normal_size_ ? U'￥' : U'¥';
    if (code == 0x7E) return normal_size_ ? U'￣' : U'‾';
    return normal_size_ ? 0xFEE0U + code : code;
  }

  void put_text(char16_t code) {
    if (code == 0) {
      ++errors_.undefined_characters;
    } else if (code < kFirstAribText || code > kLastAribText) {
      put(code);
    } else {
      for (std::size_t at = code - kFirstAribText; kAribTexts[at] != u'\n'; ++at) {
        const char32_t unit = kAribTexts[at];
        const bool pair = unit >= 0xD800 && unit < 0xDC00;
        put(pair ? 0x10000 + ((unit - 0xD800) << 10 | (kAribTexts[++at] - 0xDC00U)) : unit);
      }
    }
  }

  void put(char32_t character) {
    for (int times = std::exchange(repeat_, 1); times > 0 && characters_ < kMaxAribCharacters; --times) {
      append_utf8(out_, character);
      ++characters_;
    }
  }

  Cursor cursor_;
  std::optional<std::uint8_t> unread_;
  GraphicSets sets_;
  std::size_t left_ = 0;
  std::size_t right_ = 2;
  bool normal_size_ = true;
  int repeat_ = 1;
  std::size_t characters_ = 0;
  const bool latin_;
  TextErrors& errors_;
  std::string& out_;
};

}  // namespace

void decode_arib_text(Bytes text, bool latin, TextErrors& errors, std::string& out) {
  Decoder(text, latin, errors, out).decode();
}

}  // namespace receiverd::epg
