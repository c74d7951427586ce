// Decides whether a text matches a query. Either both are folded or neither.
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

/// Further conditions of a query are ignored.
inline constexpr std::size_t kMaxMatchers = 31;

/// The conditions of a query: one per wanted text, or one per word for TextMatch::words. Each must match one of an
/// event's texts.
std::vector<TextMatcher> matchers_of(const Query& query);

}  // namespace receiverd::epg
