#include "m3u/escape.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace receiverd::m3u {

namespace {

// How each byte is treated by the functions of this file; a byte may have several marks.
enum Mark : std::uint8_t {
  kControl = 1,   // C0 or DEL
  kUnsafe = 2,    // not allowed in any URL: controls, blank, double quote
  kPath = 4,      // allowed in the path of a URL: RFC 3986 pchar and "/"
  kParameter = 8  // safe in a query value for any reader: unreserved and "/"
};

constexpr std::array<std::uint8_t, 256> make_marks() {
  std::array<std::uint8_t, 256> marks{};
  for (unsigned byte = 0; byte < 0x20; ++byte) marks[byte] = kControl | kUnsafe;
  marks[0x7F] = kControl | kUnsafe;
  marks[' '] = kUnsafe;
  marks['"'] = kUnsafe;
  for (unsigned byte = '0'; byte <= '9'; ++byte) marks[byte] = kPath | kParameter;
  for (unsigned byte = 'A'; byte <= 'Z'; ++byte) marks[byte] = kPath | kParameter;
  for (unsigned byte = 'a'; byte <= 'z'; ++byte) marks[byte] = kPath | kParameter;
  for (const char c : std::string_view("-._~/")) marks[static_cast<std::uint8_t>(c)] = kPath | kParameter;
  for (const char c : std::string_view("!$&'()*+,;=:@")) marks[static_cast<std::uint8_t>(c)] = kPath;
  return marks;
}

constexpr std::array<std::uint8_t, 256> kMarks = make_marks();

bool marked(char c, Mark mark) { return (kMarks[static_cast<std::uint8_t>(c)] & mark) != 0; }

void append_percent(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<std::uint8_t>(c);
  out += '%';
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

/// Percent-encodes the bytes that have the mark (or lack it). Runs of other bytes are copied at once.
void append_encoded(std::string& out, std::string_view text, Mark mark, bool encode_marked) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (marked(text[at], mark) != encode_marked) continue;
    out.append(text, plain, at - plain);
    append_percent(out, text[at]);
    plain = at + 1;
  }
  out.append(text, plain);
}

/// C1 controls in UTF-8 are 0xC2 0x80 to 0xC2 0x9F.
bool is_c1(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size() && (static_cast<std::uint8_t>(text[at + 1]) & 0xE0U) == 0x80U;
}

void append_text(std::string& out, std::string_view text, char quote) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool c1 = is_c1(text, at);
    if (!c1 && !marked(text[at], kControl) && text[at] != '"') continue;
    out.append(text, plain, at - plain);
    if (text[at] == '"') out += quote;
    if (c1) ++at;
    plain = at + 1;
  }
  out.append(text, plain);
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void append_name(std::string& out, std::string_view name) { append_text(out, name, '"'); }

void append_quoted(std::string& out, std::string_view name) { append_text(out, name, '\''); }

void append_path(std::string& out, std::string_view path) { append_encoded(out, path, kPath, false); }

void append_file(std::string& out, std::string_view file) { append_encoded(out, file, kParameter, false); }

void append_url(std::string& out, std::string_view url) { append_encoded(out, url, kUnsafe, true); }

std::string percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (text.size() - at < 3) break;
    const int high = hexadecimal(text[at + 1]);
    const int low = hexadecimal(text[at + 2]);
    at += 2;
    if (high >= 0 && low >= 0 && (high | low) != 0) decoded += static_cast<char>(high << 4 | low);
  }
  return decoded;
}

}  // namespace receiverd::m3u
