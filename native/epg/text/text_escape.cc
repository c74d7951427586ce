#include "epg/text/text_escape.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <cstring>

#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

/// True for a byte that cannot be copied without inspection: controls, bytes over 0x7F, and `&`, `<` and `>` or `"` and
/// `\`.
template <Escape form>
constexpr bool is_special(std::uint8_t byte) {
  const bool outside = byte < 0x20 || byte >= 0x80;
  if constexpr (form == Escape::xml) {
    return outside || byte == '&' || byte == '<' || byte == '>';
  } else {
    return outside || byte == '"' || byte == '\\';
  }
}

#ifdef __SSE2__

constexpr std::size_t kBlock = sizeof(__m128i);

/// Copies a whole block. Returns how many of its leading bytes are plain.
template <Escape form>
std::size_t copy_block(const char* text, char* out) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
  const auto equal = [&](char mark) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(mark)); };
  // As signed numbers, 0x80 to 0xFF are also less than 0x20.
  __m128i special = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  if constexpr (form == Escape::xml) {
    special = _mm_or_si128(special, _mm_or_si128(equal('&'), _mm_or_si128(equal('<'), equal('>'))));
  } else {
    special = _mm_or_si128(special, _mm_or_si128(equal('"'), equal('\\')));
  }
  const auto which = static_cast<unsigned>(_mm_movemask_epi8(special));
  return which == 0 ? kBlock : static_cast<std::size_t>(std::countr_zero(which));
}

#else

constexpr std::size_t kBlock = sizeof(std::uint64_t);

/// The same, eight bytes at a time.
template <Escape form>
std::size_t copy_block(const char* text, char* out) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, kBlock);
  std::memcpy(out, &bytes, kBlock);
  const auto is_zero = [](std::uint64_t value) { return (value - kEach) & ~value; };
  std::uint64_t found = bytes | ((bytes - kEach * 0x20) & ~bytes);
  if constexpr (form == Escape::xml) {
    // `<` and `>` differ in one bit.
    found |= is_zero(bytes ^ kEach * '&') | is_zero((bytes | kEach * ('<' ^ '>')) ^ kEach * '>');
  } else {
    found |= is_zero(bytes ^ kEach * '"') | is_zero(bytes ^ kEach * '\\');
  }
  found &= kEach << 7;
  if (found == 0) return kBlock;
  // A special byte borrows from more significant ones, so the least significant mark is a true one.
  if constexpr (std::endian::native == std::endian::little) {
    return static_cast<std::size_t>(std::countr_zero(found)) / 8;
  }
  std::size_t plain = 0;
  while (!is_special<form>(static_cast<std::uint8_t>(text[plain]))) ++plain;
  return plain;
}

#endif

/// The length of a two- or three-byte character that every form leaves unchanged; 0 if it needs inspection. For most
/// characters the first byte rules out the few exceptions.
std::size_t plain_character(const char* text, std::size_t left) {
  const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const auto trails = [&](std::size_t index) { return (byte(index) & 0xC0) == 0x80; };
  const std::uint8_t lead = byte(0);
  // From U+00A0 on: the DVB marks are below.
  if (lead >= 0xC2 && lead < 0xE0) {
    return left >= 2 && trails(1) && (lead > 0xC2 || byte(1) >= 0xA0) ? 2 : 0;
  }
  // Excludes overlong forms, surrogates and U+FFFE.
  if (lead > 0xE0 && lead < 0xEF && lead != 0xED) return left >= 3 && trails(1) && trails(2) ? 3 : 0;
  return 0;
}

/// Writes a character that is_special() reported. `bytes` are its bytes; `code` is kNotUtf8 if they are not UTF-8.
char* put_xml(char32_t code, std::string_view bytes, char* out) {
  switch (code) {
    case '&':
      return copy_text("&amp;", out);
    case '<':
      return copy_text("&lt;", out);
    case '>':
      return copy_text("&gt;", out);
    case '\t':
    case '\n':
    case '\r':
      return copy_text(bytes, out);
    case 0x8A:
      return copy_text("\n", out);
    case 0x86:
    case 0x87:
    case 0xFFFE:
    case 0xFFFF:
      return out;
    default:
      return code < 0x20 ? out : copy_text(bytes, out);
  }
}

char* put_json(char32_t code, std::string_view bytes, char* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (code) {
    case '"':
      return copy_text("\\\"", out);
    case '\\':
      return copy_text("\\\\", out);
    case '\b':
      return copy_text("\\b", out);
    case '\t':
      return copy_text("\\t", out);
    case '\n':
      return copy_text("\\n", out);
    case '\f':
      return copy_text("\\f", out);
    case '\r':
      return copy_text("\\r", out);
    default:
      break;
  }
  if (code >= 0x20) return copy_text(bytes, out);
  out = copy_text("\\u00", out);
  *out++ = kHex[code >> 4];
  *out++ = kHex[code & 0xF];
  return out;
}

/// Writes one of U+0086 to U+008A.
char* put_cleaned_json(char32_t code, std::string_view bytes, char* out) {
  if (code == 0x86 || code == 0x87) return out;
  return code == 0x8A ? copy_text("\\n", out) : copy_text(bytes, out);
}

/// Writes the next character, whatever it is, and advances `at` past it.
template <Escape form>
char* put_character(std::string_view text, std::size_t& at, char* out) {
  const std::size_t begin = at;
  const char32_t code = next_utf8(text, at);
  const std::string_view bytes = text.substr(begin, at - begin);
  if (code == kNotUtf8) return copy_text("\xEF\xBF\xBD", out);
  if constexpr (form == Escape::xml) return put_xml(code, bytes, out);
  if (form == Escape::json || code < 0x86 || code > 0x8A) return put_json(code, bytes, out);
  return put_cleaned_json(code, bytes, out);
}

template <Escape form>
char* escape_as(std::string_view text, char* out) {
  for (std::size_t at = 0; at < text.size();) {
    if (text.size() - at >= kBlock) {
      const std::size_t plain = copy_block<form>(text.data() + at, out);
      at += plain;
      out += plain;
      if (plain == kBlock) continue;
    }
    // Special bytes seldom come alone: in a text of another script, runs of plain bytes are short.
    while (at < text.size() && is_special<form>(static_cast<std::uint8_t>(text[at]))) {
      if (const std::size_t plain = plain_character(text.data() + at, text.size() - at); plain != 0) {
        for (std::size_t i = 0; i < plain; ++i) *out++ = text[at++];
      } else {
        out = put_character<form>(text, at, out);
      }
    }
    if (text.size() - at >= kBlock) continue;
    while (at < text.size() && !is_special<form>(static_cast<std::uint8_t>(text[at]))) *out++ = text[at++];
  }
  return out;
}

}  // namespace

char* escape_xml(std::string_view text, char* out) { return escape_as<Escape::xml>(text, out); }

char* escape_json(std::string_view text, char* out) { return escape_as<Escape::json>(text, out); }

char* escape_cleaned_json(std::string_view text, char* out) { return escape_as<Escape::cleaned_json>(text, out); }

std::string escaped(Escape form, std::string_view text) {
  std::string out(text.size() * kLongestEscape, '\0');
  out.resize(static_cast<std::size_t>(escape(form, text, out.data()) - out.data()));
  return out;
}

}  // namespace receiverd::epg
