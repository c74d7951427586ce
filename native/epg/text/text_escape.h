// Escapes guide texts for the two formats of the interface, byte for byte as src/http/write/xml.ts and JSON.stringify
// do. Bytes that are not UTF-8 become U+FFFD, so that a response is well-formed whatever a broadcaster sends.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace receiverd::epg {

/// cleaned_json: like json, but the DVB control codes (below) are treated as in XML.
enum class Escape : unsigned char { xml, json, cleaned_json };

/// No byte of a text is escaped to more than this many.
inline constexpr std::size_t kLongestEscape = 6;

/// As the text of an element: `&`, `<` and `>` become entities, quotes stay. Characters forbidden by XML 1.0 §2.2 are
/// dropped, as are DVB's emphasis marks U+0086 and U+0087 (EN 300 468 Annex A). DVB's line break U+008A becomes LF.
/// REQUIRES: room for text.size() * kLongestEscape bytes at `out`. Returns the end of the output.
char* escape_xml(std::string_view text, char* out);

/// As the inside of a JSON string (RFC 8259 §7): `"`, `\` and controls are escaped, everything else stays. Otherwise as
/// above.
char* escape_json(std::string_view text, char* out);

/// The same, without emphasis marks and with LF for DVB's line break.
char* escape_cleaned_json(std::string_view text, char* out);

/// Copies the bytes as they are. Returns the end of the output.
inline char* copy_text(std::string_view bytes, char* out) {
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

inline char* escape(Escape form, std::string_view text, char* out) {
  switch (form) {
    case Escape::xml:
      return escape_xml(text, out);
    case Escape::json:
      return escape_json(text, out);
    case Escape::cleaned_json:
      return escape_cleaned_json(text, out);
  }
  return out;
}

/// The escaped text as a string.
std::string escaped(Escape form, std::string_view text);

}  // namespace receiverd::epg
