// Tests of the ingest: repeated, changed and malformed sections, a full queue, threads.
#include "epg/ingest/ingest.h"

#include <doctest/doctest.h>

#include <thread>

#include "epg/section_builder.h"

using namespace receiverd;
using namespace receiverd::epg;

TEST_CASE("sections are ingested once, changed sections again, malformed sections never" *
          doctest::test_suite("threads")) {
  Ingest ingest(std::make_shared<Store>());
  const auto first = eit_section(0x50, {{.id = 1, .descriptors = short_event("eng", "One")}});
  const auto changed = eit_section(0x50, {{.id = 1, .descriptors = short_event("eng", "Two")}}, 7, 2);
  for (int round = 0; round < 3; ++round) ingest.eit_section(first);
  ingest.eit_section(changed);
  ingest.eit_section(wire::Bytes(first).first(10));
  auto broken = first;
  broken[20] ^= 1;
  ingest.unchecked_section(broken);
  ingest.flush();
  const IngestCounters counters = ingest.counters();
  CHECK(counters.received == 6);
  CHECK(counters.repeated == 2);
  CHECK(counters.malformed == 2);
  CHECK(counters.applied == 2);
  CHECK(ingest.decoder_counters().events == 2);
  const Store::Reader reader = ingest.store()->read();
  CHECK(reader.view((*reader.find({8916, 1101, 7}))[0]).title == "Two");
}

TEST_CASE("present/following leads as long as the present section is repeated" * doctest::test_suite("threads")) {
  Ingest ingest(std::make_shared<Store>());
  const auto present = eit_section(0x4E, {{.id = 1, .descriptors = short_event("eng", "Gala")}});
  ingest.eit_section(present);
  ingest.flush();
  const Store::Reader reader = ingest.store()->read();
  const Timeline& timeline = *reader.find({8916, 1101, 7});
  const wire::UnixSeconds end = timeline[0].end();
  timeline.date_received(end);
  CHECK(timeline.at(end + 60)->id == 1);
  CHECK(timeline.at(end + 600) == nullptr);
  ingest.eit_section(present);
  timeline.date_received(end + 600);
  CHECK(timeline.at(end + 600)->id == 1);
  // Other sections do not count as received present sections.
  for (const auto& other : {eit_section(0x4E, {}, 7, 1, 1, 1), eit_section(0x50, {{.id = 1}})}) {
    for (int round = 0; round < 2; ++round) ingest.eit_section(other);
  }
  timeline.date_received(end + 1200);
  CHECK(timeline.at(end + 1200) == nullptr);
}

TEST_CASE("when the queue is full, sections are dropped, and accepted when they are repeated" *
          doctest::test_suite("threads")) {
  auto store = std::make_shared<Store>();
  Ingest ingest(store, {}, 400);
  constexpr std::uint16_t kServices = 500;
  const auto round = [&] {
    for (std::uint16_t service = 1; service <= kServices; ++service) {
      ingest.eit_section(eit_section(0x50, {{.id = 1, .descriptors = short_event("eng", "One")}}, service));
    }
    ingest.flush();
  };
  for (int rounds = 0; store->read().services() < kServices; ++rounds) {
    REQUIRE(rounds < kServices);
    round();
  }
  CHECK(ingest.counters().applied == kServices);
}

TEST_CASE("events refused because of a limit are accepted after expiry" * doctest::test_suite("threads")) {
  auto store = std::make_shared<Store>(StoreLimits{.max_events = 1});
  Ingest ingest(store);
  const auto today = eit_section(0x50, {{.id = 1}});
  const auto tomorrow = eit_section(0x50, {{.id = 2, .start = 0xEB97120000}}, 7, 1, 64, 64);
  for (const auto& section : {today, tomorrow}) ingest.eit_section(section);
  ingest.flush();
  CHECK(store->read().events() == 1);
  CHECK(ingest.expire(1704110400 + 3600) == 1);
  for (const auto& section : {tomorrow}) ingest.eit_section(section);
  ingest.flush();
  CHECK((*store->read().find({8916, 1101, 7}))[0].id == 2);
  CHECK(ingest.clear() == 1);
  ingest.eit_section(tomorrow);
  ingest.flush();
  CHECK(store->read().events() == 1);
}

TEST_CASE("tuners feed, clients read and events expire at the same time" * doctest::test_suite("threads")) {
  auto store = std::make_shared<Store>();
  Ingest ingest(store);
  const auto feed = [&](std::uint16_t base) {
    for (int round = 0; round < 20; ++round) {
      for (std::uint16_t service = 0; service < 40; ++service) {
        const auto title = "Event " + std::to_string(round % 7);
        ingest.eit_section(eit_section(0x50, {{.id = 1, .descriptors = short_event("eng", title)}},
                                       static_cast<std::uint16_t>(base + service), static_cast<std::uint8_t>(round)));
      }
    }
  };
  std::thread one(feed, std::uint16_t{100});
  std::thread two(feed, std::uint16_t{120});
  std::thread reader([&] {
    for (int i = 0; i < 200; ++i) {
      const Store::Reader view = store->read();
      view.each_service([&](const DvbTriplet&, const Timeline& timeline) {
        for (std::size_t i = 0; i < timeline.size(); ++i) CHECK(view.view(timeline[i]).title.starts_with("Event"));
      });
    }
  });
  for (int i = 0; i < 20; ++i) ingest.expire(i % 2 == 0 ? 0 : 1704110400);
  one.join();
  two.join();
  reader.join();
  ingest.flush();
  CHECK(store->read().services() == 60);
}
