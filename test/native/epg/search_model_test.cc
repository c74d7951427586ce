// Tests of the search against a model: whatever came in, in any order, and whatever the index has merged meanwhile, the
// results are those of checking every event.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "epg/event/event_details.h"
#include "epg/index/text_matcher.h"
#include "epg/made_event.h"
#include "epg/search/search.h"
#include "epg/store/store.h"
#include "epg/text/fold.h"
#include "epg/text/words.h"

using namespace receiverd::epg;

namespace {

constexpr std::array<std::string_view, 30> kWords{
    "News", "new",  "Weather", "the",  "The",  "of",       "Café",  "cafe", "Straße",           "strasse",
    "Ёлка", "елка", "Новости", "ΟΔΟΣ", "οδός", "İstanbul", "ıstan", "日本", "日本語",           "本",
    "o'cl", "24/7", "F1:",     "ﬁlm",  "film", "a",        "Über",  "-",    "Ober\u00ADhausen", "hausen"};

struct Random {
  std::mt19937 engine{11};
  std::uint32_t below(std::uint32_t bound) { return engine() % bound; }
  std::string text(std::uint32_t max_words) {
    std::string made;
    for (std::uint32_t words = below(max_words + 1); words > 0; --words) {
      if (!made.empty()) made += below(8) == 0 ? ", " : " ";
      made += kWords[below(kWords.size())];
    }
    return made;
  }
  Event event() {
    Event made;
    made.id = static_cast<std::uint16_t>(below(60));
    made.start = kMidnight + below(200) * 600;
    made.duration = below(20) == 0 ? 0 : (1 + below(8)) * 900;
    made.language = below(2) == 0 ? 0x656e67 : 0x646575;  // eng, deu
    made.title = text(4);
    if (below(2) == 0) made.short_text = text(3);
    if (below(2) == 0) made.extended_text = text(12);
    if (below(3) == 0) made.genres = {{static_cast<std::uint8_t>(below(3) << 4 | below(2)), 0}};
    if (below(4) == 0) made.crids = {{1, (below(2) == 0 ? "crid://A.tv/" : "/") + std::to_string(below(4))}};
    return made;
  }
  DvbTriplet service() {
    return {static_cast<std::uint16_t>(1 + below(2)), 1, static_cast<std::uint16_t>(1 + below(6))};
  }
  /// A text that can be found: a piece of a text, cut anywhere between characters.
  std::string wanted() {
    std::string from = text(3);
    if (from.empty()) return "x";
    const auto begins = [&](std::size_t at) { return at >= from.size() || (from[at] & 0xC0) != 0x80; };
    std::size_t begin = below(static_cast<std::uint32_t>(from.size()));
    while (!begins(begin)) --begin;
    std::size_t end = begin + 1 + below(10);
    while (!begins(end)) ++end;
    return from.substr(begin, end - begin);
  }
  Query query() {
    Query made;
    if (below(12) != 0) made.texts.push_back(wanted());
    if (below(6) == 0) made.texts.push_back(wanted());
    made.match = static_cast<TextMatch>(below(8));
    made.within = static_cast<std::uint8_t>(1 + below(7));
    made.case_sensitive = below(5) == 0;
    if (below(4) == 0) {
      made.services.emplace();
      for (std::uint32_t i = below(5); i > 0; --i) made.services->push_back(service());
    }
    if (below(3) == 0) made.from = kMidnight + below(200) * 600;
    if (below(3) == 0) made.until = kMidnight + below(250) * 600;
    if (below(5) == 0) {
      made.time_of_day = {.from = below(24) * 3600, .until = below(25) * 3600, .zone = LocalTimes({{0, 1800}})};
    }
    if (below(4) == 0) made.genres.push_back({static_cast<std::uint8_t>(below(3)), {}});
    if (below(5) == 0) made.min_duration = below(4) * 900;
    if (below(5) == 0) made.max_duration = below(8) * 900;
    if (below(5) == 0) made.languages = {0x676572};  // ger is deu
    if (below(6) == 0) made.crid = "CRID://a.TV/" + std::to_string(below(4));
    made.order = static_cast<EventOrder>(below(3));
    made.offset = below(3) == 0 ? below(8) : 0;
    made.limit = below(4) == 0 ? below(5) : 1000;
    return made;
  }
};

struct Found {
  EventView event;
  std::uint32_t rank;  // of its service
  std::uint32_t relevance;
  std::string folded_title;
};

bool agrees(const Query& query, const EventView& event) {
  const std::string_view texts[] = {event.title, event.short_text, event.extended_text};
  for (const TextMatcher& matcher : matchers_of(query)) {
    bool found = false;
    for (unsigned kind = 0; kind < 3; ++kind) {
      if ((query.within >> kind & 1U) == 0) continue;
      found = found || matcher.matches(query.case_sensitive ? std::string(texts[kind]) : folded(texts[kind]));
    }
    if (!found) return false;
  }
  return true;
}

bool in_part_of_day(const TimeOfDay& wanted, const EventView& event) {
  const std::int64_t second = (event.start + 1800) % 86'400;
  const std::int64_t length = (wanted.until + 86'400 - wanted.from) % 86'400;
  return (second + 86'400 - wanted.from) % 86'400 < (length == 0 ? 86'400 : length);
}

bool passes(const Query& query, const EventView& event) {
  const EventDetails details = unpack_details(event.details);
  const auto genre = [&](const Genre& one) { return one.nibbles >> 4 == query.genres.front().level1; };
  const auto crid = [&](const ContentIdentifier& one) { return folded(one.crid) == folded(query.crid); };
  if (query.time_of_day && !in_part_of_day(*query.time_of_day, event)) return false;
  return event.duration >= query.min_duration && event.duration <= query.max_duration &&
         (query.languages.empty() || terminological(event.language) == terminological(query.languages.front())) &&
         (query.genres.empty() || std::any_of(details.genres.begin(), details.genres.end(), genre)) &&
         (query.crid.empty() || std::any_of(details.crids.begin(), details.crids.end(), crid));
}

std::uint32_t relevance(const Query& query, const EventView& event) {
  const std::string wanted = query.texts.empty() ? "" : folded(query.texts.front());
  const std::string title = folded(event.title);
  const std::size_t at = title.find(wanted);
  if (title == wanted) return 0;
  if (at == 0) return is_word_edge(title, wanted.size()) ? 1 : 2;
  if (at != std::string::npos) return is_word_edge(title, at) ? 3 : 4;
  return folded(event.short_text).find(wanted) != std::string::npos ? 5 : 6;
}

std::vector<Found> model(const Store::Reader& reader, const Query& query) {
  std::vector<DvbTriplet> services;
  if (query.services) {
    for (const DvbTriplet& key : *query.services) {
      if (std::find(services.begin(), services.end(), key) == services.end()) services.push_back(key);
    }
  } else {
    reader.each_service([&](const DvbTriplet& key, const Timeline&) { services.push_back(key); });
  }
  std::vector<Found> found;
  for (std::uint32_t rank = 0; rank < services.size(); ++rank) {
    const Timeline* timeline = reader.find(services[rank]);
    if (timeline == nullptr) continue;
    timeline->window(query.from, query.until, [&](const EventRecord& record) {
      const EventView event = reader.view(record);
      if (passes(query, event) && agrees(query, event)) {
        found.push_back({event, rank, relevance(query, event), folded(event.title)});
      }
    });
  }
  std::sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
    if (query.order == EventOrder::relevance && a.relevance != b.relevance) return a.relevance < b.relevance;
    if (query.order == EventOrder::title && a.folded_title != b.folded_title) return a.folded_title < b.folded_title;
    if (a.event.start != b.event.start) return a.event.start < b.event.start;
    return a.rank != b.rank ? a.rank < b.rank : a.event.id < b.event.id;
  });
  return found;
}

std::string name(const EventView& event) {
  return std::to_string(event.service.original_network_id) + "." + std::to_string(event.service.service_id) + "." +
         std::to_string(event.id);
}

void compare(const Store& store, const Query& query) {
  const Store::Reader reader = store.read();
  const std::vector<Found> expected = model(reader, query);
  const Hits hits = find_events(reader, query);
  std::string ours;
  for (const EventSlot slot : hits.events) ours += name(reader.view(reader.event(slot))) + " ";
  std::string theirs;
  for (std::size_t at = query.offset; at < expected.size() && at - query.offset < query.limit; ++at) {
    theirs += name(expected[at].event) + " ";
  }
  INFO("looking for '" << (query.texts.empty() ? "" : query.texts.front()) << "', match "
                       << static_cast<int>(query.match) << ", within " << static_cast<int>(query.within) << ", case "
                       << query.case_sensitive << ", order " << static_cast<int>(query.order));
  REQUIRE(hits.total == expected.size());
  REQUIRE(ours == theirs);
}

/// Checks that all events of the store are complete: in a timeline, in their programme, counted.
void check_whole(const Store& store) {
  const Store::Reader reader = store.read();
  const Programmes& programmes = reader.programmes();
  std::size_t by_service = 0;
  reader.each_service([&](const DvbTriplet&, const Timeline& timeline) { by_service += timeline.size(); });
  REQUIRE(by_service == reader.events());
  std::size_t by_programme = 0;
  for (ProgrammeId id = 1; id < programmes.end(); ++id) {
    std::size_t here = 0;
    std::uint32_t last = 0;
    bool some_shadowed = false;
    programmes.each_event(id, [&](EventSlot slot) {
      REQUIRE(reader.event(slot).programme == id);
      REQUIRE(reader.event(slot).start >= last);
      last = reader.event(slot).start;
      some_shadowed = some_shadowed || reader.event(slot).shadowed != 0;
      return ++here != 0;
    });
    REQUIRE(here == programmes.event_count(id));
    REQUIRE((!some_shadowed || programmes[id].some_shadowed != 0));
    by_programme += here;
  }
  REQUIRE(by_programme == reader.events());
}

EitSection section(Random& random) {
  EitSection made;
  made.service = random.service();
  made.version = static_cast<std::uint8_t>(random.below(3));
  if (random.below(4) == 0) {
    made.table_id = 0x4E;
    made.section_number = static_cast<std::uint8_t>(random.below(2));
    made.last_section_number = 1;
    made.events.add() = random.event();
    return made;
  }
  made.table_id = static_cast<std::uint8_t>(0x50 + random.below(2));
  made.section_number = made.segment_last_section_number = static_cast<std::uint8_t>(random.below(16) * 8);
  made.last_section_number = 15 * 8;
  for (std::uint32_t events = random.below(8); events > 0; --events) made.events.add() = random.event();
  return made;
}

}  // namespace

TEST_CASE("a search finds the same as checking every event, while the guide changes") {
  Random random;
  Store store;
  std::int64_t now = kMidnight;
  for (int round = 0; round < 250; ++round) {
    for (int changes = 0; changes < 8; ++changes) store.apply(section(random));
    if (random.below(6) == 0) {
      std::vector<Event> events;
      for (int i = 0; i < 30; ++i) events.push_back(random.event());
      store.import_events(random.service(), events, random.below(2) == 0 ? EventIds::kept : EventIds::assigned,
                          store.begin_import());
    }
    if (random.below(20) == 0) store.expire(now += 3600);
    if (random.below(20) == 0) store.settle();
    if (random.below(90) == 0) store.clear();
    if (round % 10 == 0) check_whole(store);
    for (int queries = 0; queries < 12; ++queries) compare(store, random.query());
  }
  store.expire(kMidnight + 400'000);
  check_whole(store);
  CHECK(store.read().events() == 0);
  CHECK(store.read().programmes().distinct_texts() == 0);
}
