// UTF-8, one code point at a time (RFC 3629): overlong forms, surrogates and codes over U+10FFFF are not UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace receiverd::epg {

/// Appends a Unicode scalar value. REQUIRES: not a surrogate, at most U+10FFFF.
inline void append_utf8(std::string& out, char32_t code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | code >> 6));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | code >> 12));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | code >> 18));
    out.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

/// Returned by next_utf8() for bytes that are not UTF-8; it has then advanced by one byte.
inline constexpr char32_t kNotUtf8 = 0xFFFFFFFF;

/// The code point at `at`, which advances past it. REQUIRES: at < text.size().
inline char32_t next_utf8(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const std::uint8_t lead = byte(at++);
  if (lead < 0x80) return lead;
  int more = 0;
  char32_t code = 0;
  char32_t smallest = 0;
  if (lead >= 0xC2 && lead < 0xE0) {
    more = 1, code = lead & 0x1F, smallest = 0x80;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    more = 2, code = lead & 0x0F, smallest = 0x800;
  } else if (lead >= 0xF0 && lead < 0xF5) {
    more = 3, code = lead & 0x07, smallest = 0x10000;
  } else {
    return kNotUtf8;
  }
  if (text.size() - at < static_cast<std::size_t>(more)) return kNotUtf8;
  for (int i = 0; i < more; ++i) {
    const std::uint8_t trail = byte(at + static_cast<std::size_t>(i));
    if ((trail & 0xC0) != 0x80) return kNotUtf8;
    code = code << 6 | (trail & 0x3F);
  }
  if (code < smallest || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return kNotUtf8;
  at += static_cast<std::size_t>(more);
  return code;
}

/// The number of leading bytes of a kind, eight bytes at a time. `others(eight, each)` sets the high bit of every byte
/// of another kind; if there is one, it may also set the bits of other bytes.
template <typename Others>
std::size_t run_of(std::string_view text, Others others) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::size_t at = 0;
  for (std::uint64_t eight = 0; text.size() - at >= sizeof(eight); at += sizeof(eight)) {
    std::memcpy(&eight, text.data() + at, sizeof(eight));
    if ((others(eight, kEach) & kEach << 7) != 0) break;
  }
  while (at < text.size() && (others(static_cast<std::uint8_t>(text[at]) * kEach, kEach) & kEach << 7) == 0) ++at;
  return at;
}

/// The number of leading bytes that are printable ASCII (0x20 to 0x7E).
inline std::size_t printable_run(std::string_view text) {
  // A byte that is not printable has its high bit set, or gets it when 0x20 is subtracted or 1 added. A carry can only
  // come from such a byte.
  return run_of(text,
                [](std::uint64_t eight, std::uint64_t each) { return eight | (eight - each * 0x20) | (eight + each); });
}

/// The number of leading bytes that are ASCII (below 0x80).
inline std::size_t ascii_run(std::string_view text) {
  return run_of(text, [](std::uint64_t eight, std::uint64_t) { return eight; });
}

/// True if all of `text` is UTF-8.
inline bool valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<std::uint8_t>(text[at]) < 0x80) {
      at += printable_run(text.substr(at));
      if (at == text.size()) return true;
    }
    if (next_utf8(text, at) == kNotUtf8) return false;
  }
  return true;
}

}  // namespace receiverd::epg
