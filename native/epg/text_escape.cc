#include "epg/text_escape.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "epg/utf8.h"

namespace receiverd::epg {
namespace {

constexpr std::size_t kBlock = 2 * sizeof(std::uint64_t);

char* put(std::string_view bytes, char* out) {
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

/// True for a byte that cannot be copied without a closer look. `&`, `<` and `>` or `"` and `\`: two marks and their
/// like.
template <Escape form>
constexpr bool is_special(std::uint8_t byte) {
  const bool outside = byte < 0x20 || byte >= 0x7F;
  if constexpr (form == Escape::xml) {
    return outside || byte == '&' || byte == '<' || byte == '>';
  } else {
    return outside || byte == '"' || byte == '\\';
  }
}

/// 0 if none of eight bytes is special. (Which ones are it does not tell.)
template <Escape form>
std::uint64_t specials(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  constexpr std::uint64_t kTop = kEach << 7;
  const auto is_zero = [](std::uint64_t value) { return (value - kEach) & ~value; };
  std::uint64_t found = bytes | is_zero(bytes ^ kEach * 0x7F) | ((bytes - kEach * 0x20) & ~bytes);
  if constexpr (form == Escape::xml) {
    // `<` and `>` differ in one bit.
    found |= is_zero(bytes ^ kEach * '&') | is_zero((bytes | kEach * ('<' ^ '>')) ^ kEach * '>');
  } else {
    found |= is_zero(bytes ^ kEach * '"') | is_zero(bytes ^ kEach * '\\');
  }
  return found & kTop;
}

/// Copies the bytes at the front that stay as they are; gives their number. In blocks, because most texts are plain
/// from end to end. A block is copied whole: what is special in it is written over.
template <Escape form>
std::size_t copy_plain(std::string_view text, char* out) {
  std::size_t at = 0;
  for (; text.size() - at >= kBlock; at += kBlock) {
    std::array<std::uint64_t, 2> block;
    std::memcpy(block.data(), text.data() + at, kBlock);
    std::memcpy(out + at, block.data(), kBlock);
    if ((specials<form>(block[0]) | specials<form>(block[1])) != 0) break;
  }
  // The last bytes once more together with some before them, unless they are in a block that is not plain.
  if (text.size() - at < kBlock && text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    for (; text.size() - at > sizeof(word); at += sizeof(word)) {
      std::memcpy(&word, text.data() + at, sizeof(word));
      if (specials<form>(word) != 0) break;
      std::memcpy(out + at, &word, sizeof(word));
    }
    if (text.size() - at <= sizeof(word)) {
      const std::size_t last = text.size() - sizeof(word);
      std::memcpy(&word, text.data() + last, sizeof(word));
      if (specials<form>(word) == 0) {
        std::memcpy(out + last, &word, sizeof(word));
        return text.size();
      }
    }
  }
  for (; at < text.size() && !is_special<form>(static_cast<std::uint8_t>(text[at])); ++at) out[at] = text[at];
  return at;
}

/// One character that is_special() pointed at. `bytes` are its own; `code` is kNotUtf8 where they are none.
char* put_xml(char32_t code, std::string_view bytes, char* out) {
  switch (code) {
    case '&':
      return put("&amp;", out);
    case '<':
      return put("&lt;", out);
    case '>':
      return put("&gt;", out);
    case '\t':
    case '\n':
    case '\r':
      return put(bytes, out);
    case 0x8A:
      return put("\n", out);
    case 0x86:
    case 0x87:
    case 0xFFFE:
    case 0xFFFF:
      return out;
    default:
      return code < 0x20 ? out : put(bytes, out);
  }
}

char* put_json(char32_t code, std::string_view bytes, char* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (code) {
    case '"':
      return put("\\\"", out);
    case '\\':
      return put("\\\\", out);
    case '\b':
      return put("\\b", out);
    case '\t':
      return put("\\t", out);
    case '\n':
      return put("\\n", out);
    case '\f':
      return put("\\f", out);
    case '\r':
      return put("\\r", out);
    default:
      break;
  }
  if (code >= 0x20) return put(bytes, out);
  out = put("\\u00", out);
  *out++ = kHex[code >> 4];
  *out++ = kHex[code & 0xF];
  return out;
}

/// One of U+0086 to U+008A.
char* put_cleaned_json(char32_t code, std::string_view bytes, char* out) {
  if (code == 0x86 || code == 0x87) return out;
  return code == 0x8A ? put("\\n", out) : put(bytes, out);
}

template <Escape form>
char* escape_as(std::string_view text, char* out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t run = copy_plain<form>(text.substr(at), out);
    out += run;
    at += run;
    // What is special seldom stands alone: in a text of another script a run of plain bytes is short.
    while (at < text.size() && is_special<form>(static_cast<std::uint8_t>(text[at]))) {
      const std::size_t begin = at;
      const char32_t code = next_utf8(text, at);
      const std::string_view bytes = text.substr(begin, at - begin);
      if (code == kNotUtf8) {
        out = put("\xEF\xBF\xBD", out);
      } else if constexpr (form == Escape::xml) {
        out = put_xml(code, bytes, out);
      } else if (form == Escape::json || code < 0x86 || code > 0x8A) {
        out = put_json(code, bytes, out);
      } else {
        out = put_cleaned_json(code, bytes, out);
      }
    }
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
