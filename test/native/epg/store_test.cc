// Tests of the store: look-ups, versions, overlaps, present/following, limits, imports.
#include "epg/store/store.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <set>
#include <string>

#include "epg/made_event.h"

using namespace receiverd;
using namespace receiverd::epg;

namespace {

constexpr DvbTriplet kService{8916, 1101, 7};

/// A schedule section: segment `segment` of table 0x50 with all its events in one section.
EitSection schedule(std::vector<Event> events, std::uint8_t version = 1, std::uint8_t segment = 0) {
  EitSection section;
  section.service = kService;
  section.table_id = 0x50;
  section.version = version;
  section.section_number = section.segment_last_section_number = static_cast<std::uint8_t>(segment * 8);
  section.last_section_number = 31 * 8;
  section.events = std::move(events);
  return section;
}

EitSection present_following(std::uint8_t number, std::vector<Event> events, std::uint8_t version = 1) {
  EitSection section = schedule(std::move(events), version);
  section.table_id = 0x4E;
  section.section_number = number;
  section.last_section_number = section.segment_last_section_number = 1;
  return section;
}

/// The visible events of the service: "id@minutes since midnight+minutes" in order.
std::string shown(const Store& store) {
  const Store::Reader reader = store.read();
  std::string out;
  if (const Timeline* timeline = reader.find(kService)) {
    timeline->window(0, kMidnight * 2, [&](const EventRecord& e) {
      out += (out.empty() ? "" : " ") + std::to_string(e.id) + "@" + std::to_string((e.start - kMidnight) / 60) + "+" +
             std::to_string(e.duration / 60);
    });
  }
  return out;
}

const EventRecord* at(const Store& store, wire::UnixSeconds time, bool end_inclusive = false) {
  const Timeline* timeline = store.read().find(kService);
  return timeline != nullptr ? timeline->at(time, end_inclusive) : nullptr;
}

}  // namespace

TEST_CASE("look-ups by time at the start and end of events") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 1800), event(2, kMidnight + 1800, 1800), event(3, kMidnight + 7200, 600)}));
  CHECK(at(store, kMidnight - 1) == nullptr);
  CHECK(at(store, kMidnight)->id == 1);
  CHECK(at(store, kMidnight + 1799)->id == 1);
  CHECK(at(store, kMidnight + 1800)->id == 2);
  CHECK(at(store, kMidnight + 1800, true)->id == 2);  // the new event has begun
  CHECK(at(store, kMidnight + 3600) == nullptr);
  CHECK(at(store, kMidnight + 3600, true)->id == 2);  // its end second
  CHECK(at(store, kMidnight + 3601, true) == nullptr);
  // The last known event is found while it runs, though none begins after it.
  CHECK(at(store, kMidnight + 7300)->id == 3);

  const Store::Reader reader = store.read();
  const Timeline& timeline = *reader.find(kService);
  CHECK(timeline.before(kMidnight) == nullptr);
  CHECK(timeline.before(kMidnight + 1800)->id == 1);
  CHECK(timeline.before(kMidnight + 1801)->id == 2);
  CHECK(timeline.after(kMidnight - 1)->id == 1);
  CHECK(timeline.after(kMidnight)->id == 2);
  CHECK(timeline.after(kMidnight + 7200) == nullptr);
  CHECK(timeline[timeline.find(3)].start == kMidnight + 7200);
  CHECK(timeline.find(9) == Timeline::kNone);
  std::string window;
  timeline.window(kMidnight + 1900, kMidnight + 7200, [&](const EventRecord& e) { window += std::to_string(e.id); });
  CHECK(window == "2");
}

TEST_CASE("look-ups by time work for any number of events") {
  for (std::uint32_t count = 0; count < 70; ++count) {
    Store store;
    std::vector<Event> events;
    for (std::uint16_t id = 0; id < count; ++id) events.push_back(event(id, kMidnight + id * 600, 600));
    store.import_events(kService, events, EventIds::kept, store.begin_import());
    const Store::Reader reader = store.read();
    const Timeline* timeline = reader.find(kService);
    if (timeline == nullptr) continue;
    for (wire::UnixSeconds time = kMidnight - 300; time < kMidnight + (count + 2) * 600; time += 300) {
      const wire::UnixSeconds earlier = std::clamp<wire::UnixSeconds>((time - kMidnight + 599) / 600, 0, count);
      REQUIRE(timeline->lower_bound(time) == static_cast<std::size_t>(earlier));
    }
  }
}

TEST_CASE("an event of unknown duration runs until the next begins") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 0), event(2, kMidnight + 5400, 0)}));
  CHECK(at(store, kMidnight + 5399)->id == 1);
  CHECK(at(store, kMidnight + 5400)->id == 2);
  CHECK(at(store, kMidnight + 5400 + kAssumedDurationSeconds) == nullptr);
}

TEST_CASE("the same section again changes nothing") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 1800)}));
  const auto generation = store.generation();
  store.apply(schedule({event(1, kMidnight, 1800)}));
  CHECK(store.generation() == generation);
  CHECK(store.read().counters().replaced == 0);
  store.apply(schedule({event(1, kMidnight, 1800, "Other title")}));
  CHECK(store.generation() > generation);
  CHECK(store.read().events() == 1);
}

TEST_CASE("a new version moves, changes and removes events") {
  Store store;
  store.apply(
      schedule({event(1, kMidnight, 1800), event(2, kMidnight + 1800, 1800), event(3, kMidnight + 3600, 1800)}));
  store.apply(schedule({event(9, kMidnight + 3 * kHour, 1800)}, 1, 1));
  store.apply(schedule({event(1, kMidnight, 3600), event(3, kMidnight + 3600, 1800)}, 2));
  CHECK(shown(store) == "1@0+60 3@60+30 9@180+30");
  CHECK(store.read().counters().vanished + store.read().counters().overlapped == 1);
  // Vanished in a gap, where nothing overlaps it.
  store.apply(schedule({event(1, kMidnight, 3600)}, 3));
  CHECK(shown(store) == "1@0+60 9@180+30");
  // An empty segment, announced as such. The time it covers is known from another segment of the same version.
  store.apply(schedule({}, 4, 1));
  CHECK(shown(store) == "1@0+60 9@180+30");
  store.apply(schedule({event(1, kMidnight, 3600)}, 4, 0));
  CHECK(shown(store) == "1@0+60");
}

TEST_CASE("no event is removed before its segment is complete in the new version") {
  Store store;
  const auto part = [](std::uint8_t number, std::vector<Event> events, std::uint8_t version) {
    EitSection section = schedule(std::move(events), version);
    section.section_number = number;
    section.segment_last_section_number = 1;
    return section;
  };
  store.apply(part(0, {event(1, kMidnight, 600)}, 1));
  store.apply(part(1, {event(2, kMidnight + 3600, 600), event(3, kMidnight + 7200, 600)}, 1));
  store.apply(part(0, {event(1, kMidnight, 600)}, 2));
  CHECK(shown(store) == "1@0+10 2@60+10 3@120+10");
  store.apply(part(1, {event(3, kMidnight + 7200, 600)}, 2));
  CHECK(shown(store) == "1@0+10 3@120+10");
}

TEST_CASE("ended events that a broadcaster no longer sends are kept") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 1800), event(2, kMidnight + 2 * kHour, 2 * kHour)}));
  store.apply(schedule({event(3, kMidnight + 4 * kHour, kHour), event(4, kMidnight + 5 * kHour, kHour)}, 1, 1));
  // At half past three: event 2 still runs, but its segment is over.
  store.apply(schedule({event(3, kMidnight + 4 * kHour, kHour)}, 2, 1));
  store.apply(schedule({}, 2, 0));
  CHECK(shown(store) == "1@0+30 2@120+120 3@240+60");
}

TEST_CASE("midnight: the segments of the new day do not remove the events of the old one") {
  Store store;
  constexpr wire::UnixSeconds kDay = 86400;
  store.apply(schedule({event(8, kMidnight + kDay, 1800)}, 1, 8));
  store.apply(schedule({event(9, kMidnight + kDay + 3 * kHour, 1800)}, 1, 9));
  // Table 0x50 now begins a day later. The former segment 8 has not yet been sent as segment 0.
  store.apply(schedule({event(20, kMidnight + 2 * kDay, 1800)}, 2, 8));
  store.apply(schedule({event(21, kMidnight + 2 * kDay + 3 * kHour, 1800)}, 2, 9));
  CHECK(shown(store) == "8@1440+30 9@1620+30 20@2880+30 21@3060+30");
}

TEST_CASE("a newer schedule wins over events it overlaps, events of one run stay together") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 3600), event(2, kMidnight + 3600, 3600)}));
  store.apply(schedule({event(5, kMidnight + 1800, 3600)}, 2));
  CHECK(shown(store) == "5@30+60");
  CHECK(store.read().counters().overlapped == 2);
  store.apply(schedule({event(6, kMidnight + 1800, 3600), event(7, kMidnight + 3600, 3600)}, 3));
  CHECK(shown(store) == "6@30+60 7@60+60");
  CHECK(at(store, kMidnight + 3600)->id == 7);
  // An overlap of less than a minute is rounding.
  Store rounding;
  rounding.apply(schedule({event(1, kMidnight, 3600)}));
  rounding.apply(schedule({event(2, kMidnight + 3550, 600)}, 1, 8));
  CHECK(rounding.read().events() == 2);
}

TEST_CASE("present/following wins over the schedule, as long as it is announced") {
  Store store;
  Event long_text = event(1, kMidnight, 1800);
  long_text.extended_text = "The long text";
  store.apply(schedule({long_text, event(2, kMidnight + 1800, 1800), event(3, kMidnight + 3600, 1800)}));
  Event running = event(1, kMidnight, 2700);  // overruns
  running.running_status = 4;
  store.apply(present_following(0, {running}));
  store.apply(present_following(1, {event(2, kMidnight + 2700, 1800)}));
  // Event 3 now begins inside event 2: hidden.
  CHECK(shown(store) == "1@0+45 2@45+30");
  {
    const Store::Reader reader = store.read();
    const EventRecord& now = *reader.find(kService)->at(kMidnight);
    CHECK(now.running_status == 4);
    CHECK(reader.view(now).extended_text == "The long text");
  }
  // The schedule is repeated unchanged: present/following still takes precedence.
  store.apply(schedule({long_text, event(2, kMidnight + 1800, 1800), event(3, kMidnight + 3600, 1800)}));
  CHECK(shown(store) == "1@0+45 2@45+30");
  // An updated schedule makes room.
  store.apply(schedule({long_text, event(2, kMidnight + 2700, 1800), event(3, kMidnight + 4500, 1800)}, 2));
  CHECK(shown(store) == "1@0+45 2@45+30 3@75+30");
  // The next event begins: the old one is history and no longer running.
  Event second = event(2, kMidnight + 2700, 1800);
  second.running_status = 4;
  store.apply(present_following(0, {second}, 2));
  CHECK(shown(store) == "1@0+45 2@45+30 3@75+30");
  CHECK(at(store, kMidnight)->running_status == 0);
  CHECK(at(store, kMidnight + 2700)->running_status == 4);
}

TEST_CASE("a replaced following event is removed, whichever section comes first") {
  for (const bool following_first : {false, true}) {
    Store store;
    store.apply(present_following(0, {event(1, kMidnight, 3600)}));
    store.apply(present_following(1, {event(2, kMidnight + 3600, 3600)}));
    store.apply(present_following(1, {event(3, kMidnight + 3600, 1800)}, 2));
    CHECK(shown(store) == "1@0+60 3@60+30");
    const EitSection present = present_following(0, {event(3, kMidnight + 3600, 1800)}, 3);
    const EitSection following = present_following(1, {event(4, kMidnight + 5400, 1800)}, 3);
    store.apply(following_first ? following : present);
    store.apply(following_first ? present : following);
    CHECK(shown(store) == "1@0+60 3@60+30 4@90+30");
  }
}

TEST_CASE("a present event with a new event_id replaces the previous one") {
  const std::vector<Event> old = {event(100, kMidnight - kHour, kHour, "News"),
                                  event(101, kMidnight, 2 * kHour, "Cricket"),
                                  event(102, kMidnight + 2 * kHour, kHour, "Home")};
  const Event overruns = event(301, kMidnight, 2 * kHour + 1200, "Cricket");
  const Event later = event(302, kMidnight + 2 * kHour + 1200, kHour, "Home");
  for (const bool scheduled : {true, false}) {
    for (const bool gap : {true, false}) {
      for (const bool following_first : {true, false}) {
        Store store;
        if (scheduled) store.apply(schedule({old[1], old[2]}));
        store.apply(present_following(0, {old[1]}));
        store.apply(present_following(1, {old[2]}));
        CHECK(shown(store) == "101@0+120 102@120+60");
        if (gap) store.apply(present_following(0, {}, 2));
        const EitSection present = present_following(0, {overruns}, 3);
        const EitSection following = present_following(1, {later}, 3);
        store.apply(following_first ? following : present);
        store.apply(following_first ? present : following);
        CHECK(shown(store) == "301@0+140 302@140+60");
        // Receiving the old schedule again does not bring it back.
        if (scheduled) store.apply(schedule({old[1], old[2]}));
        CHECK(shown(store) == "301@0+140 302@140+60");
        store.apply(schedule({overruns, later}, 2));
        CHECK(shown(store) == "301@0+140 302@140+60");
        CHECK(store.read().events() == 2);
      }
    }
  }
}

TEST_CASE("a former present event stays as history, unless the new one is the same show") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 3600, "Film"), event(2, kMidnight + 3600, 3600, "Quiz")}));
  store.apply(present_following(0, {event(1, kMidnight, 3600, "Film")}));
  SUBCASE("another event that begins before the planned end") {
    store.apply(present_following(0, {event(2, kMidnight + 3000, 3600, "Quiz")}, 2));
    CHECK(shown(store) == "1@0+60 2@50+60");
  }
  SUBCASE("the same event, which began later") {
    store.apply(present_following(0, {event(9, kMidnight + 600, 3600, "Film")}, 2));
    CHECK(shown(store) == "9@10+60");
  }
  SUBCASE("a complete schedule without it") {
    store.apply(present_following(0, {event(2, kMidnight + 3600, 3600, "Quiz")}, 2));
    CHECK(shown(store) == "1@0+60 2@60+60");
    store.apply(schedule({event(5, kMidnight, 1800, "News"), event(2, kMidnight + 3600, 3600, "Quiz")}, 2));
    CHECK(shown(store) == "5@0+30 2@60+60");
  }
}

namespace {

constexpr wire::UnixSeconds kNine = kMidnight + 21 * kHour;
constexpr wire::UnixSeconds kTen = kNine + kHour;

/// The event on at `time`, the current time, and the next event, by event_id; 0 = none. Then the list from `time` on.
std::string on(const Store& store, wire::UnixSeconds time) {
  const Store::Reader reader = store.read();
  const Timeline& timeline = *reader.find(kService);
  timeline.date_received(time);
  const auto id = [](const EventRecord* event) { return std::to_string(event != nullptr ? event->id : 0); };
  std::string out = id(timeline.at(time)) + "," + id(timeline.after(time)) + ":";
  timeline.window(time, time + 24 * kHour, [&](const EventRecord& event) { out += ' ' + std::to_string(event.id); });
  return out;
}

Event with_status(Event event, std::uint8_t running_status) {
  event.running_status = running_status;
  return event;
}

const Event kGala = epg::event(10, kNine, kHour, "Gala");
const Event kWeather = epg::event(11, kTen, 1800, "Weather");
const Event kFilm = epg::event(12, kTen + 1800, kHour, "Film");

}  // namespace

TEST_CASE("the present event is on until present/following moves on, and the following event follows it") {
  Store store;
  store.apply(schedule({kGala, kWeather, kFilm}, 1, 7));
  store.apply(present_following(0, {with_status(kGala, 4)}));
  SUBCASE("in its own time") {
    store.apply(present_following(1, {kWeather}));
    CHECK(on(store, kNine + 1800) == "10,11: 10 11 12");
  }
  SUBCASE("past its end, and past that of the following event") {
    store.apply(present_following(1, {kWeather}));
    CHECK(on(store, kTen + 600) == "10,11: 10 11 12");
    store.read().find(kService)->received();
    CHECK(on(store, kTen + 2400) == "10,11: 10 11 12");
    // before(): Gala has begun, Weather has not.
    CHECK(store.read().find(kService)->before(kTen + 2400)->id == 10);
    store.apply(present_following(0, {with_status(kWeather, 4)}, 2));
    store.apply(present_following(1, {kFilm}, 2));
    CHECK(on(store, kTen + 2460) == "11,12: 11 12");
  }
  SUBCASE("without a following event") {
    store.apply(present_following(1, {}));
    CHECK(on(store, kTen + 600) == "10,11: 10 11 12");
  }
  SUBCASE("before its start") {
    store.apply(present_following(0, {with_status(kWeather, 4)}, 2));
    store.apply(present_following(1, {kFilm}, 2));
    CHECK(on(store, kTen - 120) == "11,12: 11 12");
  }
  SUBCASE("while the present section is empty") {
    const std::uint64_t generation = store.generation();
    store.apply(present_following(0, {}, 2));
    CHECK(store.generation() > generation);
    store.apply(present_following(1, {kWeather}, 2));
    CHECK(on(store, kNine + 1800) == "0,11: 11 12");
    store.read().find(kService)->received();
    CHECK(on(store, kTen + 600) == "0,11: 11 12");
  }
}

TEST_CASE("the schedule leads unless present/following is received and plausible") {
  Store store;
  store.apply(schedule({kGala, kWeather, kFilm}, 1, 7));
  SUBCASE("received a minute ago, or longer") {
    store.apply(present_following(0, {with_status(kGala, 4)}));
    CHECK(on(store, kTen) == "10,11: 10 11 12");
    CHECK(on(store, kTen + kPresentValiditySeconds) == "10,11: 10 11 12");
    CHECK(on(store, kTen + kPresentValiditySeconds + 1) == "11,12: 11 12");
    store.read().find(kService)->received();
    CHECK(on(store, kTen + 600) == "10,11: 10 11 12");
  }
  SUBCASE("an empty present section received long ago") {
    store.apply(present_following(0, {}));
    CHECK(on(store, kTen + 30) == "0,12: 12");
    CHECK(on(store, kTen + 600) == "11,12: 11 12");
  }
  SUBCASE("queries for another time") {
    store.apply(present_following(0, {with_status(kGala, 4)}));
    CHECK(on(store, kTen + 600) == "10,11: 10 11 12");
    const Store::Reader reader = store.read();
    CHECK(reader.find(kService)->at(kTen + 1900)->id == 12);
    CHECK(reader.find(kService)->at(kNine - 1) == nullptr);
  }
  SUBCASE("not running, or the service is off-air") {
    for (const std::uint8_t status : {std::uint8_t{1}, std::uint8_t{5}}) {
      store.apply(present_following(0, {with_status(kGala, status)}, status));
      CHECK(on(store, kTen + 600) == "11,12: 11 12");
    }
  }
  SUBCASE("a present section that is stuck") {
    store.apply(present_following(0, {with_status(kGala, 4)}));
    CHECK(on(store, kTen + kMaxOverrunSeconds - 1).starts_with("10,"));
    store.read().find(kService)->received();
    CHECK(on(store, kTen + kMaxOverrunSeconds) == "0,0:");
  }
  SUBCASE("only the following section received") {
    store.apply(present_following(1, {kWeather}));
    CHECK(on(store, kTen + 600) == "11,12: 11 12");
  }
}

TEST_CASE("the present and the following event do not expire while they may be on") {
  Store store;
  store.apply(schedule({kGala, kWeather, kFilm}, 1, 7));
  store.apply(present_following(0, {with_status(kGala, 4)}));
  store.apply(present_following(1, {kWeather}));
  CHECK(store.expire(kTen + 2400) == 0);
  CHECK(on(store, kTen + 2400) == "10,11: 10 11 12");
  // A tuner returns to the multiplex, which still sends the same sections.
  CHECK(store.expire(kTen + 2400 + kPresentValiditySeconds + 1) == 0);
  CHECK(on(store, kTen + 2400 + kPresentValiditySeconds + 1) == "12,0: 12");
  store.read().find(kService)->received();
  CHECK(on(store, kTen + 4000) == "10,11: 10 11 12");
  CHECK(store.expire(kTen + kMaxOverrunSeconds) == 2);
  // Its slots now belong to other events.
  store.apply(schedule({event(20, kTen + 5 * kHour, kHour), event(21, kTen + 6 * kHour, kHour)}, 1, 8));
  store.read().find(kService)->received();
  CHECK(on(store, kTen + kMaxOverrunSeconds + 100) == "0,20: 20 21");
}

TEST_CASE("services share texts, expiry frees them") {
  Store store;
  for (std::uint16_t service = 1; service <= 100; ++service) {
    EitSection section =
        schedule({event(1, kMidnight, 1800, "Shared title"), event(2, kMidnight + 7200, 1800, "Later")});
    section.service.service_id = service;
    store.apply(section);
  }
  CHECK(store.read().events() == 200);
  CHECK(store.read().programmes().distinct_texts() == 2);
  CHECK(store.expire(kMidnight + 1799) == 0);
  CHECK(store.expire(kMidnight + 1800) == 100);
  CHECK(store.read().programmes().distinct_texts() == 1);
  CHECK(store.expire(kMidnight + 9000) == 100);
  CHECK(store.read().programmes().distinct_texts() == 0);
  CHECK(store.read().services() == 0);
}

TEST_CASE("an event is found by its id in any order of ids") {
  constexpr int kEvents = 40;
  const auto rising = [](int number) { return 100 + number; };
  const auto falling = [](int number) { return 100 - number; };
  const auto wrapping = [](int number) { return 65520 + number; };
  const auto mixed = [](int number) { return number * 7919; };
  const auto one_odd = [](int number) { return number == 20 ? 5000 : number; };
  using IdOf = int (*)(int);
  for (const IdOf id_of : std::initializer_list<IdOf>{rising, falling, wrapping, mixed, one_odd}) {
    Store store;
    const std::uint8_t import = store.begin_import();
    const auto put = [&](int number, int minutes) {
      const std::vector<Event> one{
          event(static_cast<std::uint16_t>(id_of(number)), kMidnight + number * 1800 + minutes * 60, 1800)};
      store.import_events(kService, one, EventIds::kept, import);
    };
    // Each once, then each again a minute later, in another order than by time: 7 and 40 have no common factor.
    for (const int minutes : {0, 1}) {
      for (int i = 0; i < kEvents; ++i) put(i * 7 % kEvents, minutes);
    }
    {
      const Store::Reader reader = store.read();
      CHECK(reader.events() == kEvents);
      CHECK(reader.counters().replaced == kEvents);
      const Timeline& timeline = *reader.find(kService);
      for (int number = 0; number < kEvents; ++number) {
        CHECK(timeline.find(static_cast<std::uint16_t>(id_of(number))) == static_cast<std::size_t>(number));
      }
      CHECK(timeline.find(40000) == Timeline::kNone);
    }
    store.expire(kMidnight + 30 * 1800);
    put(kEvents, 1);
    const Store::Reader reader = store.read();
    const Timeline& timeline = *reader.find(kService);
    for (std::size_t index = 0; index < timeline.size(); ++index) CHECK(timeline.find(timeline[index].id) == index);
  }
}

TEST_CASE("events that no longer overlap present/following reappear, events that start to overlap it are hidden") {
  Store store;
  store.apply(present_following(0, {event(1, kMidnight + kHour, 3600)}));
  store.apply(schedule({event(2, kMidnight + kHour + 600, 1200), event(3, kMidnight + 2 * kHour, 1800)}));
  CHECK(shown(store) == "1@60+60 3@120+30");
  store.apply(schedule({event(2, kMidnight + 3 * kHour, 1200), event(3, kMidnight + 2 * kHour, 1800)}, 2));
  CHECK(shown(store) == "1@60+60 3@120+30 2@180+20");
  store.apply(schedule({event(2, kMidnight + 3 * kHour, 1200), event(3, kMidnight + kHour + 1800, 3600)}, 3));
  CHECK(shown(store) == "1@60+60 2@180+20");
  store.apply(present_following(0, {event(1, kMidnight + kHour, 1800)}, 2));
  CHECK(shown(store) == "1@60+30 3@90+60 2@180+20");
}

TEST_CASE("memory does not grow over a month of rolling guide") {
  Store store;
  std::size_t after_first_week = 0;
  for (int day = 0; day < 30; ++day) {
    for (std::uint16_t service = 1; service <= 20; ++service) {
      for (int segment = 0; segment < 8; ++segment) {
        std::vector<Event> events;
        for (int i = 0; i < 6; ++i) {
          const int number = (day * 8 + segment) * 6 + i;
          events.push_back(event(static_cast<std::uint16_t>(number), kMidnight + number * 1800, 1800,
                                 "A title that is new " + std::to_string(number * 1000 + service)));
        }
        EitSection section =
            schedule(std::move(events), static_cast<std::uint8_t>(day % 32), static_cast<std::uint8_t>(segment));
        section.service.service_id = service;
        store.apply(section);
      }
    }
    store.expire(kMidnight + day * 86400);
    if (day == 6) after_first_week = store.read().memory_bytes();
  }
  CHECK(store.read().memory_bytes() <= after_first_week + after_first_week / 4);
}

TEST_CASE("limits: the events furthest in the future are removed, further services and texts are refused") {
  Store events({.max_events = 3});
  CHECK(events.apply(
      schedule({event(1, kMidnight, 60), event(2, kMidnight + kHour, 60), event(3, kMidnight + 2 * kHour, 60)})));
  CHECK_FALSE(events.apply(schedule({event(4, kMidnight + 3 * kHour, 60)}, 1, 1)));
  CHECK(shown(events) == "1@0+1 2@60+1 3@120+1");
  CHECK(events.apply(schedule({event(5, kMidnight + 600, 60)}, 1, 2)));
  CHECK(shown(events) == "1@0+1 5@10+1 2@60+1");
  CHECK(events.read().counters().refused == 2);

  Store services({.max_services = 1});
  CHECK(services.apply(schedule({event(1, kMidnight, 60)})));
  EitSection other = schedule({event(1, kMidnight, 60)});
  other.service.service_id = 8;
  CHECK_FALSE(services.apply(other));

  Store texts({.max_text_bytes = 100});
  CHECK(texts.apply(schedule({event(1, kMidnight, 60, std::string(90, 'a'))})));
  CHECK_FALSE(texts.apply(schedule({event(2, kMidnight + kHour, 60, std::string(90, 'b'))}, 1, 1)));
}

TEST_CASE("clear removes everything") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 60)}));
  CHECK(store.clear() == 1);
  CHECK(store.read().events() == 0);
  CHECK(store.read().programmes().distinct_texts() == 0);
}

TEST_CASE("an import has the ids of its file, or ids derived from the start") {
  Store store;
  const std::vector<Event> file{event(7, kMidnight, 3600), event(7, kMidnight + kHour, 1800)};
  CHECK(store.import_events(kService, {file.data(), 1}, EventIds::kept, store.begin_import()));
  CHECK(shown(store) == "7@0+60");

  store.clear();
  CHECK(store.import_events(kService, file, EventIds::assigned, store.begin_import()));
  const auto first = static_cast<std::uint16_t>(kMidnight / 60);
  CHECK(shown(store) ==
        std::to_string(first) + "@0+60 " + std::to_string(static_cast<std::uint16_t>(first + 60)) + "@60+30");
  const std::string once = shown(store);
  CHECK(store.import_events(kService, file, EventIds::assigned, store.begin_import()));
  CHECK(shown(store) == once);
}

TEST_CASE("each imported event has a unique id, even if many begin in one minute") {
  constexpr std::size_t kEvents = 3000;
  Store store;
  const auto put = [&](wire::UnixSeconds shift) {
    std::vector<Event> file;
    for (std::size_t n = 0; n < kEvents; ++n) {
      file.push_back(event(0, kMidnight + static_cast<wire::UnixSeconds>(n) * 60 + shift, 60));
    }
    CHECK(store.import_events(kService, file, EventIds::assigned, store.begin_import()));
  };
  put(0);
  put(30);  // Neighbours overlap by less than what counts as a contradiction: all stay.
  put(30);
  const Store::Reader reader = store.read();
  std::set<std::uint16_t> ids;
  const Timeline& timeline = *reader.find(kService);
  for (std::size_t index = 0; index < timeline.size(); ++index) ids.insert(timeline[index].id);
  CHECK(timeline.size() == 2 * kEvents);
  CHECK(ids.size() == timeline.size());
}

TEST_CASE("a schedule has no event where one of a higher rank has one") {
  Store store;
  const auto import = [&](int rank, const std::vector<Event>& events) {
    CHECK(store.import_events(kService, events, EventIds::kept, store.begin_import(), rank));
  };
  store.apply(schedule({event(1, kMidnight, 3600), event(2, kMidnight + kHour, 3600)}));
  import(-1, {event(9, kMidnight + 1800, 1800), event(10, kMidnight + 2 * kHour, 1800)});
  CHECK(shown(store) == "1@0+60 2@60+60 10@120+30");
  import(1, {event(20, kMidnight, 1800), event(2, kMidnight + 2 * kHour, 1800)});
  CHECK(shown(store) == "20@0+30 2@120+30");
  // The id of the second event, the time of the first, and a gap.
  store.apply(schedule(
      {event(2, kMidnight + kHour, 1800), event(3, kMidnight + 600, 600), event(4, kMidnight + 3 * kHour, 600)}, 1));
  import(0, {event(30, kMidnight + 900, 3600), event(31, kMidnight + 3 * kHour, 1200)});
  CHECK(shown(store) == "20@0+30 2@120+30 31@180+20");
  // Of two imports of one rank the later one wins, and so does a higher rank.
  import(1, {event(21, kMidnight, 1200)});
  CHECK(shown(store) == "21@0+20 2@120+30 31@180+20");
  import(2, {event(22, kMidnight + 600, 1200)});
  import(1, {event(23, kMidnight + 300, 1800), event(24, kMidnight + kHour, 600)});
  CHECK(shown(store) == "22@10+20 24@60+10 2@120+30 31@180+20");
  // What is on the air comes before all.
  store.apply(present_following(0, {event(3, kMidnight + 600, 3000)}));
  CHECK(shown(store) == "3@10+50 24@60+10 2@120+30 31@180+20");
}

TEST_CASE("a later import replaces events it overlaps, whatever their origin; present/following stays") {
  Store store;
  store.apply(schedule({event(1, kMidnight, 3600), event(2, kMidnight + kHour, 3600)}));
  const std::vector<Event> file{event(9, kMidnight + 1800, 3600)};
  CHECK(store.import_events(kService, file, EventIds::kept, store.begin_import()));
  CHECK(shown(store) == "9@30+60");
  const std::vector<Event> newer{event(8, kMidnight, 3600), event(10, kMidnight + kHour, 3600)};
  CHECK(store.import_events(kService, newer, EventIds::kept, store.begin_import()));
  CHECK(shown(store) == "8@0+60 10@60+60");
  store.apply(present_following(0, {event(3, kMidnight + 600, 3000)}));
  CHECK(shown(store) == "3@10+50 10@60+60");
}
