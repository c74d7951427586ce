#include "epg/text/fold.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "epg/text/fold_table.h"
#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

void fold_character(char32_t code, std::string& out) {
  if (code > 0xFFFF) {
    // Deseret has case too, but nobody broadcasts in it.
    append_utf8(out, code);
    return;
  }
  const char16_t to = kFoldPages[kFoldPageOf[code >> 8]][code & 0xFF];
  if (to == 0) {
    append_utf8(out, code);
  } else if (to < kFoldSequence || to >= kFoldSequenceEnd) {
    append_utf8(out, to);
  } else {
    const std::size_t sequence = to - kFoldSequence;
    for (std::size_t at = kFoldSequenceOffsets[sequence]; at < kFoldSequenceOffsets[sequence + 1]; ++at) {
      append_utf8(out, kFoldSequences[at]);
    }
  }
}

constexpr std::uint64_t kEach = 0x0101010101010101;
constexpr std::uint64_t kHigh = 0x80 * kEach;

// The same for eight ASCII characters at once. Adding the difference between a bound and 0x80 sets the high bit of
// characters at or above the bound; nothing is carried over.
std::uint64_t fold_eight(std::uint64_t eight) {
  const std::uint64_t capital = (eight + (0x80 - 'A') * kEach) & ~(eight + (0x80 - 'Z' - 1) * kEach) & kHigh;
  const std::uint64_t grave = (eight + (0x80 - '`') * kEach) & ~(eight + (0x80 - '`' - 1) * kEach) & kHigh;
  return (eight | capital >> 2) ^ (grave >> 7) * ('`' ^ '\'');
}

// Appends the run of ASCII from `at` on, folded. Returns its end.
std::size_t fold_ascii_run(std::string_view text, std::size_t at, std::string& out) {
  std::array<char, 256> piece;
  std::uint64_t eight = 0;
  bool all = true;
  while (all && text.size() - at >= sizeof(eight)) {
    std::size_t size = 0;
    while (size < piece.size() && text.size() - at >= sizeof(eight)) {
      std::memcpy(&eight, text.data() + at, sizeof(eight));
      all = (eight & kHigh) == 0;
      if (!all) break;
      eight = fold_eight(eight);
      std::memcpy(piece.data() + size, &eight, sizeof(eight));
      size += sizeof(eight);
      at += sizeof(eight);
    }
    out.append(piece.data(), size);
  }
  // Fewer than eight are left.
  std::size_t size = 0;
  for (; at < text.size() && static_cast<unsigned char>(text[at]) < 0x80; ++at) piece[size++] = fold_ascii(text[at]);
  out.append(piece.data(), size);
  return at;
}

}  // namespace

void fold(std::string_view text, std::string& out) {
  out.reserve(out.size() + text.size());
  for (std::size_t at = 0; at < text.size();) {
    at = fold_ascii_run(text, at, out);
    if (at == text.size()) break;
    if (const char32_t code = next_utf8(text, at); code != kNotUtf8) fold_character(code, out);
  }
}

std::string folded(std::string_view text) {
  std::string out;
  fold(text, out);
  return out;
}

}  // namespace receiverd::epg
