// Text of XML elements as the guide keeps it, and back.
#pragma once

#include <string>
#include <string_view>

namespace receiverd::xmltv {

enum class Whitespace : unsigned char {
  folded,     ///< runs of any become one blank
  line_ends,  ///< runs become one blank, or as many line ends as they hold
};

/// Puts `text` in order: no whitespace at the ends, none of the controls that XML does not allow, U+FFFD in place of
/// what is no UTF-8. True when something was no UTF-8.
bool tidy(std::string& text, Whitespace whitespace);

/// Shortens `text` to `most` bytes, not inside a character. True when it was longer.
bool cut(std::string& text, std::size_t most);

/// Appends `text` (UTF-8) escaped for an element; controls that XML cannot say are left out.
void append_escaped(std::string& out, std::string_view text);

/// The same for a value in double quotes.
void append_escaped_value(std::string& out, std::string_view text);

}  // namespace receiverd::xmltv
