#include "epg/text/text_escape.h"

#include <array>
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

constexpr std::size_t kBlock = sizeof(std::uint64_t);

/// Copies a whole block. Returns how many of its leading bytes are plain.
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

char* copy_text(std::string_view bytes, char* out) {
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

/// How a form writes a character that is_special() reported; `bytes` if it stays as it is. `code` is not kNotUtf8.
std::string_view in_xml(char32_t code, std::string_view bytes) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '\t':
    case '\n':
    case '\r':
      return bytes;
    case 0x8A:
      return "\n";
    default:
      return code < 0x20 || code == 0x86 || code == 0x87 || code == 0xFFFE || code == 0xFFFF ? "" : bytes;
  }
}

constexpr std::array<std::string_view, 0x20> kJsonControls = {
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
    "\\b",     "\\t",     "\\n",     "\\u000b", "\\f",     "\\r",     "\\u000e", "\\u000f",
    "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
    "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f"};

std::string_view in_json(char32_t code, std::string_view bytes) {
  if (code < kJsonControls.size()) return kJsonControls[code];
  if (code == '"') return "\\\"";
  return code == '\\' ? "\\\\" : bytes;
}

std::string_view in_cleaned_json(char32_t code, std::string_view bytes) {
  if (code == 0x86 || code == 0x87) return "";
  return code == 0x8A ? "\\n" : in_json(code, bytes);
}

/// Writes the next character, whatever it is, and advances `at` past it.
template <Escape form>
char* put_character(std::string_view text, std::size_t& at, char* out) {
  const std::size_t begin = at;
  const char32_t code = next_utf8(text, at);
  const std::string_view bytes = text.substr(begin, at - begin);
  if (code == kNotUtf8) return copy_text("\xEF\xBF\xBD", out);
  if constexpr (form == Escape::xml) return copy_text(in_xml(code, bytes), out);
  return copy_text(form == Escape::json ? in_json(code, bytes) : in_cleaned_json(code, bytes), out);
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
    // Special bytes come in groups: in a text of another script, runs of plain bytes are short.
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

char* escape(Escape form, std::string_view text, char* out) {
  switch (form) {
    case Escape::xml:
      return escape_as<Escape::xml>(text, out);
    case Escape::json:
      return escape_as<Escape::json>(text, out);
    case Escape::cleaned_json:
      return escape_as<Escape::cleaned_json>(text, out);
  }
  return out;
}

std::string escaped(Escape form, std::string_view text) {
  std::string out(text.size() * kMaxEscapeBytes, '\0');
  out.resize(static_cast<std::size_t>(escape(form, text, out.data()) - out.data()));
  return out;
}

}  // namespace receiverd::epg
