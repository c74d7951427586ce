// Words in a text, for whole-word search. A word is a run of letters, digits and marks; in scripts that set no blanks
// between words (Han, kana, Thai and its neighbours) every character is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace receiverd::epg {

/// True when a word begins or ends between the characters before and behind byte `at` (which must be a character's
/// first byte or the end), or one of them is no part of a word.
bool is_word_edge(std::string_view text, std::size_t at);

/// The words of `text`, in order, as they stand in it.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace receiverd::epg
