// How names and URLs stand in a playlist line.
//
// A playlist is read line by line, attributes are quoted, and the shown name runs from the comma to the end of the
// line. Names come from the air, from files and from requests: none of them may begin a new line, end an attribute or
// end a URL. All texts are UTF-8. Every function appends to `out`.
#pragma once

#include <string>
#include <string_view>

namespace receiverd::m3u {

/// A shown name: without the control characters of C0, DEL and C1. (C1 holds the emphasis marks U+0086 and U+0087 that
/// broadcasters put into names, EN 300 468 Annex A.1.)
void append_name(std::string& out, std::string_view name);

/// The same between quotes: `"` becomes `'`.
void append_quoted(std::string& out, std::string_view name);

/// A service reference as it stands in the path of a URL: colons stay, everything that is not allowed in a path (RFC
/// 3986 §3.3) and `%` itself are percent-encoded, since the stream server decodes the target as a whole.
void append_path(std::string& out, std::string_view path);

/// The path of a file as the value of a query parameter: only letters, digits, `-._~` and `/` stay.
void append_file(std::string& out, std::string_view file);

/// A URL that is whole already: blanks, quotes and control characters are percent-encoded, nothing else is touched.
void append_url(std::string& out, std::string_view url);

/// Percent-decoding as Enigma2 does it: `%00` yields nothing, bad hexadecimal digits vanish with their `%`, a cut `%`
/// at the end ends the text.
std::string percent_decode(std::string_view text);

}  // namespace receiverd::m3u
