#include <algorithm>
#include <limits>

#include "epg/index/text_matcher.h"
#include "epg/search/search.h"
#include "epg/text/fold.h"
#include "epg/text/spelling.h"
#include "epg/text/words.h"
#include "wire/json_writer.h"

namespace receiverd::epg {

std::string suggest(const Store& store, std::string_view typed, wire::UnixSeconds from, std::size_t limit,
                    bool forgiving) {
  struct Suggestion {
    TextId title = 0;
    std::size_t slips = 0;
    bool begins = false;
    std::size_t showings = 0;                                         // that end after `from`
    std::uint32_t start = std::numeric_limits<std::uint32_t>::max();  // of the first of them
    std::string folded = {};
  };
  const TextMatcher matcher(folded(typed), TextMatch::word_prefix);
  const Store::Reader reader = store.read();
  const Programmes& programmes = reader.programmes();
  const TextPool& titles = programmes.texts(TextKind::title);
  const WordIndex::Found candidates =
      programmes.index(TextKind::title, matcher.match()).find(matcher.wanted(), matcher.match());
  std::vector<Suggestion> found;
  std::vector<TextId> agree;
  std::string title;
  titles.each_of(candidates.ids, [&](TextId id) {
    const std::string_view folded_title = titles.folded_text(id, title);
    if (!candidates.verified && !matcher.matches(folded_title)) return;
    agree.push_back(id);
    found.push_back({id, 0, folded_title.starts_with(matcher.wanted())});
  });
  const std::vector<std::string_view> words = words_of(matcher.wanted());
  if (forgiving && found.empty() && !words.empty()) {
    for (TextId id = 1; id < titles.end(); ++id) {
      if (!titles.living(id)) continue;
      const std::size_t slips = slips_in(words, titles.folded_text(id, title));
      if (slips == kTooManySlips) continue;
      agree.push_back(id);
      found.push_back({id, slips, false});
    }
  }
  std::vector<ProgrammeId> shown;
  std::vector<std::size_t> suggestions;  // of each of them
  std::vector<std::size_t> left;         // how many of its events have not been visited
  programmes.each_with_any(TextKind::title, agree, [&](ProgrammeId id, std::size_t at) {
    if (programmes[id].events == 0) return;
    shown.push_back(id);
    suggestions.push_back(at);
    left.push_back(programmes.event_count(id));
  });
  programmes.each_event_of(shown, [&](std::size_t i, EventSlot slot) {
    Suggestion& one = found[suggestions[i]];
    const EventRecord& event = reader.event(slot);
    const std::size_t with_later = left[i]--;
    const bool begun = event.start < from;
    const wire::UnixSeconds end = event.duration != 0 ? event.end() : event.start + kAssumedDurationSeconds;
    if (event.shadowed != 0 || (begun && end <= from)) return true;
    one.start = std::min(one.start, event.start);
    // All following events begin even later.
    const bool all = !begun && programmes[shown[i]].some_shadowed == 0;
    one.showings += all ? with_later : 1;
    return !all;
  });
  std::erase_if(found, [](const Suggestion& one) { return one.showings == 0; });
  limit = std::min(limit, found.size());
  const auto rather = [](const Suggestion& a, const Suggestion& b) {
    if (a.slips != b.slips) return a.slips < b.slips;
    return a.begins != b.begins ? a.begins : a.showings > b.showings;
  };
  if (limit != 0 && found.size() > limit) {
    // Only those that rank no lower than the last one have to be sorted by title.
    const auto last = found.begin() + static_cast<std::ptrdiff_t>(limit - 1);
    std::nth_element(found.begin(), last, found.end(), rather);
    found.erase(std::partition(last + 1, found.end(), [&](const Suggestion& one) { return !rather(*last, one); }),
                found.end());
  }
  for (Suggestion& one : found) fold(titles.text(one.title), one.folded);
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(limit);
  std::partial_sort(found.begin(), middle, found.end(), [&](const Suggestion& a, const Suggestion& b) {
    if (rather(a, b) || rather(b, a)) return rather(a, b);
    return a.folded != b.folded ? a.folded < b.folded : a.title < b.title;
  });
  found.erase(middle, found.end());
  wire::JsonWriter json;
  json.begin_array();
  for (const Suggestion& one : found) {
    json.begin_object().key("title").value(titles.text(one.title));
    json.key("count").value(one.showings).key("start").value(one.start).end_object();
  }
  return json.end_array().take();
}

}  // namespace receiverd::epg
