// Words in a text, for whole-word search. A word is a run of letters, digits and marks; in scripts that set no blanks
// between words (Han, kana, Thai and its neighbours) every character is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiverd::epg {

/// What a character is to words.
enum class CharacterKind : std::uint8_t {
  none,    ///< blank, punctuation, sign; also a byte that is no UTF-8
  letter,  ///< letter, digit or mark: part of a word
  alone    ///< a word by itself
};

CharacterKind character_kind(char32_t code);

/// A piece of a text: a run of letters, or any other character by itself. The tokens of a text in order are the text.
struct Token {
  std::string_view text;
  CharacterKind kind = CharacterKind::none;
};

/// The token that begins at byte `at`, which moves behind it. REQUIRES: `at` < text.size(), a token's first byte.
Token next_token(std::string_view text, std::size_t& at);

/// Three characters in a row, the first at byte `at`, which moves behind that one; fewer at the end of the text. A text
/// of one or two characters is in another when one of its grams begins with it, one of three when it is a gram.
/// REQUIRES: `at` < text.size(), a character's first byte.
std::string_view next_gram(std::string_view text, std::size_t& at);

/// True when a word begins or ends between the characters before and behind byte `at` (which must be a character's
/// first byte or the end), or one of them is no part of a word.
bool is_word_edge(std::string_view text, std::size_t at);

/// The words of `text`, in order, as they stand in it.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace receiverd::epg
