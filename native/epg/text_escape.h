// Guide texts as the two faces of the interface write them, byte for byte what src/http/xml.ts and JSON.stringify make
// of the same text. What is not UTF-8 becomes U+FFFD, so that an answer is well-formed whatever a broadcaster sent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace receiverd::epg {

/// cleaned_json: as json, but the control codes of DVB (below) treated as in XML.
enum class Escape : unsigned char { xml, json, cleaned_json };

/// No byte of a text becomes more than this many.
inline constexpr std::size_t kLongestEscape = 6;

/// As the text of an element: `&`, `<` and `>` as entities, quotes as they are. What XML 1.0 §2.2 forbids is dropped,
/// as are DVB's emphasis marks U+0086 and U+0087 (EN 300 468 Annex A); its line break U+008A becomes LF. REQUIRES: room
/// for text.size() * kLongestEscape bytes at `out`. Gives the end of what was written.
char* escape_xml(std::string_view text, char* out);

/// As the inside of a JSON string (RFC 8259 §7): `"`, `\` and controls escaped, everything else as it is. As above.
char* escape_json(std::string_view text, char* out);

/// The same without emphasis marks and with LF for DVB's line break.
char* escape_cleaned_json(std::string_view text, char* out);

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

/// The escaped text by itself.
std::string escaped(Escape form, std::string_view text);

}  // namespace receiverd::epg
