// Decides whether a text matches a query. Both are given folded, or both unfolded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "epg/event/query.h"

namespace receiverd::epg {

/// One condition on one text.
class TextMatcher {
 public:
  /// `wanted` must be folded if the texts are. REQUIRES: match is not TextMatch::words.
  TextMatcher(std::string wanted, TextMatch match);

  bool matches(std::string_view text) const;

  const std::string& wanted() const { return wanted_; }
  TextMatch match() const { return match_; }

 private:
  bool matches_phrase(std::string_view text) const;
  bool follows(std::string_view text) const;

  std::string wanted_;
  TextMatch match_;
  std::vector<std::string> words_;  // of a phrase
};

/// The most conditions of one query; further ones are ignored.
inline constexpr std::size_t kMostMatchers = 31;

/// The conditions of a query: one per text, or one per word for TextMatch::words. Each has to hold in one of the texts.
std::vector<TextMatcher> matchers_of(const Query& query);

}  // namespace receiverd::epg
