// Tests of epg.dat: import and export, byte order and versions, damaged files, limits.
#include "epg/files/epg_dat.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "epg/event/event_details.h"
#include "epg/made_event.h"
#include "epg/section_builder.h"
#include "epg/text/utf8.h"
#include "memory_source.h"

using namespace receiverd;
using namespace receiverd::epg;
using namespace std::string_literals;

namespace {

constexpr DvbTriplet kHdService{1, 0x3FB, 0x2EE3};

// An epg.dat of Enigma2: one service, one event with title and text.
constexpr unsigned char kSampleFile[] = {
    0x32, 0x54, 0x76, 0x98, 0x45, 0x4e, 0x49, 0x47, 0x4d, 0x41, 0x5f, 0x45, 0x50, 0x47, 0x5f, 0x56, 0x38, 0x01,
    0x00, 0x00, 0x00, 0xe3, 0x2e, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xfb, 0x03, 0x00, 0x00, 0x01, 0x00, 0x00,
    0x00, 0x02, 0x00, 0x12, 0x12, 0x34, 0xeb, 0x96, 0x12, 0x00, 0x00, 0x00, 0x15, 0x00, 0xa4, 0x45, 0xab, 0x87,
    0x52, 0xdb, 0x2a, 0xd1, 0x02, 0x00, 0x00, 0x00, 0xa4, 0x45, 0xab, 0x87, 0x01, 0x00, 0x00, 0x00, 0x4d, 0x0a,
    0x64, 0x65, 0x75, 0x05, 0x15, 0x4e, 0x65, 0x77, 0x73, 0x00, 0x52, 0xdb, 0x2a, 0xd1, 0x01, 0x00, 0x00, 0x00,
    0x4d, 0x10, 0x64, 0x65, 0x75, 0x00, 0x0b, 0x15, 0x54, 0x61, 0x67, 0x65, 0x73, 0x73, 0x63, 0x68, 0x61, 0x75,
    0x50, 0x52, 0x49, 0x56, 0x41, 0x54, 0x45, 0x5f, 0x45, 0x50, 0x47, 0x00, 0x00, 0x00, 0x00};
constexpr std::size_t kPoolEnd = sizeof(kSampleFile) - 15;  // where PRIVATE_EPG begins

std::string sample_text() { return {reinterpret_cast<const char*>(kSampleFile), sizeof(kSampleFile)}; }

Language language(std::string_view code) { return language_of(bytes_of(code)); }

Event news() {
  Event event;
  event.id = 0x1234;
  event.start = kNoon;
  event.duration = 900;
  event.language = language("deu");
  event.title = "News";
  event.short_text = "Tagesschau";
  return event;
}

EpgDatImport taken(Store& store, std::string_view file, wire::UnixSeconds from = 0) {
  return import_epg_dat(store, {}, MemorySource(bytes_of(file)), from);
}

/// Everything in a store, one entry per event.
std::map<std::pair<DvbTriplet, std::uint32_t>, Event> everything(const Store& store) {
  std::map<std::pair<DvbTriplet, std::uint32_t>, Event> all;
  const Store::Reader reader = store.read();
  reader.each_service([&](const DvbTriplet& key, const Timeline& timeline) {
    timeline.window(0, kNoon * 2, [&](const EventRecord& record) {
      const EventView view = reader.view(record);
      Event event;
      event.id = view.id;
      event.start = view.start;
      event.duration = view.duration;
      event.language = view.language;
      event.title = view.title;
      event.short_text = view.short_text;
      event.extended_text = view.extended_text;
      const EventDetails details = unpack_details(view.details);
      event.genres = details.genres;
      event.parental = details.parental;
      event.components = details.components;
      event.crids = details.crids;
      all.emplace(std::pair(key, view.start), event);
    });
  });
  return all;
}

Event only_event(const Store& store) {
  const auto all = everything(store);
  REQUIRE(all.size() == 1);
  return all.begin()->second;
}

void check_equal(const Event& a, const Event& b) {
  CHECK(a.id == b.id);
  CHECK(a.start == b.start);
  CHECK(a.duration == b.duration);
  CHECK(language_text(a.language) == language_text(b.language));
  CHECK(a.title == b.title);
  CHECK(a.short_text == b.short_text);
  CHECK(a.extended_text == b.extended_text);
  CHECK(a.genres == b.genres);
  CHECK(a.parental == b.parental);
  CHECK(a.components == b.components);
  CHECK(a.crids == b.crids);
}

/// A file in its own temporary folder, deleted with it.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "receiverd-epg-dat-XXXXXX") {
    std::string name = path_.string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file() const { return (path_ / "epg.dat").string(); }
  std::string content() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

std::string written(const Store& store, wire::UnixSeconds now = kNoon, EpgDatExport* result = nullptr) {
  const Folder folder;
  const EpgDatExport exported = export_epg_dat(store, folder.file(), now);
  CHECK(exported.problem.empty());
  CHECK(folder.files() == 1);
  std::string content = folder.content();
  CHECK(exported.bytes == content.size());
  if (result != nullptr) *result = exported;
  return content;
}

/// Writes epg.dat as set-top boxes do, in either byte order and either version.
struct Box {
  bool big_endian = false;
  std::string version = "ENIGMA_EPG_V8";
  std::string out = {};

  Box& number(std::uint64_t value, int size = 4) {
    for (int i = 0; i < size; ++i) {
      out.push_back(static_cast<char>(value >> (8 * (big_endian ? size - 1 - i : i))));
    }
    return *this;
  }
  Box& bytes(std::string_view text) {
    out.append(text);
    return *this;
  }
  Box& head(std::uint32_t services) { return number(0x98765432).bytes(version).number(services); }
  Box& service(const DvbTriplet& key, std::uint32_t events) {
    return number(key.service_id).number(key.original_network_id).number(key.transport_stream_id).number(events);
  }
  Box& event(std::string_view coded, const std::vector<std::uint32_t>& hashes) {
    number(2, version.back() == '7' ? 1 : 2).number(10 + 4 * hashes.size(), 1).bytes(coded);
    for (const std::uint32_t hash : hashes) number(hash);
    return *this;
  }
  Box& pooled(std::uint32_t hash, std::string_view descriptor) { return number(hash).number(1).bytes(descriptor); }
};

const std::string kHead = "\x12\x34\xeb\x96\x12\x00\x00\x00\x15\x00"s;

std::uint32_t hash_of(std::string_view descriptor) { return wire::crc32(bytes_of(descriptor), 0); }

}  // namespace

TEST_CASE("epg.dat: the hash is CRC_32 with initial value 0") { CHECK(hash_of("123456789") == 0x89A1897F); }

TEST_CASE("epg.dat: the sample file is read") {
  Store store;
  const EpgDatImport result = taken(store, sample_text());
  CHECK(result.problem == "");
  CHECK(result.version == 8);
  CHECK_FALSE(result.big_endian);
  CHECK(result.services == 1);
  CHECK(result.events == 1);
  CHECK(result.descriptors == 2);
  CHECK(result.missing_descriptors == 0);
  CHECK(result.complete);
  check_equal(only_event(store), news());
  CHECK(store.read().find(kHdService) != nullptr);
}

TEST_CASE("epg.dat: the sample file is written, byte for byte") {
  Store store;
  const Event event = news();
  store.import_events(kHdService, {&event, 1}, EventIds::kept, store.begin_import());
  EpgDatExport result;
  CHECK(written(store, kNoon, &result) == sample_text());
  CHECK(result.services == 1);
  CHECK(result.events == 1);
  CHECK(result.descriptors == 2);
  CHECK(result.left_out + result.cut + result.collisions == 0);
}

TEST_CASE("epg.dat: both byte orders, V7 and V8, any trailer") {
  const std::string title = short_event("deu", "\x15News", "");
  const std::string text = short_event("deu", "", "\x15Tagesschau");
  for (const bool big_endian : {false, true}) {
    for (const char* version : {"ENIGMA_EPG_V7", "ENIGMA_EPG_V8"}) {
      Box box{big_endian, version};
      box.head(1).service(kHdService, 1).event(kHead, {hash_of(title), hash_of(text)});
      box.number(2).pooled(hash_of(title), title).pooled(hash_of(text), text);
      const std::string whole = box.out;
      // Times in the private part have four or eight bytes; some old files end with the descriptors.
      for (const std::string& trailer :
           {""s, "PRIVATE_EPG\0\0\0\0"s, "PRIVATE_EPG"s + std::string(60, '\x01'), "junk"s}) {
        Store store;
        const EpgDatImport result = taken(store, whole + trailer);
        CHECK(result.problem == "");
        CHECK(result.big_endian == big_endian);
        CHECK(result.version == version[12] - '0');
        check_equal(only_event(store), news());
      }
    }
  }
}

TEST_CASE("epg.dat: descriptors as broadcast are read, unsplit and in any character table") {
  const std::string whole = short_event("cze", "P\xCFr\xC8", "Tady");
  const std::string extended = extended_event(0, 0, "cze", "\x15Přë");
  const std::string russian =
      short_event("rus", "", "\xBF\xE0\xD8\xD2\xD5\xE2, \xDC\xD8\xE0! \xBA\xD0\xDA \xD4\xD5\xDB\xD0?");
  Box box;
  box.head(1).service(kHdService, 2);
  box.event(kHead, {1, 2}).event("\x12\x35\xeb\x96\x13\x00\x00\x00\x15\x00"s, {3});
  box.number(3).pooled(1, whole).pooled(2, extended).pooled(3, russian);
  Store store;
  CHECK(taken(store, box.out).events == 2);
  const auto all = everything(store);
  const Event& czech = all.at({kHdService, kNoon});
  CHECK(czech.title == "Př");
  CHECK(czech.short_text == "Tady");
  CHECK(czech.extended_text == "Přë");
  CHECK(all.at({kHdService, kNoon + 3600}).short_text == "Привет, мир! Как дела?");
}

TEST_CASE("epg.dat: a file that is not a guide, old, or unfinished is refused with the reason") {
  const auto problem = [](const std::string& file) {
    Store store;
    const EpgDatImport result = taken(store, file);
    CHECK(store.read().events() == 0);
    return result.problem;
  };
  const auto of_version = [](const char* version) {
    std::string file = sample_text();
    return file.replace(4, 13, version);
  };
  CHECK(problem("") == "is not an epg.dat file");
  CHECK(problem("abc") == "is not an epg.dat file");
  CHECK(problem(std::string(200, 'x')) == "is not an epg.dat file");
  CHECK(problem(of_version("UNFINISHED_V8")).find("not finished") != std::string::npos);
  CHECK(problem(of_version("ENIGMA_EPG_V5")).find("ENIGMA_EPG_V5 is a format from before 2007") != std::string::npos);
  CHECK(problem(of_version("ENIGMA_EPG_V6")).find("ENIGMA_EPG_V6") != std::string::npos);
  CHECK(problem(of_version("ENIGMA_EPG_V9")) == "is of an unknown version");
  CHECK(problem(of_version("something else").substr(0, 123)) == "is not an epg.dat file");
}

TEST_CASE("epg.dat: a truncated file changes nothing, wherever it is cut") {
  const std::string whole = sample_text();
  for (std::size_t size = 0; size < kPoolEnd; ++size) {
    Store store;
    CHECK_FALSE(taken(store, whole.substr(0, size)).problem.empty());
    CHECK(store.read().events() == 0);
  }
  for (std::size_t size = kPoolEnd; size <= whole.size(); ++size) {
    Store store;
    CHECK(taken(store, whole.substr(0, size)).problem.empty());
  }
  Store store;
  CHECK(taken(store, whole.substr(0, 100)).problem == "is cut or damaged at byte 92");
}

TEST_CASE("epg.dat: negative or too large counts and invalid lengths are refused") {
  const auto problem_at = [](std::size_t at, std::string_view bytes) {
    std::string file = sample_text();
    file.replace(at, bytes.size(), bytes);
    Store store;
    const EpgDatImport result = taken(store, file);
    CHECK(store.read().events() == 0);
    return result.problem;
  };
  for (const std::size_t at : {std::size_t{17}, std::size_t{33}, std::size_t{58}}) {
    CHECK(problem_at(at, "\xff\xff\xff\xff").starts_with("is cut or damaged"));
    CHECK(problem_at(at, "\xff\xff\xff\x7f").starts_with("is cut or damaged"));
    CHECK(problem_at(at, "\x03\0\0\0"s).starts_with("is cut or damaged"));
  }
  for (const char* length : {"\x0b", "\x09", "\x13", "\xff", "\xfd"}) {
    CHECK(problem_at(39, length).starts_with("is cut or damaged"));
  }
}

TEST_CASE("epg.dat: an incomplete event does not affect the others") {
  const std::string title = short_event("deu", "\x15News", "");
  Box box;
  box.head(2).service(kHdService, 3);
  box.event(kHead, {hash_of(title), 77});                            // no descriptor has the hash 77
  box.event("\x12\x35\xeb\x96\x1A\x00\x00\x00\x15\x00"s, {});        // not BCD
  box.event("\x12\x36\xeb\x96\x13\x00\x00\xff\xff\xff"s, {});        // unknown duration
  box.number(70000).number(1).number(1).number(1).event(kHead, {});  // service_id exceeds 16 bits
  box.number(1).pooled(hash_of(title), title);
  Store store;
  const EpgDatImport result = taken(store, box.out);
  CHECK(result.problem == "");
  CHECK(result.services == 1);
  CHECK(result.events == 2);
  CHECK(result.malformed == 2);
  CHECK(result.missing_descriptors == 1);
  CHECK(everything(store).at({kHdService, kNoon}).title == "News");
}

TEST_CASE("epg.dat: ended events are neither read nor written, distant ones are not written") {
  Store store;
  std::vector<Event> events;
  for (int hour = -3; hour < 40 * 24; ++hour) {
    Event event = news();
    event.id = static_cast<std::uint16_t>(hour + 10);
    event.start = kNoon + hour * 3600;
    event.duration = 3600;
    events.push_back(event);
  }
  store.import_events(kHdService, events, EventIds::kept, store.begin_import());
  EpgDatExport exported;
  const std::string file = written(store, kNoon + 1800, &exported);
  CHECK(exported.events == 28 * 24 + 1);  // more than one piece
  Store again;
  CHECK(taken(again, file, kNoon + 1800).events == exported.events);
  Store later;
  const EpgDatImport result = taken(later, file, kNoon + 3 * 3600);
  CHECK(result.ended == 3);
  CHECK(result.events == exported.events - 3);
  CHECK(later.read().events() == result.events);
}

TEST_CASE("epg.dat: events refused because of the store's limits are reported") {
  Store store({.max_events = 1});
  Box box;
  box.head(1).service(kHdService, 2).event(kHead, {}).event("\x12\x36\xeb\x96\x13\x00\x00\x00\x15\x00"s, {}).number(0);
  CHECK_FALSE(taken(store, box.out).complete);
}

TEST_CASE("epg.dat: uses are counted, each distinct descriptor is stored once") {
  Store store;
  std::vector<Event> events;
  for (int i = 0; i < 600; ++i) {
    Event event = news();
    event.id = static_cast<std::uint16_t>(i + 1);
    event.start = kNoon + i * 1800;
    event.duration = 1800;
    event.short_text = i % 3 == 0 ? "" : "Part " + std::to_string(i % 50);
    event.genres = {{0x20, 0}};
    events.push_back(event);
  }
  const std::uint8_t import = store.begin_import();
  store.import_events(kHdService, events, EventIds::kept, import);
  store.import_events({1, 2, 3}, events, EventIds::kept, import);
  const std::string file = written(store);
  std::map<std::uint32_t, std::uint32_t> uses;
  wire::Cursor cursor(bytes_of(file).subspan(17));
  const auto number = [&cursor](std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint32_t>(cursor.u8()) << (8 * i);
    return value;
  };
  for (std::uint32_t services = number(4); services > 0; --services) {
    cursor.skip(12);
    for (std::uint32_t left = number(4); left > 0; --left) {
      CHECK(number(2) == 2);
      const std::uint32_t length = number(1);
      cursor.skip(10);
      for (std::uint32_t at = 10; at < length; at += 4) ++uses[number(4)];
    }
  }
  const std::uint32_t pool = number(4);
  CHECK(pool == uses.size());
  for (std::uint32_t left = pool; left > 0; --left) {
    const std::uint32_t hash = number(4);
    CHECK(number(4) == uses[hash]);
    const std::uint8_t tag = cursor.u8();
    const wire::Bytes body = cursor.take(cursor.u8());
    const std::string whole = descriptor(tag, std::string(body.begin(), body.end()));
    CHECK(hash_of(whole) == hash);
    uses.erase(hash);
  }
  CHECK(uses.empty());
  const wire::Bytes rest = cursor.rest();
  CHECK(std::string(rest.begin(), rest.end()) == "PRIVATE_EPG\0\0\0\0"s);
}

TEST_CASE("epg.dat: long texts are cut between characters to fit an Enigma2 event") {
  std::string large;
  while (large.size() < 9000) large += "größer 大きい ";
  Event event = news();
  event.title = event.short_text = event.extended_text = large;
  for (int i = 0; i < 32; ++i) {
    event.crids.push_back({1, "crid://receiver.example/" + std::to_string(i)});
    event.components.push_back({5, 11, static_cast<std::uint8_t>(i), language("deu"), large.substr(0, 200)});
  }
  Store store;
  store.import_events(kHdService, {&event, 1}, EventIds::kept, store.begin_import());
  EpgDatExport exported;
  const std::string file = written(store, kNoon, &exported);
  CHECK(exported.cut == 1);
  CHECK(static_cast<std::uint8_t>(file[39]) <= 10 + 4 * 61);
  Store again;
  CHECK(taken(again, file).missing_descriptors == 0);
  const Event back = only_event(again);
  for (const std::string& text : {back.title, back.short_text, back.extended_text}) {
    CHECK(valid_utf8(text));
    CHECK(large.starts_with(text));
  }
  CHECK(back.title.size() > 240);
  CHECK(back.title.size() <= 249);
  CHECK(back.extended_text.size() > 1000);
}

TEST_CASE("epg.dat: of two descriptors with the same hash, the first is kept") {
  std::map<std::uint32_t, std::string> seen;
  std::mt19937 random(4);
  std::string one;
  std::string other;
  for (int i = 0; i < 1'000'000 && one.empty(); ++i) {
    std::string name = "Film ";
    for (int c = 0; c < 12; ++c) name.push_back(static_cast<char>('a' + random() % 26));
    const auto [at, added] = seen.emplace(hash_of(short_event("deu", "\x15" + name, "")), name);
    if (added || at->second == name) continue;
    one = at->second;
    other = name;
  }
  REQUIRE_FALSE(one.empty());
  std::vector<Event> events{news(), news()};
  events[0].title = one;
  events[1].title = other;
  events[1].id = 2;
  events[1].start += 3600;
  Store store;
  store.import_events(kHdService, events, EventIds::kept, store.begin_import());
  EpgDatExport exported;
  const std::string file = written(store, kNoon, &exported);
  CHECK(exported.collisions == 1);
  Store again;
  taken(again, file);
  CHECK(everything(again).at({kHdService, kNoon}).title == one);
  CHECK(everything(again).at({kHdService, kNoon + 3600}).title.empty());
}

TEST_CASE("epg.dat: a failed export leaves nothing behind") {
  const Store store;
  CHECK(export_epg_dat(store, "/nowhere/at/all/epg.dat", kNoon).problem == "No such file or directory");
  const Folder folder;
  std::filesystem::create_directory(folder.file());
  CHECK_FALSE(export_epg_dat(store, folder.file(), kNoon).problem.empty());
  CHECK(folder.files() == 1);
  CHECK(storage::FileSource("/nowhere/epg.dat").error() == ENOENT);
  CHECK(storage::FileSource(folder.file()).error() == EISDIR);
}

namespace {

/// RandomTexts in all scripts, as the store may hold them.
class RandomTexts {
 public:
  explicit RandomTexts(unsigned seed) : random_(seed) {}

  std::size_t number(std::size_t below) { return random_() % below; }

  std::string text(std::size_t max_bytes, bool lines = true) {
    static constexpr std::pair<char32_t, char32_t> kScripts[] = {
        {'!', '~'},       {0xA1, 0xFF},     {0x100, 0x17F},    {0x391, 0x3A1}, {0x3B1, 0x3C9},
        {0x410, 0x44F},   {0x5D0, 0x5EA},   {0x621, 0x63A},    {0xE01, 0xE2F}, {0x3041, 0x3096},
        {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3}, {0x1F300, 0x1F5FF}};
    const auto script = kScripts[number(std::size(kScripts))];
    const std::size_t wanted = number(3) == 0 ? 0 : number(max_bytes) + 1;
    std::string text;
    while (text.size() < wanted) {
      const std::size_t kind = number(8);
      if (kind == 0 && !text.empty() && text.size() + 2 < wanted) {
        text += lines && number(6) == 0 ? '\n' : ' ';
      }
      const auto range = kind < 2 ? kScripts[0] : script;
      std::string character;
      append_utf8(character, range.first + static_cast<char32_t>(number(range.second - range.first + 1)));
      if (text.size() + character.size() > max_bytes) break;
      // Leaves out dots and soft hyphens: a title that ends in dots and a text that begins with them would be joined.
      if (character != "." && character != "\u00AD") text += character;
    }
    while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
    return text;
  }

  Language language() {
    static constexpr std::string_view kCodes[] = {"deu", "eng", "rus", "jpn", "zho", "tha", "ces", "heb", "fin"};
    return number(8) == 0 ? 0 : epg::language_of(bytes_of(kCodes[number(std::size(kCodes))]));
  }

  Event event(std::uint16_t id, wire::UnixSeconds start, std::uint32_t duration) {
    Event event;
    event.id = id;
    event.start = start;
    event.duration = duration;
    event.title = text(249, false);
    event.short_text = text(249);
    event.extended_text = text(number(4) == 0 ? 2500 : 400);
    const bool any = !event.title.empty() || !event.short_text.empty() || !event.extended_text.empty();
    if (any) event.language = language();
    for (std::size_t i = number(4); i > 0; --i) {
      event.genres.push_back({static_cast<std::uint8_t>(number(256)), static_cast<std::uint8_t>(number(256))});
    }
    for (std::size_t i = number(3); i > 0; --i) {
      event.parental.push_back({{'D', 'E', 'U'}, static_cast<std::uint8_t>(number(256))});
    }
    for (std::size_t i = number(3); i > 0; --i) {
      event.components.push_back({static_cast<std::uint8_t>(number(16)), static_cast<std::uint8_t>(number(256)),
                                  static_cast<std::uint8_t>(i), language(), text(60, false)});
    }
    for (std::size_t i = number(3); i > 0; --i) {
      event.crids.push_back(
          {static_cast<std::uint8_t>(1 + number(2)), "crid://a.example/" + std::to_string(random_())});
    }
    return event;
  }

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("epg.dat: what is written is read back unchanged") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    RandomTexts texts(seed);
    Store store;
    const std::uint8_t import = store.begin_import();
    for (std::size_t services = 1 + texts.number(4); services > 0; --services) {
      const DvbTriplet key{static_cast<std::uint16_t>(texts.number(65536)),
                           static_cast<std::uint16_t>(texts.number(65536)), static_cast<std::uint16_t>(services)};
      wire::UnixSeconds time = kNoon;
      std::vector<Event> events;
      for (std::size_t i = texts.number(60) + 1; i > 0; --i) {
        const auto duration = static_cast<std::uint32_t>(1 + texts.number(30000));
        events.push_back(texts.event(static_cast<std::uint16_t>(i), time, duration));
        time += duration + static_cast<wire::UnixSeconds>(texts.number(3) * 600);
      }
      store.import_events(key, events, EventIds::kept, import);
    }
    EpgDatExport exported;
    const std::string file = written(store, kNoon, &exported);
    const auto before = everything(store);
    CHECK(exported.events == before.size());
    CHECK(exported.cut + exported.left_out + exported.collisions == 0);
    Store again;
    const EpgDatImport imported = taken(again, file);
    CHECK(imported.events == before.size());
    CHECK(imported.services == exported.services);
    CHECK(imported.descriptors == exported.descriptors);
    const auto after = everything(again);
    REQUIRE(after.size() == before.size());
    for (const auto& [key, event] : before) check_equal(after.at(key), event);
    CHECK(written(again, kNoon) == file);
  }
}

TEST_CASE("epg.dat: changed bytes do no harm, wherever they are") {
  RandomTexts texts(7);
  Store store;
  std::vector<Event> events;
  for (int i = 0; i < 20; ++i) {
    events.push_back(texts.event(static_cast<std::uint16_t>(i + 1), kNoon + i * 3600, 3600));
  }
  store.import_events(kHdService, events, EventIds::kept, store.begin_import());
  const std::string file = written(store);
  constexpr std::array<char, 3> kValues{'\0', '\xff', '\x4d'};
  // Thousands of places; fuzz_epg_dat tries the rest.
  for (std::size_t at = 0; at < file.size(); at += 13) {
    std::string changed = file;
    changed[at] = kValues[at / 13 % kValues.size()];
    Store again;
    taken(again, changed);
    for (const auto& [key, event] : everything(again)) {
      CHECK(valid_utf8(event.title + event.short_text + event.extended_text));
    }
  }
}
