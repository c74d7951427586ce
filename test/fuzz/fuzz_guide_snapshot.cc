// Guide snapshots with valid checksums and any content: a guide that was loaded must survive every use.
//
// A small guide is saved, bytes of its sections are changed as the input says, and the checksums are corrected.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../native/epg/reseal.h"
#include "epg/files/guide_snapshot.h"
#include "epg/search/search.h"
#include "epg/store/event_json.h"

using namespace receiverd;
using namespace receiverd::epg;

namespace {

constexpr wire::UnixSeconds kStart = 1'800'000'000;

void check(bool holds) {
  if (!holds) std::abort();
}

void fill(Store& store, unsigned seed) {
  for (std::uint16_t service = 1; service <= 3; ++service) {
    EitSection section;
    section.service = {1, 1, service};
    section.table_id = 0x50;
    section.version = static_cast<std::uint8_t>(seed);
    section.segment_last_section_number = 1;
    for (std::uint16_t i = 0; i < 14; ++i) {
      Event event;
      event.id = i;
      event.start = kStart + i * 900;
      event.duration = 900;
      event.title = i % 2 == 0 ? "News" : "Quiz " + std::to_string(i * seed % 5);
      event.short_text = i % 3 == 0 ? "Episode " + std::to_string(i) : "";
      event.extended_text = i % 3 == 1 ? "Ships and harbours of Ärger " + std::to_string(i * service) : "";
      event.language = 'e' << 16 | 'n' << 8 | 'g';
      section.events.add() = event;
    }
    store.apply(section);
  }
}

std::string path() {
  const std::filesystem::path folder =
      std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  return (folder / ("fuzz-guide-" + std::to_string(::getpid()))).string();
}

std::vector<std::uint8_t> saved_guide() {
  Store store;
  fill(store, 1);
  fill(store, 2);
  store.expire(kStart + 1000);
  check(save_guide(store, path(), 1).written.ok());
  std::ifstream file(path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void use(const Store& store) {
  for (const char* text : {"", "news", "e", "quiz 1", "harbours"}) {
    Query query;
    if (*text != 0) query.texts = {text};
    query.within = scope::kTitle | scope::kShort | scope::kLong;
    query.order = EventOrder::relevance;
    search(store, query);
    suggest(store, text, kStart, 10);
  }
  Query similar;
  similar.similar_to = {{1, 1, 2}, 3};
  search(store, similar);
  service_list(store);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::uint8_t> whole = saved_guide();
  static const std::vector<SnapshotEntry> table = table_of(whole);
  std::vector<std::uint8_t> file = whole;
  // Four bytes per change: section, place in it (two bytes), new value.
  for (; size >= 4; data += 4, size -= 4) {
    const SnapshotEntry& entry = table[data[0] % table.size()];
    if (entry.bytes == 0) continue;
    file[entry.offset + (data[1] << 8U | data[2]) % entry.bytes] = data[3];
  }
  reseal(file);
  std::ofstream(path(), std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  Store store;
  const GuideLoaded loaded = load_guide(store, path(), SnapshotFile::Access::read);
  check(loaded.ok() || store.read().events() == 0);
  if (!loaded.ok()) return 0;
  use(store);
  fill(store, 3);
  store.settle();
  use(store);
  store.expire(wire::UnixSeconds{1} << 40);
  check(store.read().events() == 0);
  fill(store, 4);
  use(store);
  return 0;
}
