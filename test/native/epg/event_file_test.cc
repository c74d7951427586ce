// Tests of the `.eit` file of a recording: complete, split and truncated ones.
#include "epg/files/event_file.h"

#include <doctest/doctest.h>

#include "epg/section_builder.h"

using namespace receiverd;
using namespace receiverd::epg;
using namespace std::string_literals;

namespace {

/// The bytes of a file: the event of a section without the bytes around it.
std::string file_of(const SentEvent& event) {
  const SectionBytes section = eit_section(0x50, {event});
  return {section.begin() + 14, section.end() - 4};
}

std::string json_of(const std::string& file) { return event_file_json(bytes_of(file), {}); }

bool has(const std::string& json, std::string_view part) { return json.find(part) != json.npos; }

}  // namespace

TEST_CASE("an event file yields its event") {
  const std::string json = json_of(
      file_of({.id = 4711,
               .duration = 0x005300,
               .descriptors = short_event("eng", "Ships", "Episode 3") +
                              extended_event(0, 0, "eng", "The pilot boats.") + descriptor(0x54, "\x23\x00"s)}));
  CHECK(has(json, R"("id":4711,"start":1704110400,"duration":3180,"title":"Ships","shortText":"Episode 3")"));
  CHECK(has(json, R"("extendedText":"The pilot boats.")"));
  CHECK(has(json, R"({"level1":2,"level2":3,"user":0})"));
}

TEST_CASE("title and text may have a descriptor each, as Enigma2 writes them") {
  const std::string json =
      json_of(file_of({.descriptors = short_event("deu", "\x15Sch\xC3\xB6n") + short_event("deu", "",
                                                                                           "\x15"
                                                                                           "Folge 3")}));
  CHECK(has(json, R"("title":"Schön","shortText":"Folge 3")"));
}

TEST_CASE("a truncated event file yields its complete parts; without times it is invalid") {
  const std::string whole = file_of({.id = 7, .descriptors = short_event("eng", "Ships") + short_event("fra", "Nefs")});
  CHECK(has(json_of(whole.substr(0, whole.size() - 3)), R"("title":"Ships")"));
  CHECK(has(json_of(whole.substr(0, 12)), R"("id":7)"));
  for (std::size_t size = 0; size < 12; ++size) CHECK(json_of(whole.substr(0, size)) == "null");
  CHECK(json_of(std::string(12, '\xFF')) == "null");
  CHECK(json_of(std::string(4096, '\0')) == "null");
}

TEST_CASE("bytes after the descriptors of an event file are ignored") {
  const std::string file = file_of({.descriptors = short_event("eng", "Ships")});
  CHECK(json_of(file + short_event("eng", "", "more")) == json_of(file));
}
