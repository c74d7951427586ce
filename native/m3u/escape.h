// Escapes names and URLs for a playlist line.
//
// A playlist is read line by line, attributes are quoted, and the displayed name runs from the comma to the end of the
// line. Names come from the air, from files and from requests. None of them may start a new line, end an attribute or
// end a URL. All texts are UTF-8. Every function appends to `out`.
#pragma once

#include <string>
#include <string_view>

namespace receiverd::m3u {

/// A displayed name, without control characters (C0, DEL, C1). C1 includes the emphasis marks U+0086 and U+0087 that
/// broadcasters put into names (EN 300 468 Annex A.1).
void append_name(std::string& out, std::string_view name);

/// The same for use inside quotes: `"` becomes `'`.
void append_quoted(std::string& out, std::string_view name);

/// A service reference as the path of a URL. Colons stay. Everything not allowed in a path (RFC 3986 §3.3) and `%`
/// itself are percent-encoded, since the stream server decodes the whole target.
void append_path(std::string& out, std::string_view path);

/// A file path as the value of a query parameter: only letters, digits, `-._~` and `/` stay.
void append_file(std::string& out, std::string_view file);

/// A complete URL: blanks, quotes and control characters are percent-encoded, everything else stays.
void append_url(std::string& out, std::string_view url);

/// Percent-decodes as Enigma2 does: `%00` yields nothing, invalid hexadecimal digits are dropped with their `%`, and a
/// truncated `%` at the end ends the text.
std::string percent_decode(std::string_view text);

}  // namespace receiverd::m3u
