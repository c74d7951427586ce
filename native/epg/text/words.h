// Splits text into words, for whole-word search. A word is a run of letters, digits and marks. In scripts that put no
// blanks between words (Han, kana, Thai and its neighbours) every character is one. ICU would split those with
// dictionaries, in a library of 31 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiverd::epg {

/// The role of a character in words.
enum class CharacterKind : std::uint8_t {
  none,    ///< blank, punctuation, sign; also a byte that is not UTF-8
  letter,  ///< letter, digit or mark: part of a word
  alone    ///< a word by itself
};

CharacterKind character_kind(char32_t code);

/// A piece of a text: a run of letters, or any other character by itself. Together, the tokens of a text are the text.
struct Token {
  std::string_view text;
  CharacterKind kind = CharacterKind::none;
};

/// The token at byte `at`, which advances past it. REQUIRES: `at` < text.size(), a token's first byte.
Token next_token(std::string_view text, std::size_t& at);

/// Three characters in a row from byte `at`, which advances past the first; fewer at the end of the text. A text of one
/// or two characters is in another text if one of its grams begins with it; a text of three, if it is one of its grams.
/// REQUIRES: `at` < text.size(), a character's first byte.
std::string_view next_gram(std::string_view text, std::size_t& at);

/// True if a word begins or ends between the characters before and after byte `at` (which must be a character's first
/// byte or the end), or one of them is not part of a word.
bool is_word_edge(std::string_view text, std::size_t at);

/// The words of `text`, in order, verbatim.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace receiverd::epg
