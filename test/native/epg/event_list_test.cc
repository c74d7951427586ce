// Tests of event lists: queries, fields, pieces, joined service lists, searches.
#include "epg/event_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "epg/listed_search.h"
#include "epg/made_event.h"

using namespace receiverd;
using namespace receiverd::epg;

namespace {

constexpr ServiceKey kOne{1, 2, 3};
constexpr ServiceKey kTwo{1, 2, 4};
constexpr ServiceKey kThree{1, 2, 5};

struct World {
  std::shared_ptr<Store> store = std::make_shared<Store>();
  std::uint8_t import = store->begin_import();

  void put(const ServiceKey& service, const std::vector<Event>& events) {
    CHECK(store->import_events(service, events, EventIds::kept, import));
  }
};

std::shared_ptr<const ServiceList> services(std::vector<std::optional<ServiceKey>> keys) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.size(); ++i) names.push_back("S" + std::to_string(i));
  return std::make_shared<const ServiceList>(std::move(keys), names, 1);
}

/// A form that writes `name:field ...`; `name:-` for an unknown event.
std::shared_ptr<const EventForm> form(std::vector<EventField> fields, bool missing = false) {
  EventTemplate made;
  made.event.push_back({"", EventField::service_text, 0});
  for (const EventField field : fields) {
    made.event.push_back({made.event.size() == 1 ? ":" : " ", field});
  }
  if (missing) {
    made.missing.push_back({"", EventField::service_text, 0});
    made.missing.push_back({":-"});
  }
  made.genres[0x23] = "Show & <more>";
  return std::make_shared<const EventForm>(std::move(made));
}

EventListQuestion question(EventsAsked asked, wire::UnixSeconds from,
                           wire::UnixSeconds until = std::numeric_limits<wire::UnixSeconds>::max()) {
  EventListQuestion made;
  made.asked = asked;
  made.from = from;
  made.until = until;
  return made;
}

EventListWriter writer(const World& world, std::shared_ptr<const ServiceList> list,
                       std::shared_ptr<const EventForm> form, EventListQuestion asked,
                       std::vector<LocalTimes::Change> zone = {}) {
  EventListTimes times{kMidnight, std::make_shared<const LocalTimes>(std::move(zone))};
  return EventListWriter(world.store, std::move(list), std::move(form), std::move(asked), {"[", ", ", "]", "none"},
                         std::move(times));
}

/// The whole list, written in pieces.
std::string text(EventListWriter writer, std::size_t bytes = 1 << 20,
                 std::chrono::nanoseconds time = EventListWriter::kNoBound) {
  std::string all;
  while (!writer.ended()) {
    ByteBuffer piece;
    writer.write(piece, bytes, time);
    all += piece.bytes();
  }
  return all;
}

}  // namespace

TEST_CASE("a list of now, next or both has every service, even unknown ones") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600), event(2, kMidnight + kHour, 3600)});
  const auto list = services({kOne, std::nullopt, kTwo});
  const auto shown = form({EventField::id}, true);
  CHECK(text(writer(world, list, shown, question(EventsAsked::now, kMidnight))) == "[S0:1, S1:-, S2:-]");
  CHECK(text(writer(world, list, shown, question(EventsAsked::next, kMidnight))) == "[S0:2, S1:-, S2:-]");
  CHECK(text(writer(world, list, shown, question(EventsAsked::now_next, kMidnight))) ==
        "[S0:1, S0:2, S1:-, S1:-, S2:-, S2:-]");
}

TEST_CASE("without a form for them, unknown events are left out, and an empty list is replaced") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600)});
  const auto list = services({kTwo, kOne});
  CHECK(text(writer(world, list, form({EventField::id}), question(EventsAsked::now, kMidnight))) == "[S1:1]");
  CHECK(text(writer(world, list, form({EventField::id}), question(EventsAsked::next, kMidnight))) == "none");
  CHECK(text(writer(world, services({}), form({}), question(EventsAsked::window, 0))) == "none");
}

TEST_CASE("fields") {
  World world;
  Event one = event(7, kMidnight - kHour, 5400, "A & <B>");
  one.short_text = "short";
  one.extended_text = "long";
  one.genres = {{0x23, 0}, {0x10, 0}};
  world.put(kOne, {one, event(8, kMidnight + kHour, 59)});
  const auto ask = [&](EventField field, std::vector<LocalTimes::Change> zone = {}) {
    return text(
        writer(world, services({kOne}), form({field}), question(EventsAsked::window, kMidnight), std::move(zone)));
  };
  CHECK(ask(EventField::start) == "[S0:1704063600, S0:1704070800]");
  CHECK(ask(EventField::duration) == "[S0:5400, S0:59]");
  CHECK(ask(EventField::minutes) == "[S0:90, S0:0]");
  CHECK(ask(EventField::title) == "[S0:A &amp; &lt;B&gt;, S0:8]");
  CHECK(ask(EventField::short_text) == "[S0:short, S0:]");
  CHECK(ask(EventField::extended_text) == "[S0:long, S0:]");
  CHECK(ask(EventField::now) == "[S0:1704067200, S0:1704067200]");
  CHECK(ask(EventField::remaining) == "[S0:1800, S0:59]");
  CHECK(ask(EventField::genre) == "[S0:Show &amp; &lt;more&gt;, S0:]");
  CHECK(ask(EventField::genre_id) == "[S0:35, S0:0]");
  CHECK(ask(EventField::date) == "[S0:Sun 31.12.2023, S0:Mon 01.01.2024]");
  const std::vector<LocalTimes::Change> zone{{0, 3600}, {kMidnight + 1, -12600}};
  CHECK(ask(EventField::date, zone) == "[S0:Mon 01.01.2024, S0:Sun 31.12.2023]");
  CHECK(ask(EventField::begin, zone) == "[S0:00:00, S0:21:30]");
  CHECK(ask(EventField::end, zone) == "[S0:21:00, S0:21:30]");
}

TEST_CASE("a genre of group 0 does not count") {
  World world;
  Event one = event(1, kMidnight, 60);
  one.genres = {{0x03, 0}};
  world.put(kOne, {one});
  CHECK(text(writer(world, services({kOne}), form({EventField::genre, EventField::genre_id}),
                    question(EventsAsked::window, 0))) == "[S0: 0]");
}

TEST_CASE("a list is the same in pieces of any size, even if a service has more events than one lock covers") {
  World world;
  std::vector<Event> events;
  for (std::uint16_t i = 0; i < 1000; ++i) events.push_back(event(i, kMidnight + i * 60, 60));
  world.put(kOne, events);
  world.put(kTwo, {events.begin(), events.begin() + 300});
  const auto list = services({kOne, kTwo, kOne});
  const auto window = question(EventsAsked::window, kMidnight + 90, kMidnight + 900 * 60);
  const std::string whole = text(writer(world, list, form({EventField::id}), window));
  CHECK(whole.starts_with("[S0:1, S0:2, "));
  CHECK(whole.ends_with(", S2:898, S2:899]"));
  CHECK(text(writer(world, list, form({EventField::id}), window), 1) == whole);
  CHECK(text(writer(world, list, form({EventField::id}), window), 100) == whole);
  CHECK(text(writer(world, list, form({EventField::id}), window), 1 << 20, {}) == whole);
}

TEST_CASE("events that change while a list is written appear at most once") {
  World world;
  std::vector<Event> events;
  for (std::uint16_t i = 0; i < 600; ++i) events.push_back(event(i, kMidnight + i * 60, 60));
  world.put(kOne, events);
  EventListWriter list =
      writer(world, services({kOne, kTwo}), form({EventField::id}), question(EventsAsked::window, 0));
  ByteBuffer piece;
  list.write(piece, 1 << 20, {});
  const std::string first(piece.bytes());
  CHECK(first.ends_with(", S0:127"));
  world.store->expire(kMidnight + 300 * 60);
  world.put(kTwo, {event(1, kMidnight, 60)});
  const std::string rest = text(std::move(list));
  CHECK(rest.starts_with(", S0:300, S0:301"));
  CHECK(rest.ends_with(", S0:599, S1:1]"));
}

TEST_CASE("hits are in order, once for every entry of their service, without removed events") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600), event(2, kMidnight + kHour, 3600)});
  world.put(kTwo, {event(1, kMidnight, 3600)});
  EventListQuestion asked;
  asked.asked = EventsAsked::hits;
  const auto at = [](wire::UnixSeconds time) { return static_cast<std::uint32_t>(time); };
  asked.hits = {{kTwo, 1, at(kMidnight)},     {kOne, 2, at(kMidnight + kHour)},        {kOne, 9, at(kMidnight)},
                {kOne, 1, at(kMidnight + 1)}, {ServiceKey{9, 9, 9}, 1, at(kMidnight)}, {kOne, 1, at(kMidnight)}};
  const auto list = services({kOne, kTwo, kOne});
  CHECK(text(writer(world, list, form({EventField::id}), asked)) == "[S1:1, S0:2, S2:2, S0:1, S2:1]");
  CHECK(text(writer(world, list, form({EventField::id}), asked), 1) == "[S1:1, S0:2, S2:2, S0:1, S2:1]");
  asked.limit = 2;
  CHECK(text(writer(world, list, form({EventField::id}), asked)) == "[S1:1, S0:2]");
}

TEST_CASE("joined lists act as one list") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600)});
  world.put(kTwo, {event(2, kMidnight, 3600)});
  const std::vector<std::string> names{"a<", "b", "c&"};
  const ServiceKey all[] = {kTwo, kOne, kTwo};
  std::vector<std::shared_ptr<const ServiceList>> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<std::optional<ServiceKey>> key{all[i]};
    parts.push_back(std::make_shared<const ServiceList>(std::move(key), std::span{names}.subspan(i, 1), 1));
  }
  const auto joined = std::make_shared<const ServiceList>(parts);
  CHECK(joined->size() == 3);
  CHECK(std::ranges::equal(joined->entries_of(kTwo), std::vector<std::uint32_t>{0, 2}));
  CHECK(text(writer(world, joined, form({EventField::id}), question(EventsAsked::now, kMidnight))) ==
        "[a&lt;:2, b:1, c&amp;:2]");
}

TEST_CASE("a list finds all entries of a service, and entries without a guide match none") {
  std::vector<std::optional<ServiceKey>> keys(20, kOne);
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
  CHECK(text(writer(world, services({kOne}), form({EventField::date}), question(EventsAsked::window, kMidnight),
                    {{0, 3600}})) == "[S0:Mon 01.01.2024, S0:Tue 02.01.2024, S0:Tue 02.01.2024, S0:Wed 03.01.2024]");
}

TEST_CASE("a search lists its hits once for every entry of their service") {
  World world;
  world.put(kOne, {event(1, kMidnight, 3600, "Ships"), event(2, kMidnight + kHour, 3600, "Other")});
  world.put(kTwo, {event(3, kMidnight - kHour, 3600, "More ships")});
  world.put(kThree, {event(4, kMidnight, 3600, "Ships of nobody")});
  const auto list = services({kOne, kTwo, kOne});
  EventListQuestion asked;
  asked.asked = EventsAsked::search;
  asked.query.texts = {"ships"};
  asked.limit = 10;
  CHECK(text(writer(world, list, form({EventField::id}), asked)) == "[S1:3, S0:1, S2:1]");
  asked.limit = 2;
  CHECK(text(writer(world, list, form({EventField::id}), asked), 1) == "[S1:3, S0:1]");
  asked.query.texts = {"no such thing"};
  CHECK(text(writer(world, list, form({EventField::id}), asked)) == "none");
}

TEST_CASE("the total of a search counts only services of the list, as they come and go") {
  World world;
  const auto list = services({kTwo, kOne, kTwo});
  const auto total = [&](Query query) { return find_listed(*world.store, std::move(query), *list, 1).total; };
  const Query all;
  Query named;
  named.services = std::vector<ServiceKey>{kThree, kOne};
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
