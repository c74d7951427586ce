// Cleans texts of XML elements for the guide, and escapes texts of the guide for XML.
#pragma once

#include <string>
#include <string_view>

namespace receiverd::xmltv {

/// White space of XML 1.0 §2.3.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

enum class Whitespace : unsigned char {
  folded,     ///< runs of any kind become one blank
  line_ends,  ///< a run becomes one blank, or all of its line ends if it has any
};

/// Cleans `text`: trims whitespace, removes controls that XML does not allow, replaces invalid UTF-8 with U+FFFD.
/// Returns true if some of it was invalid UTF-8.
bool tidy(std::string& text, Whitespace whitespace);

/// Shortens `text` to at most `max_bytes` bytes, between characters. Returns true if it was longer.
bool cut(std::string& text, std::size_t max_bytes);

/// Appends `text` (UTF-8) escaped for an element. Controls that XML cannot represent are left out.
void append_escaped(std::string& out, std::string_view text);

/// Like append_escaped(), but for a double-quoted attribute value: also escapes quotes, tabs and line feeds.
void append_escaped_value(std::string& out, std::string_view text);

}  // namespace receiverd::xmltv
