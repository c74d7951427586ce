// Escapes guide texts for XML and JSON, byte for byte as src/http/write/xml.ts and JSON.stringify do. Bytes that are
// not UTF-8 become U+FFFD, so that a response is well-formed whatever a broadcaster sends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace receiverd::epg {

enum class Escape : unsigned char {
  /// As the text of an element: `&`, `<` and `>` become entities, quotes stay. Characters forbidden by XML 1.0 §2.2 are
  /// dropped, as are DVB's emphasis marks U+0086 and U+0087 (EN 300 468 Annex A). DVB's line break U+008A becomes LF.
  xml,
  /// As the inside of a JSON string (RFC 8259 §7): `"`, `\` and controls are escaped, everything else stays.
  json,
  /// Like `json`, but without emphasis marks and with LF for DVB's line break.
  cleaned_json
};

/// Maximum number of output bytes per input byte (`\u001f`).
inline constexpr std::size_t kMaxEscapeBytes = 6;

/// REQUIRES: room for text.size() * kMaxEscapeBytes bytes at `out`. Returns the end of the output.
char* escape(Escape form, std::string_view text, char* out);

/// The escaped text as a string.
std::string escaped(Escape form, std::string_view text);

}  // namespace receiverd::epg
