#include "epg/search/search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "epg/event/event_details.h"
#include "epg/index/id_set.h"
#include "epg/index/text_matcher.h"
#include "epg/store/event_json.h"
#include "epg/text/fold.h"
#include "epg/text/words.h"

namespace receiverd::epg {
namespace {

constexpr TextKind kAllKinds[] = {TextKind::title, TextKind::short_text, TextKind::long_text};

bool in_scope(TextKind kind, std::uint8_t within) { return (within >> static_cast<unsigned>(kind) & 1U) != 0; }
static_assert(scope::kTitle == 1 && scope::kShort == 2 && scope::kLong == 4);

/// Number of programmes that a scan checks in the time it takes to reach one through the chain of its text.
constexpr std::size_t kProgrammesPerChainLookup = 6;

bool has_genre(const EventDetails& details, const std::vector<GenreFilter>& wanted) {
  return std::any_of(details.genres.begin(), details.genres.end(), [&](const Genre& genre) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const GenreFilter& filter) {
      return genre.nibbles >> 4 == filter.level1 && (!filter.level2 || (genre.nibbles & 0xF) == *filter.level2);
    });
  });
}

// A part that the folded form of every matching text contains. Folding may drop characters (a soft hyphen) and so join
// words, but it never inserts any.
std::string guaranteed_part(const TextMatcher& matcher) {
  if (matcher.match() != TextMatch::phrase) return folded(matcher.wanted());
  const auto words = words_of(matcher.wanted());
  return folded(words.empty() ? std::string_view(matcher.wanted()) : words.front());
}

/// Texts of each kind.
using TextsByKind = std::array<std::vector<TextId>, kTextKinds>;

/// Finds the programmes that match a query's texts and its conditions on details. Where the words alone do not settle
/// it, an index hit is compared with the text itself.
class ProgrammeSearch {
 public:
  ProgrammeSearch(const Query& query, const Programmes& programmes)
      : query_(query), programmes_(programmes), crid_(folded(query.crid)) {}

  /// If the query asks for a single text and nothing else: the texts that match it.
  std::optional<TextsByKind> only_texts() {
    if (filters_details()) return std::nullopt;
    const std::vector<TextMatcher> matchers = matchers_of(query_);
    if (matchers.size() != 1 || matchers.front().wanted().empty()) return std::nullopt;
    return texts(matchers.front());
  }

  /// Each programme with one of the texts, once; never dead ones.
  std::vector<ProgrammeId> with_any(const TextsByKind& texts) const {
    std::size_t count = 0;
    for (const auto& ids : texts) count += ids.size();
    if (count * kProgrammesPerChainLookup > programmes_.end()) return with_any_by_scan(texts);
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

  /// Each matching programme, once; never dead ones.
  std::vector<ProgrammeId> run() {
    const std::vector<TextMatcher> matchers = matchers_of(query_);
    std::vector<ProgrammeId> found = matchers.empty() ? all_programmes() : matching(matchers.front());
    for (std::size_t i = 1; i < matchers.size() && !found.empty(); ++i) {
      IdSet also(programmes_.end());
      for (const ProgrammeId id : matching(matchers[i])) also.add(id);
      std::erase_if(found, [&](ProgrammeId id) { return !also.has(id); });
    }
    if (filters_details()) filter_by_details(found);
    return found;
  }

 private:
  bool filters_details() const { return !query_.genres.empty() || !query_.languages.empty() || !crid_.empty(); }

  std::vector<ProgrammeId> all_programmes() const {
    std::vector<ProgrammeId> all;
    for (ProgrammeId id = 1; id < programmes_.end(); ++id) {
      if (programmes_[id].events != 0) all.push_back(id);
    }
    return all;
  }

  // Scans all programmes in memory order. Does not branch on whether they match, which processors could not predict.
  std::vector<ProgrammeId> with_any_by_scan(const TextsByKind& texts) const {
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

  TextsByKind texts(const TextMatcher& matcher) {
    TextsByKind agree;
    for (const TextKind kind : kAllKinds) {
      if (in_scope(kind, query_.within)) agree[static_cast<std::size_t>(kind)] = texts(kind, matcher);
    }
    return agree;
  }

  std::vector<ProgrammeId> matching(const TextMatcher& matcher) {
    if (!matcher.wanted().empty()) return with_any(texts(matcher));
    // Every text contains the empty string, but only an empty text equals it.
    std::vector<ProgrammeId> found = all_programmes();
    if (matcher.match() != TextMatch::exact) return found;
    std::erase_if(found, [&](ProgrammeId id) {
      return std::none_of(std::begin(kAllKinds), std::end(kAllKinds), [&](TextKind kind) {
        return in_scope(kind, query_.within) && programmes_[id].text(kind) == 0;
      });
    });
    return found;
  }

  std::vector<TextId> texts(TextKind kind, const TextMatcher& matcher) {
    const TextMatch match = query_.case_sensitive ? TextMatch::contains : matcher.match();
    WordIndex::Found found =
        programmes_.index(kind, match).find(query_.case_sensitive ? guaranteed_part(matcher) : matcher.wanted(), match);
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

  void filter_by_details(std::vector<ProgrammeId>& found) const {
    enum : std::uint8_t { kUnknown, kYes, kNo };
    std::vector<std::uint8_t> known(programmes_.details().end());
    std::erase_if(found, [&](ProgrammeId id) {
      const TextId details = programmes_[id].details;
      if (known[details] == kUnknown) known[details] = agrees(details) ? kYes : kNo;
      return known[details] == kNo;
    });
  }

  bool agrees(TextId id) const {
    const Language language = terminological(programmes_.language(id));
    if (!query_.languages.empty() &&
        std::none_of(query_.languages.begin(), query_.languages.end(),
                     [&](Language wanted) { return terminological(wanted) == language; })) {
      return false;
    }
    if (query_.genres.empty() && crid_.empty()) return true;
    const EventDetails details = unpack_details(programmes_.packed_details(id));
    return (query_.genres.empty() || has_genre(details, query_.genres)) &&
           (crid_.empty() || has_crid(details, crid_, query_.crid_type));
  }

  const Query& query_;
  const Programmes& programmes_;
  const std::string crid_;
  std::string text_;  // buffer for a text from its pool
};

/// How well a title matches, 0 = best: the whole title, its beginning, a word, anywhere; then the other texts.
std::uint32_t relevance_of(std::string_view folded_title, std::string_view wanted) {
  if (folded_title == wanted) return 0;
  const std::size_t at = folded_title.find(wanted);
  if (at == 0) return is_word_edge(folded_title, wanted.size()) ? 1 : 2;
  if (at == folded_title.npos) return 5;
  return is_word_edge(folded_title, at) ? 3 : 4;
}

/// Ranks of programmes, 0 first, in the order that a query wants. Within a rank, order is by time.
class Ranks {
 public:
  Ranks(const Query& query, const Programmes& programmes, const std::vector<ProgrammeId>& found)
      : order_(query.order), programmes_(programmes) {
    if (order_ == EventOrder::time) return;
    by_title_.resize(programmes.texts(TextKind::title).end(), kUnknown);
    if (order_ == EventOrder::relevance) {
      wanted_ = query.texts.empty() ? std::string() : folded(query.texts.front());
      return;
    }
    std::vector<std::pair<std::string, TextId>> titles;
    for (const ProgrammeId id : found) {
      const TextId title = programmes[id].title;
      if (std::exchange(by_title_[title], 0) == kUnknown) titles.emplace_back(folded_title(title), title);
    }
    std::sort(titles.begin(), titles.end());
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < titles.size(); ++i) {
      if (i != 0 && titles[i].first != titles[i - 1].first) ++rank;
      by_title_[titles[i].second] = rank;
    }
  }

  std::uint32_t of(ProgrammeId id) {
    if (order_ == EventOrder::time) return 0;
    std::uint32_t& known = by_title_[programmes_[id].title];
    if (known == kUnknown) known = relevance_of(folded_title(programmes_[id].title), wanted_);
    if (order_ != EventOrder::relevance || known < 5) return known;
    const std::string_view about = programmes_.texts(TextKind::short_text).text(programmes_[id].short_text);
    return folded(about).find(wanted_) != std::string::npos ? 5 : 6;
  }

 private:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

  std::string folded_title(TextId id) const { return folded(programmes_.texts(TextKind::title).text(id)); }

  const EventOrder order_;
  const Programmes& programmes_;
  std::string wanted_;
  std::vector<std::uint32_t> by_title_;
};

/// An event's position in the order of a query; events with the same start share it.
using Place = std::uint64_t;
Place place_of(std::uint32_t rank, std::uint32_t start) { return Place{rank} << 32U | start; }

/// Keeps the first hits in the order of the query.
class BestHits {
 public:
  BestHits(const Store::Reader& reader, const std::vector<std::uint32_t>& service_ranks, std::size_t max_hits)
      : reader_(reader),
        service_ranks_(service_ranks),
        max_hits_(max_hits),
        trim_size_(max_hits > std::numeric_limits<std::size_t>::max() / 4 ? max_hits : 2 * max_hits + 64) {
    hits_.reserve(std::min<std::size_t>(trim_size_, 256));
  }

  std::size_t max_hits() const { return max_hits_; }

  /// True if enough hits begin before `start`.
  bool enough_before(std::uint32_t start) const {
    const auto before = [&](const Hit& hit) { return hit.place < place_of(0, start); };
    return static_cast<std::size_t>(std::count_if(hits_.begin(), hits_.end(), before)) >= max_hits_;
  }

  /// False if neither this event nor a later one of the same rank can be among the best.
  bool offer(std::uint32_t rank, EventSlot slot) {
    const EventRecord& event = reader_.event(slot);
    const Place place = place_of(rank, event.start);
    if (place > end_ || max_hits_ == 0) return false;
    hits_.push_back({place, slot, event.service, event.id});
    if (hits_.size() >= trim_size_) trim();
    return true;
  }

  std::vector<EventSlot> take(std::size_t offset) {
    if (hits_.size() > max_hits_) trim();
    std::sort(hits_.begin(), hits_.end(), [this](const Hit& a, const Hit& b) { return before(a, b); });
    std::vector<EventSlot> slots;
    slots.reserve(hits_.size() - std::min(offset, hits_.size()));
    for (std::size_t at = offset; at < hits_.size(); ++at) slots.push_back(hits_[at].slot);
    return slots;
  }

 private:
  struct Hit {
    Place place;
    EventSlot slot;
    std::uint16_t service;  // EventRecord::service
    std::uint16_t id;
  };

  bool before(const Hit& a, const Hit& b) const {
    if (a.place != b.place) return a.place < b.place;
    if (a.service == b.service) return a.id < b.id;
    if (!service_ranks_.empty()) return service_ranks_[a.service] < service_ranks_[b.service];
    return reader_.key_of(a.service) < reader_.key_of(b.service);
  }

  void trim() {
    const auto worst = hits_.begin() + static_cast<std::ptrdiff_t>(max_hits_ - 1);
    std::nth_element(hits_.begin(), worst, hits_.end(), [this](const Hit& a, const Hit& b) { return before(a, b); });
    end_ = worst->place;
    hits_.resize(max_hits_);
  }

  const Store::Reader& reader_;
  const std::vector<std::uint32_t>& service_ranks_;
  const std::size_t max_hits_;
  const std::size_t trim_size_;  // trim() hits_ at this size
  Place end_ = std::numeric_limits<Place>::max();
  std::vector<Hit> hits_;
};

std::size_t hits_wanted(const Query& query) {
  return query.limit > std::numeric_limits<std::size_t>::max() - query.offset ? std::numeric_limits<std::size_t>::max()
                                                                              : query.offset + query.limit;
}

enum class Same : std::uint8_t {
  no,
  in_network,  ///< by a CRID without an authority, which is valid only within its network (TS 102 323 §6.3)
  everywhere
};

/// For each programme by id: whether it is the same as `id`, by title and texts or by a common programme CRID.
std::vector<Same> same_programmes(const Programmes& programmes, ProgrammeId id) {
  std::vector<Same> same(programmes.end(), Same::no);
  const Programme& programme = programmes[id];
  std::vector<std::string> crids;
  for (const ContentIdentifier& crid : unpack_details(programmes.packed_details(programme.details)).crids) {
    if (crid.type == 1) crids.push_back(folded(crid.crid));
  }
  for (ProgrammeId other = 1; !crids.empty() && other < programmes.end(); ++other) {
    if (programmes[other].events == 0 || programmes[other].details == 0) continue;
    const EventDetails details = unpack_details(programmes.packed_details(programmes[other].details));
    for (const std::string& crid : crids) {
      if (!has_crid(details, crid, 1)) continue;
      same[other] = std::max(same[other], crid.starts_with("crid://") ? Same::everywhere : Same::in_network);
    }
  }
  if (programme.title == 0) return same;
  programmes.each_with(TextKind::title, programme.title, [&](ProgrammeId other) {
    const Programme& candidate = programmes[other];
    if (candidate.short_text == programme.short_text && candidate.long_text == programme.long_text) {
      same[other] = Same::everywhere;
    }
  });
  return same;
}

class EventSearch {
 public:
  EventSearch(const Store::Reader& reader, const Query& query)
      : reader_(reader),
        query_(query),
        service_ranks_(ranks_of_services()),
        best_(reader, service_ranks_, hits_wanted(query)) {}

  Hits run() {
    if (query_.similar_to) return run_similar();
    ProgrammeSearch search(query_, programmes_);
    if (accepts_any_event() && query_.order == EventOrder::time) {
      if (const auto texts = search.only_texts(); !texts) {
        collect_whole_programmes(search.run());
      } else if (query_.within == scope::kTitle) {
        collect_titles((*texts)[static_cast<std::size_t>(TextKind::title)]);
      } else {
        collect_whole_programmes(search.with_any(*texts));
      }
      return {total_, best_.take(query_.offset)};
    }
    const std::vector<ProgrammeId> found = search.run();
    Ranks ranks(query_, programmes_, found);
    if (query_.services && wanted_service_events_ < found.size() * kEventsPerProgramme) {
      collect_services(found, ranks);
    } else {
      collect_programmes(found, ranks);
    }
    return {total_, best_.take(query_.offset)};
  }

 private:
  static constexpr std::uint32_t kExcluded = 0xFFFFFFFF;
  static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
  // Estimate, to decide whether the programmes or the services have fewer events to visit.
  static constexpr std::size_t kEventsPerProgramme = 2;

  /// Other showings of the programme of `similar_to`.
  Hits run_similar() {
    const DvbTriplet& service = query_.similar_to->service;
    const Timeline* timeline = reader_.find(service);
    const std::size_t index = timeline != nullptr ? timeline->find(query_.similar_to->id) : Timeline::kNone;
    if (index == Timeline::kNone) return {};
    const EventSlot given = timeline->slots()[index];
    const std::vector<Same> same = same_programmes(programmes_, reader_.event(given).programme);
    for (ProgrammeId other = 1; other < programmes_.end(); ++other) {
      if (same[other] == Same::no) continue;
      programmes_.each_event(other, [&](EventSlot slot) {
        const EventRecord& event = reader_.event(slot);
        const bool agrees = same[other] == Same::everywhere ||
                            reader_.service_of(event).original_network_id == service.original_network_id;
        if (slot == given || !agrees || !passes(event, slot)) return true;
        ++total_;
        best_.offer(0, slot);
        return true;
      });
    }
    return {total_, best_.take(query_.offset)};
  }

  std::vector<std::uint32_t> ranks_of_services() {
    std::vector<std::uint32_t> ranks;
    if (!query_.services) return ranks;
    ranks.resize(reader_.service_numbers(), kExcluded);
    std::uint32_t rank = 0;
    for (const DvbTriplet& service : *query_.services) {
      const Timeline* timeline = reader_.find(service);
      if (timeline == nullptr || timeline->empty()) continue;
      std::uint32_t& known = ranks[(*timeline)[0].service];
      if (known != kExcluded) continue;
      known = rank++;
      wanted_timelines_.push_back(timeline);
      wanted_service_events_ += timeline->size();
    }
    return ranks;
  }

  bool accepts_any_event() const {
    return !query_.services && query_.from <= 0 && query_.until > std::numeric_limits<std::uint32_t>::max() &&
           query_.min_duration == 0 && query_.max_duration >= kMaxDurationSeconds && !query_.time_of_day;
  }

  /// A title or a programme, and a lower bound for the start of its first event.
  struct Candidate {
    CoarseStart begins;
    std::uint32_t id;
  };

  /// Visits the earliest candidates until no other can be among the wanted hits. `visit(some, until)` visits a batch:
  /// as many as are wanted (if there are that many) that have an event before `until`.
  template <typename LookAt>
  void visit_earliest(std::vector<Candidate>& candidates, LookAt visit) {
    const auto before = [](const Candidate& a, const Candidate& b) { return a.begins < b.begins; };
    auto begin = candidates.begin();
    while (begin != candidates.end() && best_.max_hits() != 0) {
      const auto left = static_cast<std::size_t>(candidates.end() - begin);
      const auto last = begin + static_cast<std::ptrdiff_t>(std::min(best_.max_hits(), left) - 1);
      std::nth_element(begin, last, candidates.end(), before);
      const CoarseStart through = last->begins;
      const auto end =
          std::partition(last + 1, candidates.end(), [&](const Candidate& one) { return one.begins <= through; });
      const std::uint32_t until = earliest(through + 1);
      visit(std::span(begin, end), until);
      // Each of them has an event this early, unless it is shadowed or a title's first event is gone.
      if (best_.enough_before(until)) return;
      begin = end;
    }
  }

  void collect_titles(const std::vector<TextId>& titles) {
    std::vector<Candidate> candidates;
    candidates.reserve(titles.size());
    for (const TextId title : titles) {
      const TitleShowings& showings = programmes_.showings(title);
      if (showings.events == 0) continue;
      total_ += showings.events;
      candidates.push_back({showings.begins, title});
    }
    std::vector<TextId> some;
    std::vector<Candidate> shown;
    visit_earliest(candidates, [&](std::span<const Candidate> first, std::uint32_t) {
      some.clear();
      for (const Candidate& title : first) some.push_back(title.id);
      shown.clear();
      programmes_.each_with_any(TextKind::title, some, [&](ProgrammeId id, std::size_t) {
        if (programmes_[id].events != 0) shown.push_back({programmes_[id].begins(), id});
      });
      offer_earliest(shown);
    });
  }

  void collect_whole_programmes(const std::vector<ProgrammeId>& found) {
    std::vector<Candidate> candidates;
    candidates.reserve(found.size());
    for (const ProgrammeId id : found) {
      candidates.push_back({programmes_[id].begins(), id});
      total_ += shown_events(id);
    }
    offer_earliest(candidates);
  }

  std::size_t shown_events(ProgrammeId id) const {
    std::size_t count = programmes_.event_count(id);
    if (programmes_[id].some_shadowed == 0) return count;
    programmes_.each_event(id, [&](EventSlot slot) {
      count -= reader_.event(slot).shadowed;
      return true;
    });
    return count;
  }

  void offer_earliest(std::vector<Candidate>& programmes) {
    std::vector<ProgrammeId> some;
    visit_earliest(programmes, [&](std::span<const Candidate> first, std::uint32_t until) {
      some.clear();
      for (const Candidate& programme : first) some.push_back(programme.id);
      if (some.size() < best_.max_hits()) return offer(some, 0, kNoEnd);
      offer(some, 0, until);
      if (!best_.enough_before(until)) offer(some, until, kNoEnd);
    });
  }

  /// Offers those of their events that begin in this time range.
  void offer(std::span<const ProgrammeId> programmes, std::uint64_t from, std::uint64_t until) {
    programmes_.each_event_of(programmes, [&](std::size_t, EventSlot slot) {
      const EventRecord& event = reader_.event(slot);
      if (event.start >= until) return false;
      return event.start < from || event.shadowed != 0 || best_.offer(0, slot);
    });
  }

  void collect_programmes(const std::vector<ProgrammeId>& found, Ranks& ranks) {
    std::vector<std::uint32_t> rank;
    rank.reserve(found.size());
    for (const ProgrammeId id : found) rank.push_back(ranks.of(id));
    programmes_.each_event_of(found, [&](std::size_t i, EventSlot slot) {
      const EventRecord& event = reader_.event(slot);
      if (event.start >= query_.until) return false;
      if (!passes(event, slot)) return true;
      ++total_;
      best_.offer(rank[i], slot);
      return true;
    });
  }

  void collect_services(const std::vector<ProgrammeId>& found, Ranks& ranks) {
    IdSet marks(programmes_.end());
    for (const ProgrammeId id : found) marks.add(id);
    for (const Timeline* timeline : wanted_timelines_) {
      for (const EventSlot slot : timeline->slots()) {
        const EventRecord& event = reader_.event(slot);
        if (event.start >= query_.until) break;
        if (!marks.has(event.programme) || !passes(event, slot)) continue;
        ++total_;
        best_.offer(ranks.of(event.programme), slot);
      }
    }
  }

  bool passes(const EventRecord& event, EventSlot slot) const {
    if (event.shadowed != 0 || event.start >= query_.until) return false;
    if (event.duration < query_.min_duration || event.duration > query_.max_duration) return false;
    if (!service_ranks_.empty() && service_ranks_[event.service] == kExcluded) return false;
    if (query_.time_of_day && !query_.time_of_day->has(event.start)) return false;
    if (event.start >= query_.from) return true;
    if (event.duration != 0) return event.end() > query_.from;
    const Timeline& timeline = *reader_.find(reader_.service_of(event));
    const auto& slots = timeline.slots();
    const auto at =
        std::find(slots.begin() + static_cast<std::ptrdiff_t>(timeline.lower_bound(event.start)), slots.end(), slot);
    return timeline.end_of(static_cast<std::size_t>(at - slots.begin())) > query_.from;
  }

  const Store::Reader& reader_;
  const Query& query_;
  const Programmes& programmes_ = reader_.programmes();
  std::vector<const Timeline*> wanted_timelines_;
  std::size_t wanted_service_events_ = 0;
  const std::vector<std::uint32_t> service_ranks_;  // by service number; empty: all services
  BestHits best_;
  std::size_t total_ = 0;
};

}  // namespace

Hits find_events(const Store::Reader& reader, const Query& query) { return EventSearch(reader, query).run(); }

std::string search(const Store& store, const Query& query) {
  const Store::Reader reader = store.read();
  const Hits hits = find_events(reader, query);
  wire::JsonWriter json;
  json.begin_object().key("total").value(hits.total).key("events").begin_array();
  for (const EventSlot slot : hits.events) write_event(json, reader.view(reader.event(slot)));
  return json.end_array().end_object().take();
}

}  // namespace receiverd::epg
