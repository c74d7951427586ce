// Finds the programmes that match a query: the first three steps of a search.
//
//   word index ──► texts ──► programmes
//
// Where the words alone do not settle it, an index hit is compared with the text itself.
//
// Thread safety: the caller holds the store's reading lock.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "epg/event/query.h"
#include "epg/index/text_matcher.h"
#include "epg/store/programmes.h"

namespace receiverd::epg {

/// Texts of each kind.
using TextsByKind = std::array<std::vector<TextId>, kTextKinds>;

/// Finds the programmes that match a query's texts and its conditions on details.
class ProgrammeSearch {
 public:
  /// `query` and `programmes` have to outlive it.
  ProgrammeSearch(const Query& query, const Programmes& programmes);

  /// If the query asks for a single text and nothing else: the texts that match it.
  std::optional<TextsByKind> only_texts();
  /// Each programme with one of the texts, once; never dead ones.
  std::vector<ProgrammeId> with_any(const TextsByKind& texts) const;
  /// Each matching programme, once; never dead ones.
  std::vector<ProgrammeId> run();

 private:
  bool filters_details() const { return !query_.genres.empty() || !query_.languages.empty() || !crid_.empty(); }
  void filter_by_details(std::vector<ProgrammeId>& found) const;
  bool agrees(TextId details) const;

  std::vector<ProgrammeId> every() const;
  std::vector<ProgrammeId> agreeing(const TextMatcher& matcher);
  std::vector<ProgrammeId> agreeing_with_nothing(const TextMatcher& matcher) const;
  std::vector<ProgrammeId> with_any_by_scan(const TextsByKind& texts) const;
  TextsByKind texts(const TextMatcher& matcher);
  std::vector<TextId> texts(TextKind kind, const TextMatcher& matcher);

  const Query& query_;
  const Programmes& programmes_;
  const std::string crid_;
  std::string text_;  // buffer for a text from its pool
};

}  // namespace receiverd::epg
