// Tests of event lists: questions, fields, pieces, searches.
#include "epg/responses/event_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "epg/made_event.h"

using namespace receiverd;
using namespace receiverd::epg;

namespace {

constexpr DvbTriplet kOne{1, 2, 3};
constexpr DvbTriplet kTwo{1, 2, 4};
constexpr DvbTriplet kThree{1, 2, 5};

struct World {
  std::shared_ptr<Store> store = std::make_shared<Store>();
  std::uint8_t import = store->begin_import();

  void put(const DvbTriplet& service, const std::vector<Event>& events) {
    CHECK(store->import_events(service, events, EventIds::kept, import));
  }
};

std::shared_ptr<const ServiceList> services(std::vector<std::optional<DvbTriplet>> keys) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.size(); ++i) names.push_back("S" + std::to_string(i));
  return std::make_shared<const ServiceList>(std::move(keys), names, 1);
}

/// A template that writes `name:field ...`; `name:-` for an unknown event.
std::shared_ptr<const EventTemplate> template_of(std::vector<const char*> fields, bool missing = false) {
  EventTemplate made;
  made.event.push_back({"", nullptr, 0});
  for (const char* const field : fields) {
    made.event.push_back({made.event.size() == 1 ? ":" : " ", event_field(field)});
  }
  if (missing) {
    made.missing.push_back({"", nullptr, 0});
    made.missing.push_back({":-"});
  }
  made.separator = ", ";
  made.genres[0x23] = "Show & <more>";
  return std::make_shared<const EventTemplate>(std::move(made));
}

EventQuestion question(EventsAsked asked, wire::UnixSeconds from,
                       wire::UnixSeconds until = std::numeric_limits<wire::UnixSeconds>::max()) {
  EventQuestion made;
  made.asked = asked;
  made.from = from;
  made.until = until;
  return made;
}

EventList list_of(const World& world, std::shared_ptr<const ServiceList> services,
                  std::shared_ptr<const EventTemplate> event_template, EventQuestion asked,
                  std::vector<LocalTimes::Change> zone = {}) {
  Moment moment{kMidnight, LocalTimes(std::move(zone))};
  return {world.store, std::move(asked),
          EventWriter(std::move(event_template), std::move(services), std::move(moment))};
}

/// The whole list, written in pieces.
std::string text(EventList list, std::size_t bytes = 1 << 20, std::chrono::nanoseconds time = EventList::kNoTimeLimit) {
  std::string all;
  while (!list.ended()) {
    ByteBuffer piece;
    list.write(piece, bytes, time);
    all += piece.bytes();
  }
  return all;
}

}  // namespace

TEST_CASE("a list of now, next or both has every service, even without events") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600), event(2, kMidnight + kHour, 3600)});
  const auto list = services({kOne, std::nullopt, kTwo});
  const auto shown = template_of({"id"}, true);
  CHECK(text(list_of(world, list, shown, question(EventsAsked::now, kMidnight))) == "S0:1, S1:-, S2:-");
  CHECK(text(list_of(world, list, shown, question(EventsAsked::next, kMidnight))) == "S0:2, S1:-, S2:-");
  CHECK(text(list_of(world, list, shown, question(EventsAsked::now_next, kMidnight))) ==
        "S0:1, S0:2, S1:-, S1:-, S2:-, S2:-");
}

TEST_CASE("without a template for them, unknown events are left out, and an empty list is replaced") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600)});
  const auto list = services({kTwo, kOne});
  CHECK(text(list_of(world, list, template_of({"id"}), question(EventsAsked::now, kMidnight))) == "S1:1");
  CHECK(text(list_of(world, list, template_of({"id"}), question(EventsAsked::next, kMidnight))).empty());
  CHECK(text(list_of(world, services({}), template_of({}), question(EventsAsked::window, 0))).empty());
}

TEST_CASE("every field is written") {
  World world;
  Event one = event(7, kMidnight - kHour, 5400, "A & <B>");
  one.short_text = "short";
  one.extended_text = "long";
  one.genres = {{0x23, 0}, {0x10, 0}};
  world.put(kOne, {one, event(8, kMidnight + kHour, 59)});
  const auto ask = [&](const char* field, std::vector<LocalTimes::Change> zone = {}) {
    return text(list_of(world, services({kOne}), template_of({field}), question(EventsAsked::window, kMidnight),
                        std::move(zone)));
  };
  CHECK(ask("start") == "S0:1704063600, S0:1704070800");
  CHECK(ask("duration") == "S0:5400, S0:59");
  CHECK(ask("minutes") == "S0:90, S0:0");
  CHECK(ask("title") == "S0:A &amp; &lt;B&gt;, S0:8");
  CHECK(ask("shortText") == "S0:short, S0:");
  CHECK(ask("extendedText") == "S0:long, S0:");
  CHECK(ask("now") == "S0:1704067200, S0:1704067200");
  CHECK(ask("remaining") == "S0:1800, S0:59");
  CHECK(ask("genre") == "S0:Show &amp; &lt;more&gt;, S0:");
  CHECK(ask("genreId") == "S0:35, S0:0");
  CHECK(ask("date") == "S0:Sun 31.12.2023, S0:Mon 01.01.2024");
  const std::vector<LocalTimes::Change> zone{{0, 3600}, {kMidnight + 1, -12600}};
  CHECK(ask("date", zone) == "S0:Mon 01.01.2024, S0:Sun 31.12.2023");
  CHECK(ask("begin", zone) == "S0:00:00, S0:21:30");
  CHECK(ask("end", zone) == "S0:21:00, S0:21:30");
}

TEST_CASE("a genre of group 0 does not count") {
  World world;
  Event one = event(1, kMidnight, 60);
  one.genres = {{0x03, 0}};
  world.put(kOne, {one});
  CHECK(text(list_of(world, services({kOne}), template_of({"genre", "genreId"}), question(EventsAsked::window, 0))) ==
        "S0: 0");
}

TEST_CASE("a list is the same in pieces of any size, even if a service has more events than one lock covers") {
  World world;
  std::vector<Event> events;
  for (std::uint16_t i = 0; i < 1000; ++i) events.push_back(event(i, kMidnight + i * 60, 60));
  world.put(kOne, events);
  world.put(kTwo, {events.begin(), events.begin() + 300});
  const auto list = services({kOne, kTwo, kOne});
  const auto window = question(EventsAsked::window, kMidnight + 90, kMidnight + 900 * 60);
  const std::string whole = text(list_of(world, list, template_of({"id"}), window));
  CHECK(whole.starts_with("S0:1, S0:2, "));
  CHECK(whole.ends_with(", S2:898, S2:899"));
  CHECK(text(list_of(world, list, template_of({"id"}), window), 1) == whole);
  CHECK(text(list_of(world, list, template_of({"id"}), window), 100) == whole);
  CHECK(text(list_of(world, list, template_of({"id"}), window), 1 << 20, {}) == whole);
}

TEST_CASE("events that change while a list is written appear at most once") {
  World world;
  std::vector<Event> events;
  for (std::uint16_t i = 0; i < 600; ++i) events.push_back(event(i, kMidnight + i * 60, 60));
  world.put(kOne, events);
  EventList list = list_of(world, services({kOne, kTwo}), template_of({"id"}), question(EventsAsked::window, 0));
  ByteBuffer piece;
  list.write(piece, 1 << 20, {});
  const std::string first(piece.bytes());
  CHECK(first.ends_with(", S0:127"));
  world.store->expire(kMidnight + 300 * 60);
  world.put(kTwo, {event(1, kMidnight, 60)});
  const std::string rest = text(std::move(list));
  CHECK(rest.starts_with(", S0:300, S0:301"));
  CHECK(rest.ends_with(", S0:599, S1:1"));
}

TEST_CASE("hits removed since the search are left out, also if another event has taken their place") {
  World world;
  std::vector<Event> events;
  for (std::uint16_t i = 0; i < 300; ++i) events.push_back(event(i, kMidnight + i * 60, 60));
  world.put(kOne, events);
  EventQuestion asked;
  asked.asked = EventsAsked::search;
  EventList list = list_of(world, services({kOne, kTwo}), template_of({"id"}), asked);
  ByteBuffer piece;
  list.write(piece, 1);
  CHECK(piece.bytes() == "S0:0");
  CHECK(list.total() == 300);
  SUBCASE("some are removed and replaced") {
    world.store->expire(kMidnight + 298 * 60);
    world.put(kTwo, {event(1, kMidnight + 60, 60), event(299, kMidnight + 299 * 60, 60)});
    CHECK(text(std::move(list)) == ", S0:298, S0:299");
  }
  SUBCASE("all are removed") {
    world.store->clear();
    CHECK(text(std::move(list)).empty());
  }
}

TEST_CASE("texts of services are escaped for the format of the template") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600)});
  const std::vector<std::string> names{"a<\"", "b"};
  std::vector<std::optional<DvbTriplet>> keys{kTwo, kOne};
  const auto list = std::make_shared<const ServiceList>(keys, names, 1);
  EventTemplate shown;
  shown.event = shown.missing = {{"", nullptr, 0}};
  CHECK(text(list_of(world, list, std::make_shared<EventTemplate>(shown), question(EventsAsked::now, kMidnight))) ==
        "a&lt;\"b");
  shown.escape = Escape::json;
  CHECK(text(list_of(world, list, std::make_shared<EventTemplate>(shown), question(EventsAsked::now, kMidnight))) ==
        "\"a<\\\"\"\"b\"");
}

TEST_CASE("a list finds all entries of a service, and entries without a guide match none") {
  std::vector<std::optional<DvbTriplet>> keys(20, kOne);
  for (std::size_t at = 0; at < keys.size(); at += 5) keys[at] = std::nullopt;
  keys[7] = kTwo;
  keys[12] = kTwo;
  const auto list = services(keys);
  std::vector<std::uint32_t> ones;
  for (std::uint32_t at = 0; at < keys.size(); ++at) {
    if (keys[at] == kOne) ones.push_back(at);
  }
  CHECK(std::ranges::equal(list->entries_of(kOne), ones));
  CHECK(std::ranges::equal(list->entries_of(kTwo), std::vector<std::uint32_t>{7, 12}));
  CHECK(list->entries_of({0, 0, 0}).empty());
  CHECK(list->entries_of({0xFFFF, 0xFFFF, 0xFFFF}).empty());
}

TEST_CASE("the date of a list changes at each local midnight") {
  World world;
  world.put(kOne, {event(1, kMidnight + 82799, 1), event(2, kMidnight + 82800, 1), event(3, kMidnight + 86400, 1),
                   event(4, kMidnight + 82800 + 86400, 1)});
  CHECK(text(list_of(world, services({kOne}), template_of({"date"}), question(EventsAsked::window, kMidnight),
                     {{0, 3600}})) == "S0:Mon 01.01.2024, S0:Tue 02.01.2024, S0:Tue 02.01.2024, S0:Wed 03.01.2024");
}

TEST_CASE("a search lists its hits once for every entry of their service") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600, "Ships"), event(2, kMidnight + kHour, 3600, "Other")});
  world.put(kTwo, {event(3, kMidnight - kHour, 3600, "More ships")});
  world.put(kThree, {event(4, kMidnight, 3600, "Ships of nobody")});
  const auto list = services({kOne, kTwo, kOne});
  EventQuestion asked;
  asked.asked = EventsAsked::search;
  asked.query.texts = {"ships"};
  asked.limit = 10;
  CHECK(text(list_of(world, list, template_of({"id"}), asked)) == "S1:3, S0:1, S2:1");
  asked.limit = 2;
  CHECK(text(list_of(world, list, template_of({"id"}), asked), 1) == "S1:3, S0:1");
  asked.skip = 1;
  CHECK(text(list_of(world, list, template_of({"id"}), asked)) == "S0:1, S2:1");
  asked.skip = 2;
  CHECK(text(list_of(world, list, template_of({"id"}), asked)) == "S2:1");
  asked.skip = 3;
  CHECK(text(list_of(world, list, template_of({"id"}), asked)).empty());
  asked.skip = 0;
  asked.query.texts = {"no such thing"};
  CHECK(text(list_of(world, list, template_of({"id"}), asked)).empty());
}

TEST_CASE(
    "the total of a search counts only events on services of the list, also when services are added and removed") {
  World world;
  const auto list = services({kTwo, kOne, kTwo});
  const auto total = [&](Query query) { return find_listed(world.store->read(), std::move(query), *list, 1).total; };
  const Query all;
  Query named;
  named.services = std::vector<DvbTriplet>{kThree, kOne};
  CHECK(total(all) == 0);
  world.put(kThree, {event(1, kMidnight, 3600)});
  CHECK(total(all) == 0);
  world.put(kOne, {event(1, kMidnight, 3600), event(2, kMidnight + kHour, 3600)});
  world.put(kTwo, {event(1, kMidnight, 3600)});
  CHECK(total(all) == 3);
  CHECK(total(named) == 2);
  world.store->clear();
  world.import = world.store->begin_import();
  world.put(kTwo, {event(1, kMidnight, 3600)});
  CHECK(total(all) == 1);
}
