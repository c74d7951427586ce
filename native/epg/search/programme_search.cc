#include "epg/search/programme_search.h"

#include <algorithm>
#include <utility>

#include "epg/event/event_details.h"
#include "epg/index/id_set.h"
#include "epg/text/fold.h"
#include "epg/text/words.h"

namespace receiverd::epg {
namespace {

constexpr TextKind kAllKinds[] = {TextKind::title, TextKind::short_text, TextKind::long_text};

bool in_scope(TextKind kind, std::uint8_t within) { return (within >> static_cast<unsigned>(kind) & 1U) != 0; }
static_assert(scope::kTitle == 1 && scope::kShort == 2 && scope::kLong == 4);

/// How many programmes a scan checks in the time it takes to reach one from its text.
constexpr std::size_t kProgrammesInTheTimeOfAChain = 6;

bool has_genre(const EventDetails& details, const std::vector<GenreFilter>& wanted) {
  return std::any_of(details.genres.begin(), details.genres.end(), [&](const Genre& genre) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const GenreFilter& filter) {
      return genre.nibbles >> 4 == filter.level1 && (!filter.level2 || (genre.nibbles & 0xF) == *filter.level2);
    });
  });
}

// The part that the folded form of every matching text contains. Folding drops characters (a soft hyphen), so words may
// join, but nothing is inserted.
std::string certain_part(const TextMatcher& matcher) {
  if (matcher.match() != TextMatch::phrase) return folded(matcher.wanted());
  const auto words = words_of(matcher.wanted());
  return folded(words.empty() ? std::string_view(matcher.wanted()) : words.front());
}

}  // namespace

ProgrammeSearch::ProgrammeSearch(const Query& query, const Programmes& programmes)
    : query_(query), programmes_(programmes), crid_(folded(query.crid)) {}

std::optional<TextsByKind> ProgrammeSearch::only_texts() {
  if (filters_details()) return std::nullopt;
  const std::vector<TextMatcher> matchers = matchers_of(query_);
  if (matchers.size() != 1 || matchers.front().wanted().empty()) return std::nullopt;
  return texts(matchers.front());
}

std::vector<ProgrammeId> ProgrammeSearch::with_any(const TextsByKind& texts) const {
  std::size_t count = 0;
  for (const auto& ids : texts) count += ids.size();
  if (count * kProgrammesInTheTimeOfAChain > programmes_.end()) return with_any_by_scan(texts);
  std::vector<ProgrammeId> found;
  // A programme has one title, so within one kind of text it cannot come up twice.
  const bool several = (query_.within & (query_.within - 1U)) != 0;
  IdSet seen(several ? programmes_.end() : 0);
  for (const TextKind kind : kAllKinds) {
    programmes_.each_with_any(kind, texts[static_cast<std::size_t>(kind)], [&](ProgrammeId id, std::size_t) {
      if (programmes_[id].events != 0 && (!several || seen.add(id))) found.push_back(id);
    });
  }
  return found;
}

std::vector<ProgrammeId> ProgrammeSearch::run() {
  const std::vector<TextMatcher> matchers = matchers_of(query_);
  std::vector<ProgrammeId> found = matchers.empty() ? every() : agreeing(matchers.front());
  for (std::size_t i = 1; i < matchers.size() && !found.empty(); ++i) {
    IdSet also(programmes_.end());
    for (const ProgrammeId id : agreeing(matchers[i])) also.add(id);
    std::erase_if(found, [&](ProgrammeId id) { return !also.has(id); });
  }
  if (filters_details()) filter_by_details(found);
  return found;
}

std::vector<ProgrammeId> ProgrammeSearch::every() const {
  std::vector<ProgrammeId> all;
  for (ProgrammeId id = 1; id < programmes_.end(); ++id) {
    if (programmes_[id].events != 0) all.push_back(id);
  }
  return all;
}

std::vector<ProgrammeId> ProgrammeSearch::agreeing(const TextMatcher& matcher) {
  return matcher.wanted().empty() ? agreeing_with_nothing(matcher) : with_any(texts(matcher));
}

// Scans all programmes in memory order, without a branch on whether they match, which no processor could predict.
std::vector<ProgrammeId> ProgrammeSearch::with_any_by_scan(const TextsByKind& texts) const {
  std::array<IdSet, kTextKinds> marks{IdSet(programmes_.texts(TextKind::title).end()),
                                      IdSet(programmes_.texts(TextKind::short_text).end()),
                                      IdSet(programmes_.texts(TextKind::long_text).end())};
  for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
    for (const TextId id : texts[kind]) marks[kind].add(id);
  }
  std::vector<ProgrammeId> found(programmes_.end());
  std::size_t count = 0;
  programmes_.each([&](ProgrammeId id, const Programme& programme) {
    found[count] = id;
    const std::uint64_t agrees =
        marks[0].bit(programme.title) | marks[1].bit(programme.short_text) | marks[2].bit(programme.long_text);
    count += programme.events != 0 ? agrees : 0;
  });
  found.resize(count);
  return found;
}

TextsByKind ProgrammeSearch::texts(const TextMatcher& matcher) {
  TextsByKind agree;
  for (const TextKind kind : kAllKinds) {
    if (in_scope(kind, query_.within)) agree[static_cast<std::size_t>(kind)] = texts(kind, matcher);
  }
  return agree;
}

// Every text contains the empty string, but only an empty text equals it.
std::vector<ProgrammeId> ProgrammeSearch::agreeing_with_nothing(const TextMatcher& matcher) const {
  std::vector<ProgrammeId> found = every();
  if (matcher.match() != TextMatch::exact) return found;
  std::erase_if(found, [&](ProgrammeId id) {
    return std::none_of(std::begin(kAllKinds), std::end(kAllKinds), [&](TextKind kind) {
      return in_scope(kind, query_.within) && programmes_[id].text(kind) == 0;
    });
  });
  return found;
}

std::vector<TextId> ProgrammeSearch::texts(TextKind kind, const TextMatcher& matcher) {
  const TextMatch match = query_.case_sensitive ? TextMatch::contains : matcher.match();
  WordIndex::Found found =
      programmes_.index(kind, match).find(query_.case_sensitive ? certain_part(matcher) : matcher.wanted(), match);
  if (found.verified && !query_.case_sensitive) return std::move(found.ids);
  const TextPool& pool = programmes_.texts(kind);
  std::size_t agreeing = 0;
  pool.each_of(found.ids, [&](TextId id) {
    if (!matcher.matches(query_.case_sensitive ? pool.text(id, text_) : pool.folded_text(id, text_))) return;
    found.ids[agreeing++] = id;
  });
  found.ids.resize(agreeing);
  return std::move(found.ids);
}

void ProgrammeSearch::filter_by_details(std::vector<ProgrammeId>& found) const {
  enum : std::uint8_t { kUnknown, kYes, kNo };
  std::vector<std::uint8_t> known(programmes_.details().end());
  std::erase_if(found, [&](ProgrammeId id) {
    const TextId details = programmes_[id].details;
    if (known[details] == kUnknown) known[details] = agrees(details) ? kYes : kNo;
    return known[details] == kNo;
  });
}

bool ProgrammeSearch::agrees(TextId id) const {
  const Language language = terminological(programmes_.language(id));
  if (!query_.languages.empty() && std::none_of(query_.languages.begin(), query_.languages.end(),
                                                [&](Language wanted) { return terminological(wanted) == language; })) {
    return false;
  }
  if (query_.genres.empty() && crid_.empty()) return true;
  const EventDetails details = unpack_details(programmes_.packed_details(id));
  return (query_.genres.empty() || has_genre(details, query_.genres)) &&
         (crid_.empty() || has_crid(details, crid_, query_.crid_type));
}

}  // namespace receiverd::epg
