// Decides whether a text agrees with what a query looks for. Both sides are given folded (or both as they are).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "epg/query.h"

namespace receiverd::epg {

/// One condition on one text.
class TextMatcher {
 public:
  /// `wanted` is folded already when the texts will be. REQUIRES: match is not TextMatch::words.
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

/// Most conditions of one query; what goes beyond is not asked for.
inline constexpr std::size_t kMostMatchers = 31;

/// The conditions of a query: one per text, one per word for TextMatch::words. Each has to hold in one of the texts.
std::vector<TextMatcher> matchers_of(const Query& query);

}  // namespace receiverd::epg
