#include "epg/index/text_matcher.h"

#include <cstring>

#include "epg/text/fold.h"
#include "epg/text/words.h"

namespace receiverd::epg {
namespace {

/// Calls `accept(position)` for each place where `text` contains `wanted`, until one is accepted.
template <typename Accept>
bool any_place(std::string_view text, std::string_view wanted, Accept accept) {
  for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
    if (accept(at)) return true;
  }
  return false;
}

}  // namespace

TextMatcher::TextMatcher(std::string wanted, TextMatch match) : wanted_(std::move(wanted)), match_(match) {
  if (match_ != TextMatch::phrase) return;
  for (const std::string_view word : words_of(wanted_)) words_.emplace_back(word);
  // A phrase without any word is searched for verbatim.
  if (words_.empty()) match_ = TextMatch::contains;
}

bool TextMatcher::matches(std::string_view text) const {
  switch (match_) {
    case TextMatch::prefix:
      return text.starts_with(wanted_);
    case TextMatch::suffix:
      return text.ends_with(wanted_);
    case TextMatch::exact:
      return text == wanted_;
    case TextMatch::word:
      return any_place(text, wanted_, [&](std::size_t at) {
        return is_word_edge(text, at) && is_word_edge(text, at + wanted_.size());
      });
    case TextMatch::word_prefix:
      return any_place(text, wanted_, [&](std::size_t at) { return is_word_edge(text, at); });
    case TextMatch::phrase:
      return matches_phrase(text);
    default:
      return memmem(text.data(), text.size(), wanted_.data(), wanted_.size()) != nullptr;
  }
}

bool TextMatcher::matches_phrase(std::string_view text) const {
  return any_place(text, words_.front(), [&](std::size_t at) {
    const std::size_t behind = at + words_.front().size();
    return is_word_edge(text, at) && is_word_edge(text, behind) && follows(text.substr(behind));
  });
}

/// True if the words of `text` are the words of the phrase after its first.
bool TextMatcher::follows(std::string_view text) const {
  std::size_t word = 1;
  for (std::size_t at = 0; at < text.size() && word < words_.size();) {
    const Token token = next_token(text, at);
    if (token.kind == CharacterKind::none) continue;
    if (token.text != words_[word]) return false;
    ++word;
  }
  return word == words_.size();
}

std::vector<TextMatcher> matchers_of(const Query& query) {
  std::vector<TextMatcher> matchers;
  const auto add = [&](std::string wanted, TextMatch match) {
    if (matchers.size() < kMaxMatchers) matchers.emplace_back(std::move(wanted), match);
  };
  for (const std::string& text : query.texts) {
    std::string wanted = query.case_sensitive ? text : folded(text);
    if (query.match != TextMatch::words) {
      add(std::move(wanted), query.match);
      continue;
    }
    const auto words = words_of(wanted);
    for (const std::string_view word : words) add(std::string(word), TextMatch::word);
    if (words.empty()) add(wanted, TextMatch::contains);
  }
  return matchers;
}

}  // namespace receiverd::epg
