// Folding for search: texts that people consider equal become the same bytes. It ignores case, accents, width and
// ligatures, and unifies ß and ss, ı and i, ς and σ, ё and е, typographic quotes and dashes. Invisible characters are
// removed. й stays й, vowel signs and hangul stay. The rules are in scripts/make-fold-table.mjs.
//
// ICU has no such folding, and its data has 31 MB.
//
// A folded text may be longer than its original (ﷺ), by a factor of at most kFoldGrowth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace receiverd::epg {

inline constexpr std::size_t kFoldGrowth = 11;

/// Appends the folded `text` to `out`. Bytes that are not UTF-8 are dropped.
void fold(std::string_view text, std::string& out);

std::string folded(std::string_view text);

/// Folds one ASCII character. Any other byte is returned unchanged.
inline char fold_ascii(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c | 0x20);
  return c == '`' ? '\'' : c;
}

}  // namespace receiverd::epg
