#include "epg/atsc/scsu.h"

#include <array>
#include <cstdint>
#include <utility>

namespace receiverd::epg {
namespace {

// Tags of single-byte mode; those of Unicode mode are 0xDF higher.
constexpr std::uint8_t kQuoteWindow = 0x01;  // to 0x08
constexpr std::uint8_t kDefineExtended = 0x0B;
constexpr std::uint8_t kQuoteUnicode = 0x0E;
constexpr std::uint8_t kChangeToUnicode = 0x0F;
constexpr std::uint8_t kChangeWindow = 0x10;  // to 0x17
constexpr std::uint8_t kDefineWindow = 0x18;  // to 0x1F
// Tags of Unicode mode.
constexpr std::uint8_t kUnicodeChangeWindow = 0xE0;  // to 0xE7
constexpr std::uint8_t kUnicodeDefineWindow = 0xE8;  // to 0xEF
constexpr std::uint8_t kUnicodeQuote = 0xF0;
constexpr std::uint8_t kUnicodeDefineExtended = 0xF1;

constexpr std::array<char32_t, 8> kStaticWindows = {0x0000, 0x0080, 0x0100, 0x0300, 0x2000, 0x2080, 0x2100, 0x3000};
constexpr std::array<char32_t, 8> kFirstWindows = {0x0080, 0x00C0, 0x0400, 0x0600, 0x0900, 0x3040, 0x30A0, 0xFF00};

/// Where the window begins that a byte after a define tag names; 0 if reserved.
char32_t window_at(std::uint8_t byte) {
  constexpr std::array<char32_t, 7> kSpecial = {0x00C0, 0x0250, 0x0370, 0x0530, 0x3040, 0x30A0, 0xFF60};
  if (byte < 0x68) return byte * 0x80U;
  if (byte < 0xA8) return byte * 0x80U + 0xAC00;
  return byte >= 0xF9 ? kSpecial[byte - 0xF9U] : 0;
}

class ScsuDecoder {
 public:
  ScsuDecoder(wire::Bytes bytes, const std::function<void(char32_t)>& put) : cursor_(bytes), put_(put) {}

  void run() {
    while (cursor_.left() > 0) {
      const std::uint8_t byte = cursor_.u8();
      if (unicode_) {
        in_unicode_mode(byte);
      } else {
        in_byte_mode(byte);
      }
    }
  }

 private:
  void in_byte_mode(std::uint8_t byte) {
    if (byte >= 0x80) return unit(windows_[active_] + byte - 0x80);
    if (byte >= kDefineWindow && byte < 0x20) return define(byte - kDefineWindow);
    if (byte >= kChangeWindow && byte < kDefineWindow) {
      active_ = byte - kChangeWindow;
    } else if (byte >= kQuoteWindow && byte < kQuoteWindow + 8) {
      const std::size_t window = byte - kQuoteWindow;
      const std::uint8_t quoted = cursor_.u8();
      if (cursor_.ok()) unit(quoted < 0x80 ? kStaticWindows[window] + quoted : windows_[window] + quoted - 0x80);
    } else if (byte == kDefineExtended) {
      define_extended();
    } else if (byte == kQuoteUnicode) {
      wide(cursor_.u16());
    } else if (byte == kChangeToUnicode) {
      unicode_ = true;
    } else {
      unit(byte);
    }
  }

  void in_unicode_mode(std::uint8_t byte) {
    if (byte < kUnicodeChangeWindow || byte > kUnicodeDefineExtended) return wide(byte << 8U | cursor_.u8());
    if (byte == kUnicodeQuote) return wide(cursor_.u16());
    unicode_ = false;
    if (byte == kUnicodeDefineExtended) return define_extended();
    if (byte >= kUnicodeDefineWindow) return define(byte - kUnicodeDefineWindow);
    active_ = byte - kUnicodeChangeWindow;
  }

  void define(std::size_t window) {
    active_ = window;
    windows_[window] = window_at(cursor_.u8());
  }

  void define_extended() {
    const std::uint16_t value = cursor_.u16();
    active_ = value >> 13;
    windows_[active_] = 0x10000 + (value & 0x1FFFU) * 0x80;
  }

  void wide(char32_t code) {
    if (cursor_.ok()) unit(code);
  }

  /// A character, or half of a surrogate pair.
  void unit(char32_t code) {
    const char32_t high = std::exchange(high_, 0);
    if (code >= 0xD800 && code < 0xDC00) {
      high_ = code;
    } else if (code >= 0xDC00 && code < 0xE000) {
      if (high != 0) put_(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00));
    } else {
      put_(code);
    }
  }

  wire::Cursor cursor_;
  const std::function<void(char32_t)>& put_;
  bool unicode_ = false;
  std::size_t active_ = 0;
  std::array<char32_t, 8> windows_ = kFirstWindows;
  char32_t high_ = 0;  // the first half of a surrogate pair; 0 = none
};

}  // namespace

void decode_scsu(wire::Bytes bytes, const std::function<void(char32_t)>& put) { ScsuDecoder(bytes, put).run(); }

}  // namespace receiverd::epg
