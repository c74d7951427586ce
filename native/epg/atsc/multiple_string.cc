#include "epg/atsc/multiple_string.h"

#include <algorithm>

#include "epg/atsc/psip_huffman.h"
#include "epg/atsc/scsu.h"
#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

using wire::Bytes;
using wire::Cursor;

constexpr char32_t kReplacement = 0xFFFD;

bool is_surrogate(char32_t unit, char32_t first) { return unit >= first && unit < first + 0x400; }

/// Appends a character; drops control characters, except line feeds.
void put(char32_t code, std::string& text) {
  if (code == '\r') return;
  if (code == '\n' || (code >= 0x20 && (code < 0x7F || code >= 0xA0))) append_utf8(text, code);
}

void append_utf16(Bytes bytes, std::string& text) {
  for (Cursor cursor(bytes); cursor.left() >= 2;) {
    char32_t code = cursor.u16();
    if (is_surrogate(code, 0xD800)) {
      Cursor ahead = cursor;
      const char32_t low = ahead.u16();
      if (is_surrogate(low, 0xDC00)) {
        cursor = ahead;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      }
    }
    put(code >= 0xD800 && code < 0xE000 ? kReplacement : code, text);
  }
}

void append_segment(std::uint8_t compression, std::uint8_t mode, Bytes bytes, std::string& text) {
  constexpr std::uint8_t kScsu = 0x3E;
  constexpr std::uint8_t kUtf16 = 0x3F;
  constexpr std::uint8_t kTitleCode = 1;
  constexpr std::uint8_t kDescriptionCode = 2;
  if (compression != 0) {
    std::string latin1;
    if (mode != 0 || compression > kDescriptionCode) return;
    decode_psip_huffman(bytes, compression != kTitleCode, latin1);
    for (const char character : latin1) put(static_cast<std::uint8_t>(character), text);
    return;
  }
  if (mode == kUtf16) return append_utf16(bytes, text);
  if (mode == kScsu) return decode_scsu(bytes, [&](char32_t code) { put(code, text); });
  if (mode > kUtf16) return;
  for (const std::uint8_t byte : bytes) put(static_cast<char32_t>(mode) << 8 | byte, text);
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  text.erase(0, text.find_first_not_of(" \n"));
  return text;
}

}  // namespace

std::string decode_multiple_string(Bytes structure, std::span<const Language> languages, Language* language) {
  std::string chosen;
  std::size_t best = languages.size() + 1;
  Cursor cursor(structure);
  for (std::uint8_t strings = cursor.u8(); strings > 0; --strings) {
    const Bytes code = cursor.take(3);
    if (code.empty()) break;
    const Language sent = language_of(code);
    const std::size_t place = place_among(languages, sent);
    std::string text;
    for (std::uint8_t segments = cursor.u8(); segments > 0; --segments) {
      const std::uint8_t compression = cursor.u8();
      const std::uint8_t mode = cursor.u8();
      const Bytes bytes = cursor.take(cursor.u8());
      if (!cursor.ok()) break;
      if (place < best) append_segment(compression, mode, bytes, text);
    }
    if (place >= best) continue;
    best = place;
    chosen = std::move(text);
    if (language != nullptr) *language = sent;
  }
  return trimmed(std::move(chosen));
}

std::string decode_utf16(Bytes bytes) {
  std::string text;
  append_utf16(bytes, text);
  return trimmed(std::move(text));
}

}  // namespace receiverd::epg
