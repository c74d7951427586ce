// Splits text into words, for whole-word search. A word is a run of letters, digits and marks. In scripts without
// blanks between words (Han, kana, Thai and its neighbours), every character is a word. ICU splits these with
// dictionaries, but has 31 MB.
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

/// The gram at byte `at`: three consecutive characters, fewer at the end of the text. `at` advances past the first. A
/// query of one or two characters is in a text if one of the text's grams begins with it; a query of three, if it is
/// one of the grams. REQUIRES: `at` < text.size(), a character's first byte.
std::string_view next_gram(std::string_view text, std::size_t& at);

/// True if a word begins or ends at byte `at`, or one of the characters next to it is not part of a word. REQUIRES:
/// `at` is a character's first byte or the end of the text.
bool is_word_edge(std::string_view text, std::size_t at);

/// The words of `text`, in order, verbatim.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace receiverd::epg
