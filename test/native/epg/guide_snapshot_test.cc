// Tests of the guide's snapshot: saving, loading, damaged and forged files, a file that vanishes.
#include "epg/files/guide_snapshot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "epg/reseal.h"
#include "epg/search/search.h"
#include "epg/store/event_json.h"
#include "temporary_folder.h"

using receiverd::TemporaryFolder;
using namespace receiverd;
using namespace receiverd::epg;
namespace fs = std::filesystem;

namespace {

constexpr wire::UnixSeconds kFirstDay = 1'800'057'600;

/// A small guide with everything that occurs: programmes of one event and of hundreds, texts shared and alone, with and
/// without language, ratings and CRIDs, enough long text for a table of symbols.
class Sender {
 public:
  explicit Sender(std::uint32_t seed) : random_(seed) {}

  Event event(std::uint16_t id, wire::UnixSeconds start) {
    Event made;
    made.id = id;
    made.start = start;
    made.duration = static_cast<std::uint32_t>(300 + random_() % 7200);
    const unsigned kind = random_() % 10;
    made.title = kind < 3 ? "News" : "Title " + words(1 + random_() % 3);
    if (kind > 4) made.short_text = "Episode " + std::to_string(random_() % 50);
    if (kind > 1) made.extended_text = words(random_() % 60);
    if (kind > 2) made.language = 'e' << 16 | 'n' << 8 | 'g';
    if (kind > 6) made.genres = {{static_cast<std::uint8_t>(random_()), 0}};
    if (kind > 7) made.crids = {{2, "crid://series/" + std::to_string(random_() % 40)}};
    return made;
  }

  EitSection section(std::uint16_t service, unsigned day, std::uint8_t version) {
    EitSection made;
    made.service = {1, 2, service};
    made.table_id = 0x50;
    made.version = version;
    made.section_number = made.segment_last_section_number = static_cast<std::uint8_t>(day * 8);
    made.last_section_number = 31 * 8;
    for (unsigned i = 0; i < 6; ++i) {
      made.events.add() =
          event(static_cast<std::uint16_t>(day * 6 + i + 1), kFirstDay + day * SubTable::kSegmentSeconds + i * 1800);
    }
    return made;
  }

  std::string words(unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      text += (i == 0 ? "" : " ") + std::string(kVocabulary[random_() % std::size(kVocabulary)]);
      if (random_() % 4 == 0) text += std::to_string(random_() % 3000);
    }
    return text;
  }

 private:
  static constexpr const char* kVocabulary[] = {"ships",  "harbours", "Москва", "Ärger", "the",   "of",   "weather",
                                                "murder", "football", "Ἀθήνα",  "gold",  "river", "東京", "quiz"};
  std::mt19937 random_;
};

void fill(Store& store, Sender& sender, unsigned services, unsigned days, std::uint8_t version = 1) {
  for (std::uint16_t service = 1; service <= services; ++service) {
    for (unsigned day = 0; day < days; ++day) REQUIRE(store.apply(sender.section(service, day, version)));
    EitSection now = sender.section(service, 0, version);
    now.table_id = 0x4E;
    now.section_number = 0;
    now.segment_last_section_number = now.last_section_number = 1;
    while (now.events.size() > 1) now.events.pop_back();
    now.events[0].running_status = 4;
    store.apply(now);
  }
}

/// Every event with all its details, and the results of some searches.
std::string all_of(const Store& store) {
  std::string all;
  {
    const Store::Reader reader = store.read();
    reader.each_service([&](const DvbTriplet&, const Timeline& timeline) {
      for (std::size_t i = 0; i < timeline.size(); ++i) {
        wire::JsonWriter json;
        write_event(json, reader.view(timeline[i]));
        all += json.take() + (timeline[i].shadowed != 0 ? "hidden\n" : "\n");
      }
    });
    all += std::to_string(reader.events()) + " events\n";
  }
  for (const char* wanted : {"", "new", "ships", "e", "москва", "quiz 1", "episode 4", "nowhere"}) {
    for (const TextMatch match : {TextMatch::contains, TextMatch::words, TextMatch::exact, TextMatch::prefix}) {
      Query query;
      if (*wanted != 0) query.texts = {wanted};
      query.match = match;
      query.within = scope::kTitle | scope::kShort | scope::kLong;
      query.order = EventOrder::relevance;
      query.limit = 50;
      all += search(store, query) + '\n';
    }
    all += suggest(store, wanted, kFirstDay, 20) + '\n';
  }
  Query similar;
  similar.similar_to = {{1, 2, 3}, 5};
  all += search(store, similar) + service_list(store);
  return all;
}

std::vector<std::uint8_t> file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// Exercises everything that can be done with a guide, and leaves it empty.
void use_up(Store& store) {
  all_of(store);
  Sender sender(99);
  fill(store, sender, 5, 3, 9);
  store.settle();
  all_of(store);
  store.expire(kFirstDay + 2 * SubTable::kSegmentSeconds);
  all_of(store);
  store.expire(wire::UnixSeconds{1} << 40);
  CHECK(store.read().events() == 0);
  fill(store, sender, 5, 3, 9);
  all_of(store);
}

}  // namespace

TEST_CASE("a loaded guide equals the saved one, and both stay equal after the same changes") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    Store store;
    Sender sender(seed);
    fill(store, sender, 20, seed == 3 ? 20 : 4);
    // Creates holes in every column.
    if (seed > 1) store.expire(kFirstDay + SubTable::kSegmentSeconds);
    const GuideSaved saved = save_guide(store, path, 1'800'000'000);
    REQUIRE(saved.written.ok());
    CHECK(saved.events == store.read().events());
    CHECK(saved.generation == store.generation());

    for (const auto access : {SnapshotFile::Access::map, SnapshotFile::Access::read}) {
      Store other;
      const GuideLoaded loaded = load_guide(other, path, access);
      REQUIRE_MESSAGE(loaded.ok(), loaded.why);
      CHECK(loaded.events == saved.events);
      CHECK(loaded.created == 1'800'000'000);
      CHECK(other.generation() > 0);
      CHECK(all_of(other) == all_of(store));
      if (seed == 2) leave_file(other);
      // Both stores receive the same sections.
      Store third;
      REQUIRE(load_guide(third, path).ok());
      Sender next(seed + 10);
      Sender same(seed + 10);
      fill(other, next, 25, 5, 2);
      fill(third, same, 25, 5, 2);
      CHECK(all_of(other) == all_of(third));
      other.expire(kFirstDay + 3 * SubTable::kSegmentSeconds);
      third.expire(kFirstDay + 3 * SubTable::kSegmentSeconds);
      third.settle();
      CHECK(all_of(other) == all_of(third));
      // A guide can be saved over the file that it is mapped from.
      const std::string second = folder.file("second.snapshot");
      fs::copy_file(path, second, fs::copy_options::overwrite_existing);
      REQUIRE(load_guide(other, second).ok());
      REQUIRE(save_guide(other, second, 5).written.ok());
      REQUIRE(load_guide(third, second).ok());
      CHECK(all_of(third) == all_of(store));
      use_up(other);
      use_up(third);
    }
  }
}

TEST_CASE("the broadcaster's next version replaces the loaded events") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Sender sender(4);
  Store store;
  // Runs are counted from one again after a start; the loaded events must not be mistaken for events of the new run.
  for (const std::uint8_t versions : {1, 2, 5}) {
    EitSection section = sender.section(1, 0, versions);
    section.last_section_number = 0;
    store.apply(section);
  }
  REQUIRE(save_guide(store, path, 1).written.ok());
  REQUIRE(load_guide(store, path).ok());
  EitSection section = sender.section(1, 0, 6);
  section.last_section_number = 0;
  std::vector<Event> announced(section.events.begin(), section.events.end());
  announced.erase(announced.begin() + 2);
  section.events = std::move(announced);
  store.apply(section);
  const Store::Reader reader = store.read();
  CHECK(reader.events() == 5);
  CHECK(reader.find(section.service)->find(3) == Timeline::kNone);
}

TEST_CASE("a guide moves into the file it was written to, unless it has changed since") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  Sender sender(6);
  fill(store, sender, 10, 3);
  const GuideSaved saved = save_guide(store, path, 1);
  REQUIRE(saved.written.ok());
  const std::string before = all_of(store);
  const GuideLoaded moved = move_guide(store, path, saved.generation);
  REQUIRE_MESSAGE(moved.ok(), moved.why);
  CHECK(store.generation() == saved.generation);
  CHECK(all_of(store) == before);
  use_up(store);

  fill(store, sender, 10, 3);
  const std::string later = all_of(store);
  CHECK(move_guide(store, path, saved.generation).fault == SnapshotFault::outdated);
  CHECK(all_of(store) == later);
}

TEST_CASE("an import that begins while the guide moves keeps its number, and the next import replaces its events") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  Sender sender(12);
  const auto import = [&](std::uint8_t number, wire::UnixSeconds start) {
    Event event = sender.event(0, start);
    event.duration = 3600;
    return store.import_events({1, 2, 3}, std::span(&event, 1), EventIds::assigned, number);
  };
  REQUIRE(import(store.begin_import(), kFirstDay));
  const GuideSaved saved = save_guide(store, path, 1);
  REQUIRE(saved.written.ok());
  const std::uint8_t running = store.begin_import();
  REQUIRE(move_guide(store, path, saved.generation).ok());
  REQUIRE(import(running, kFirstDay + 600));
  const std::uint8_t next = store.begin_import();
  CHECK(next != running);
  REQUIRE(import(next, kFirstDay + 1200));
  const Store::Reader reader = store.read();
  REQUIRE(reader.events() == 1);
  CHECK((*reader.find({1, 2, 3}))[0].start == kFirstDay + 1200);
}

TEST_CASE("a guide moves while it is read, with the same results" * doctest::test_suite("threads")) {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  Sender sender(13);
  fill(store, sender, 4, 2);
  store.settle();
  const std::string before = all_of(store);
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::array<std::atomic<int>, 2> read{};
  std::vector<std::thread> readers;
  for (auto& count : read) {
    readers.emplace_back([&] {
      for (; !over; ++count) wrong += all_of(store) == before ? 0 : 1;
    });
  }
  for (int round = 1; round <= 3; ++round) {
    const GuideSaved saved = save_guide(store, path, round);
    REQUIRE(saved.written.ok());
    CHECK(move_guide(store, path, saved.generation).ok());
    if (round == 2) leave_file(store);
    while (std::any_of(read.begin(), read.end(), [&](const auto& count) { return count < round; })) {
      std::this_thread::yield();
    }
  }
  over = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
  CHECK(all_of(store) == before);
}

TEST_CASE("an empty guide can be saved and loaded") {
  const TemporaryFolder folder;
  Store store;
  REQUIRE(save_guide(store, folder.file("a"), 1).written.ok());
  Sender sender(1);
  fill(store, sender, 2, 2);
  const GuideLoaded loaded = load_guide(store, folder.file("a"));
  REQUIRE_MESSAGE(loaded.ok(), loaded.why);
  CHECK(store.read().events() == 0);
  use_up(store);
}

TEST_CASE("a refused file leaves the guide unchanged") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  Sender sender(5);
  fill(store, sender, 10, 3);
  const std::string before = all_of(store);
  CHECK(load_guide(store, path).fault == SnapshotFault::missing);
  REQUIRE(save_guide(store, path, 1).written.ok());
  Store small({.max_events = 20});
  CHECK(load_guide(small, path).fault == SnapshotFault::does_not_fit);
  CHECK(small.read().events() == 0);
  Store few({.max_services = 5});
  CHECK(load_guide(few, path).fault == SnapshotFault::does_not_fit);

  std::vector<std::uint8_t> bytes = file_bytes(path);
  bytes[bytes.size() / 2] ^= 1;
  write_file(path, bytes);
  CHECK(load_guide(store, path).fault == SnapshotFault::damaged);
  bytes.resize(bytes.size() / 2);
  write_file(path, bytes);
  const GuideLoaded torn = load_guide(store, path);
  CHECK(torn.fault == SnapshotFault::damaged);
  CHECK_FALSE(torn.why.empty());
  CHECK(torn.file == nullptr);
  CHECK(all_of(store) == before);

  CHECK_FALSE(save_guide(store, folder.file("missing/a"), 1).written.ok());
}

TEST_CASE("saving a guide twice gives identical files") {
  const TemporaryFolder folder;
  Store store;
  Sender sender(6);
  fill(store, sender, 20, 10);
  store.expire(kFirstDay + 2 * SubTable::kSegmentSeconds);
  REQUIRE(save_guide(store, folder.file("a"), 1).written.ok());
  REQUIRE(load_guide(store, folder.file("a")).ok());
  REQUIRE(save_guide(store, folder.file("b"), 1).written.ok());
  CHECK(file_bytes(folder.file("a")) == file_bytes(folder.file("b")));
}

TEST_CASE("a file with correct checksums and wrong content does no harm") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  Sender sender(7);
  fill(store, sender, 12, 12);
  store.expire(kFirstDay + SubTable::kSegmentSeconds);
  REQUIRE(save_guide(store, path, 1).written.ok());
  const std::vector<std::uint8_t> whole = file_bytes(path);
  const std::vector<SnapshotEntry> table = table_of(whole);
  std::mt19937 random(8);
  int taken = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint8_t> bytes = whole;
    for (unsigned changes = 1 + random() % 3; changes != 0;) {
      const SnapshotEntry& entry = table[random() % table.size()];
      if (entry.bytes == 0) continue;
      --changes;
      std::uint8_t& byte = bytes[entry.offset + random() % entry.bytes];
      byte = static_cast<std::uint8_t>(random() % 3 == 0   ? byte ^ 1U << random() % 8
                                       : random() % 4 == 0 ? 0xFF
                                                           : random());
    }
    reseal(bytes);
    write_file(path, bytes);
    Store other;
    const GuideLoaded loaded = load_guide(other, path);
    if (!loaded.ok()) {
      CHECK(other.read().events() == 0);
      continue;
    }
    ++taken;
    use_up(other);
  }
  MESSAGE(taken << " of 100 taken");
}

TEST_CASE("a loaded guide accepts events again after they were removed") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  // With and without a section before expiry and before maintenance: the lookup tables are built at a different time in
  // each case.
  for (const int before : {0, 1}) {
    for (const int between : {0, 1}) {
      Store store;
      Sender sender(12);
      fill(store, sender, 20, 10);
      REQUIRE(save_guide(store, path, 1).written.ok());
      Store other;
      REQUIRE(load_guide(other, path).ok());
      Sender again(13);
      if (before != 0) fill(other, again, 1, 1, 9);
      CHECK(other.expire(kFirstDay + SubTable::kSegmentSeconds) > 0);
      if (between != 0) fill(other, again, 2, 2, 10);
      other.settle();
      all_of(other);
      Sender same(12);
      fill(other, same, 20, 10, 11);
      all_of(other);
      other.settle();
      all_of(other);
      use_up(other);
    }
  }
}

TEST_CASE("maintenance of a loaded guide eventually ends although programmes come and go") {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  Sender sender(14);
  fill(store, sender, 10, 10);
  REQUIRE(save_guide(store, path, 1).written.ok());
  Store other;
  REQUIRE(load_guide(other, path).ok());
  // New versions remove programmes, and nothing has been maintained yet.
  for (std::uint8_t version = 2; version < 8; ++version) {
    Sender newer(20U + version);
    fill(other, newer, 10, 10, version);
  }
  use_up(other);
}

TEST_CASE("a guide whose mapped file is truncated loses texts, and reports it" * doctest::test_suite("bus errors")) {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  Sender sender(9);
  fill(store, sender, 20, 10);
  REQUIRE(save_guide(store, path, 1).written.ok());
  const GuideLoaded loaded = load_guide(store, path);
  REQUIRE(loaded.ok());
  leave_file(store);
  CHECK_FALSE(loaded.file->lost());
  fs::resize_file(path, 0);
  all_of(store);
  CHECK(loaded.file->lost());
  use_up(store);
}

TEST_CASE("saving runs alongside readers and the stream" * doctest::test_suite("threads")) {
  const TemporaryFolder folder;
  const std::string path = folder.file("guide.snapshot");
  Store store;
  {
    Sender sender(10);
    fill(store, sender, 30, 10);
  }
  std::atomic<bool> over{false};
  std::thread writer([&] {
    Sender sender(11);
    for (std::uint8_t version = 2; !over; ++version) {
      fill(store, sender, 30, 3, version);
      store.expire(kFirstDay + (version % 3) * SubTable::kSegmentSeconds);
    }
  });
  std::thread reader([&] {
    while (!over) {
      Query query;
      query.texts = {"ships"};
      search(store, query);
    }
  });
  for (int round = 0; round < 10; ++round) {
    const GuideSaved saved = save_guide(store, path, round);
    CHECK(saved.written.ok());
    Store other;
    const GuideLoaded loaded = load_guide(other, path);
    CHECK_MESSAGE(loaded.ok(), loaded.why);
    CHECK(loaded.events == saved.events);
    if (round == 5) CHECK(load_guide(store, path).ok());
    if (round == 6) leave_file(store);
  }
  over = true;
  writer.join();
  reader.join();
}
