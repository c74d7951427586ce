#include "epg/search.h"

#include <algorithm>
#include <unordered_map>

#include "epg/answers.h"
#include "epg/event_details.h"
#include "epg/fold.h"
#include "epg/text_matcher.h"
#include "epg/words.h"

namespace receiverd::epg {
namespace {

struct Hit {
  const EventRecord* event = nullptr;
  const ServiceKey* service = nullptr;
  std::uint32_t service_rank = 0;
  std::uint8_t relevance = 0;  // 0 is best
};

bool earlier(const Hit& a, const Hit& b) {
  if (a.event->start != b.event->start) return a.event->start < b.event->start;
  if (a.service_rank != b.service_rank) return a.service_rank < b.service_rank;
  return a.event->id < b.event->id;
}

// What the conditions of a query say of each distinct text, found out when it is first asked.
class TextResults {
 public:
  TextResults(const Query& query, const TextPool& texts)
      : matchers_(matchers_of(query)),
        all_((1U << matchers_.size()) - 1),
        exact_case_(query.case_sensitive),
        texts_(texts),
        known_(texts.end()) {}

  /// One bit per condition.
  std::uint32_t of(TextId id) {
    std::uint32_t& known = known_[id];
    if ((known & kKnown) == 0) {
      std::string_view text = texts_.text(id);
      if (!exact_case_) {
        folded_.clear();
        fold(text, folded_);
        text = folded_;
      }
      known = kKnown;
      for (std::size_t i = 0; i < matchers_.size(); ++i) known |= matchers_[i].matches(text) ? 1U << i : 0U;
    }
    return known & ~kKnown;
  }
  std::uint32_t all() const { return all_; }

 private:
  static constexpr std::uint32_t kKnown = 1U << 31;

  std::vector<TextMatcher> matchers_;
  std::uint32_t all_;
  bool exact_case_;
  const TextPool& texts_;
  std::vector<std::uint32_t> known_;
  std::string folded_;
};

bool has_genre(const EventDetails& details, const std::vector<GenreFilter>& wanted) {
  return std::any_of(details.genres.begin(), details.genres.end(), [&](const Genre& genre) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const GenreFilter& filter) {
      return genre.nibbles >> 4 == filter.level1 && (!filter.level2 || (genre.nibbles & 0xF) == *filter.level2);
    });
  });
}

bool has_crid(const EventDetails& details, std::string_view wanted_folded, std::uint8_t type) {
  return std::any_of(details.crids.begin(), details.crids.end(), [&](const ContentIdentifier& crid) {
    return (type == 0 || crid.type == type) && folded(crid.crid) == wanted_folded;
  });
}

/// How well the title agrees when it does: the whole of it, its beginning, a word, anywhere; then the other texts.
std::uint8_t relevance_of(std::string_view folded_title, std::string_view wanted) {
  if (folded_title == wanted) return 0;
  const std::size_t at = folded_title.find(wanted);
  if (at == 0) return is_word_edge(folded_title, wanted.size()) ? 1 : 2;
  if (at == folded_title.npos) return 5;
  return is_word_edge(folded_title, at) ? 3 : 4;
}

class Search {
 public:
  Search(const Query& query, const Store::Reader& reader)
      : query_(query),
        reader_(reader),
        results_(query, reader.texts()),
        crid_(folded(query.crid)),
        first_text_(query.texts.empty() ? std::string() : folded(query.texts.front())) {}

  std::vector<Hit> run() {
    if (query_.services) {
      std::uint32_t rank = 0;
      std::vector<ServiceKey> seen;
      for (const ServiceKey& service : *query_.services) {
        if (const Timeline* timeline = reader_.find(service); timeline != nullptr && first_time(seen, service)) {
          look_at(service, *timeline, rank++);
        }
      }
    } else {
      std::uint32_t rank = 0;
      reader_.each_service(
          [&](const ServiceKey& service, const Timeline& timeline) { look_at(service, timeline, rank++); });
    }
    return std::move(hits_);
  }

 private:
  static bool first_time(std::vector<ServiceKey>& seen, const ServiceKey& service) {
    const auto at = std::lower_bound(seen.begin(), seen.end(), service);
    if (at != seen.end() && *at == service) return false;
    seen.insert(at, service);
    return true;
  }

  void look_at(const ServiceKey& service, const Timeline& timeline, std::uint32_t rank) {
    timeline.window(query_.from, query_.until, [&](const EventRecord& event) {
      if (!passes(event) || !agrees(event)) return;
      Hit hit{&event, &service, rank, 0};
      if (query_.order == EventOrder::relevance) hit.relevance = relevance(event);
      hits_.push_back(hit);
    });
  }

  bool passes(const EventRecord& event) const {
    if (event.duration < query_.minimum_duration || event.duration > query_.maximum_duration) return false;
    if (!query_.languages.empty() &&
        std::none_of(query_.languages.begin(), query_.languages.end(),
                     [&](Language language) { return terminological(language) == terminological(event.language); })) {
      return false;
    }
    if (query_.genres.empty() && crid_.empty()) return true;
    const EventDetails details = unpack_details(reader_.texts().text(event.details));
    return (query_.genres.empty() || has_genre(details, query_.genres)) &&
           (crid_.empty() || has_crid(details, crid_, query_.crid_type));
  }

  bool agrees(const EventRecord& event) {
    const std::uint32_t all = results_.all();
    std::uint32_t found = 0;
    if (all != found && (query_.within & scope::kTitle) != 0) found |= results_.of(event.title);
    if (all != found && (query_.within & scope::kShort) != 0) found |= results_.of(event.short_text);
    if (all != found && (query_.within & scope::kLong) != 0) found |= results_.of(event.extended_text);
    return found == all;
  }

  std::uint8_t relevance(const EventRecord& event) {
    const std::uint8_t title = relevance_of(folded(reader_.texts().text(event.title)), first_text_);
    if (title < 5) return title;
    return folded(reader_.texts().text(event.short_text)).find(first_text_) != std::string::npos ? 5 : 6;
  }

  const Query& query_;
  const Store::Reader& reader_;
  TextResults results_;
  std::string crid_;
  std::string first_text_;
  std::vector<Hit> hits_;
};

/// Puts the hits that are asked for in order, at the front.
void order(std::vector<Hit>& hits, const Query& query, const TextPool& texts) {
  const std::size_t end =
      query.limit > hits.size() || query.offset > hits.size() - query.limit ? hits.size() : query.offset + query.limit;
  const auto middle = hits.begin() + static_cast<std::ptrdiff_t>(end);
  if (query.order == EventOrder::time) {
    std::partial_sort(hits.begin(), middle, hits.end(), earlier);
  } else if (query.order == EventOrder::relevance) {
    std::partial_sort(hits.begin(), middle, hits.end(), [](const Hit& a, const Hit& b) {
      return a.relevance != b.relevance ? a.relevance < b.relevance : earlier(a, b);
    });
  } else {
    std::unordered_map<TextId, std::string> titles;
    for (const Hit& hit : hits) {
      std::string& title = titles[hit.event->title];
      if (title.empty()) title = folded(texts.text(hit.event->title));
    }
    std::partial_sort(hits.begin(), middle, hits.end(), [&](const Hit& a, const Hit& b) {
      if (a.event->title != b.event->title) {
        const int order = titles.find(a.event->title)->second.compare(titles.find(b.event->title)->second);
        if (order != 0) return order < 0;
      }
      return earlier(a, b);
    });
  }
}

std::string answer(std::vector<Hit>& hits, const Query& query, const Store::Reader& reader) {
  order(hits, query, reader.texts());
  wire::JsonWriter json;
  json.begin_object().key("total").value(hits.size()).key("events").begin_array();
  for (std::size_t at = query.offset; at < hits.size() && at - query.offset < query.limit; ++at) {
    write_event(json, reader.view(*hits[at].service, *hits[at].event));
  }
  return json.end_array().end_object().take();
}

}  // namespace

std::string search(const Store& store, const Query& query) {
  const Store::Reader reader = store.read();
  std::vector<Hit> hits = Search(query, reader).run();
  return answer(hits, query, reader);
}

std::string similar(const Store& store, const ServiceKey& service, std::uint16_t id, std::size_t limit) {
  const Store::Reader reader = store.read();
  std::vector<Hit> hits;
  Query query;
  query.limit = limit;
  const Timeline* timeline = reader.find(service);
  const std::size_t index = timeline != nullptr ? timeline->find(id) : Timeline::kNone;
  if (index == Timeline::kNone) return answer(hits, query, reader);

  const EventRecord& given = timeline->events()[index];
  // A CRID without an authority counts within its network only (TS 102 323 §6.3).
  std::vector<std::string> programmes;
  for (const ContentIdentifier& crid : unpack_details(reader.texts().text(given.details)).crids) {
    if (crid.type == 1) programmes.push_back(folded(crid.crid));
  }
  const auto same_programme = [&](const ServiceKey& key, const EventRecord& event) {
    if (programmes.empty() || event.details == 0) return false;
    const EventDetails details = unpack_details(reader.texts().text(event.details));
    return std::any_of(programmes.begin(), programmes.end(), [&](const std::string& crid) {
      const bool whole = crid.starts_with("crid://");
      return (whole || key.original_network_id == service.original_network_id) && has_crid(details, crid, 1);
    });
  };
  std::uint32_t rank = 0;
  reader.each_service([&](const ServiceKey& key, const Timeline& other) {
    ++rank;
    for (const EventRecord& event : other.events()) {
      if (event.shadowed || (&other == timeline && event.id == id)) continue;
      const bool same_texts = event.title == given.title && event.short_text == given.short_text &&
                              event.extended_text == given.extended_text && given.title != 0;
      if (same_texts || same_programme(key, event)) hits.push_back({&event, &key, rank, 0});
    }
  });
  return answer(hits, query, reader);
}

std::string suggest(const Store& store, std::string_view typed, wire::UnixSeconds from, std::size_t limit) {
  struct Suggestion {
    TextId title = 0;
    std::size_t count = 0;
    std::uint32_t start = 0;
    bool begins = false;
    std::string folded;
  };
  const std::string wanted = folded(typed);
  const Store::Reader reader = store.read();
  std::unordered_map<TextId, Suggestion> titles;
  reader.each_service([&](const ServiceKey&, const Timeline& timeline) {
    timeline.window(from, std::numeric_limits<wire::UnixSeconds>::max(), [&](const EventRecord& event) {
      Suggestion& title = titles[event.title];
      if (title.count++ == 0 || event.start < title.start) title.start = event.start;
    });
  });
  std::vector<Suggestion> found;
  for (auto& [id, title] : titles) {
    if (id == 0) continue;
    title.title = id;
    title.folded = folded(reader.texts().text(id));
    const std::string_view text = title.folded;
    bool agrees = false;
    for (std::size_t at = text.find(wanted); at != text.npos && !agrees; at = text.find(wanted, at + 1)) {
      agrees = is_word_edge(text, at);
      title.begins = at == 0;
    }
    if (agrees) found.push_back(std::move(title));
  }
  std::sort(found.begin(), found.end(), [](const Suggestion& a, const Suggestion& b) {
    if (a.begins != b.begins) return a.begins;
    if (a.count != b.count) return a.count > b.count;
    return a.folded != b.folded ? a.folded < b.folded : a.title < b.title;
  });
  if (found.size() > limit) found.resize(limit);
  wire::JsonWriter json;
  json.begin_array();
  for (const Suggestion& title : found) {
    json.begin_object().key("title").value(reader.texts().text(title.title));
    json.key("count").value(title.count).key("start").value(title.start).end_object();
  }
  return json.end_array().take();
}

}  // namespace receiverd::epg
