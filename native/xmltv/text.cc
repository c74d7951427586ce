#include "xmltv/text.h"

#include <cstdint>

#include "epg/text/utf8.h"

namespace receiverd::xmltv {
namespace {

constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

// XML 1.0 §2.2: the only controls allowed are tab, line feed and carriage return.
bool is_forbidden(char c) { return static_cast<std::uint8_t>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r'; }

// U+FFFE and U+FFFF are not XML characters.
bool is_forbidden(std::string_view rest) {
  return rest.substr(0, 3) == "\xEF\xBF\xBE" || rest.substr(0, 3) == "\xEF\xBF\xBF";
}

bool repair(std::string& text) {
  if (epg::valid_utf8(text)) return false;
  std::string repaired;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (epg::next_utf8(text, at) == epg::kNotUtf8) {
      repaired += kReplacementUtf8;
    } else {
      repaired.append(text, begin, at - begin);
    }
  }
  text = std::move(repaired);
  return true;
}

void append(std::string& out, std::string_view text, bool value) {
  std::size_t written = 0;
  const auto replace = [&](std::size_t at, std::string_view with, std::size_t length = 1) {
    out.append(text.substr(written, at - written)).append(with);
    written = at + length;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '&') {
      replace(at, "&amp;");
    } else if (c == '<') {
      replace(at, "&lt;");
    } else if (c == '>') {
      replace(at, "&gt;");
    } else if (c == '\r') {
      replace(at, "&#13;");
    } else if (value && c == '"') {
      replace(at, "&quot;");
    } else if (value && (c == '\n' || c == '\t')) {
      replace(at, c == '\n' ? "&#10;" : "&#9;");
    } else if (is_forbidden(c)) {
      replace(at, "");
    } else if (c == '\xEF' && is_forbidden(text.substr(at))) {
      replace(at, "", 3);
      at += 2;
    }
  }
  out.append(text.substr(written));
}

}  // namespace

bool tidy(std::string& text, Whitespace whitespace) {
  std::size_t to = 0;
  std::size_t line_ends = 0;
  bool gap = false;
  char last = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      gap = true;
      if (c == '\r' || (c == '\n' && last != '\r')) ++line_ends;
    } else if (!is_forbidden(c)) {
      if (gap && to != 0) {
        if (line_ends == 0 || whitespace == Whitespace::folded) {
          text[to++] = ' ';
        } else {
          // Never overwrites unread bytes: each line end was at least one byte of the input.
          for (; line_ends > 0; --line_ends) text[to++] = '\n';
        }
      }
      gap = false;
      line_ends = 0;
      text[to++] = c;
    }
    last = c;
  }
  text.resize(to);
  return repair(text);
}

bool cut(std::string& text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return false;
  while (max_bytes > 0 && (static_cast<std::uint8_t>(text[max_bytes]) & 0xC0) == 0x80) --max_bytes;
  text.resize(max_bytes);
  return true;
}

void append_escaped(std::string& out, std::string_view text) { append(out, text, false); }

void append_escaped_value(std::string& out, std::string_view text) { append(out, text, true); }

}  // namespace receiverd::xmltv
