// Folding for search: texts that people take for the same become the same bytes. Case, accents, width, ligatures, ß and
// ss, ı and i, ς and σ, ё and е, typographic quotes and dashes; invisible characters go. й stays й, vowel signs and
// hangul stay. The rules are in scripts/make-fold-table.mjs.
//
// A folded text may be longer than its original (ﷺ), at most kFoldGrowth times.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace receiverd::epg {

inline constexpr std::size_t kFoldGrowth = 11;

/// Appends the folded `text` to `out`. What is no UTF-8 is left out.
void fold(std::string_view text, std::string& out);

std::string folded(std::string_view text);

/// The same for one ASCII character; any other byte stays as it is.
inline char fold_ascii(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c | 0x20);
  return c == '`' ? '\'' : c;
}

}  // namespace receiverd::epg
