// Tests of the guide texts: consistency, letters, codings, and days on which the clock changes.
#include "demo/guide_text.h"

#include <doctest/doctest.h>

#include <set>

#include "demo/assets.h"
#include "demo/received_demo.h"
#include "demo/text_coding.h"
#include "epg/text/dvb_text.h"
#include "lettering/glyphs.h"

using namespace receiverd::demo;
using receiverd::lettering::code_points;
using receiverd::lettering::shown_letter;

TEST_CASE(
    "every guide text is consistent: each programme is shown, each grid line names one, repeats have an original") {
  for (const LineupEntry& entry : lineup()) {
    const GuideText& text = guide_of(entry);
    CHECK(is_complete(text));
    CAPTURE(entry.name);
    CHECK_FALSE(text.season.empty());
    CHECK_FALSE(text.episode.empty());
    std::set<std::size_t> shown;
    std::set<std::size_t> originals;
    for (const GridSlot& slot : text.grid) {
      CHECK(slot.minute >= 300);
      CHECK(slot.minute < 29 * 60);
      CHECK(slot.days != 0);
      shown.insert(slot.programme);
      if (!slot.repeat) originals.insert(slot.programme);
    }
    CHECK(shown == originals);
    CHECK(shown.size() == text.programmes.size());
    for (int day = 0; day < 7; ++day) {
      std::set<int> starts;
      for (const GridSlot& slot : text.grid) {
        if ((slot.days >> day & 1) != 0) CHECK(starts.insert(slot.minute).second);
      }
      CHECK(starts.size() >= 12);
      CHECK(starts.size() < 64);
      CHECK(*starts.begin() == 300);
    }
    for (const ProgrammeText& programme : text.programmes) {
      CAPTURE(programme.key);
      CHECK_FALSE(programme.title.empty());
      if (programme.style != ProgrammeText::Style::plain) CHECK(programme.parts.size() >= 3);
      for (const ProgrammeText::Part& part : programme.parts) CHECK_FALSE(part.text.empty());
    }
  }
}

TEST_CASE("every letter of a title has a glyph, and every text decodes to itself") {
  for (const LineupEntry& entry : lineup()) {
    CAPTURE(entry.name);
    const Schedule schedule(entry, guide_of(entry), [](std::int64_t) { return 0; });
    for (const Event& event : schedule.between(1'795'262'400, 1'795'262'400 + 14 * 86400)) {
      for (const std::string* text : {&event.title, &event.subtitle, &event.text}) {
        const ByteVector coded = code_text(entry.table, *text, 100'000);
        const std::string back = receiverd::epg::decode_dvb_text(coded);
        CAPTURE(*text);
        CHECK(back.find("??") == std::string::npos);
        const std::u32string letters = code_points(*text);
        CHECK(std::count(letters.begin(), letters.end(), U'?') == std::count(back.begin(), back.end(), '?'));
        if (text == &event.text) continue;
        for (const char32_t letter : letters) {
          if (letter != U'?') CHECK(shown_letter(letter) != U'?');
        }
      }
    }
  }
}

TEST_CASE("days on which the UTC offset changes have neither gap nor overlap, and programmes keep their local time") {
  constexpr std::int64_t kChange = 1'792'890'000;  // 2026-10-25 01:00 UTC: central European summer time ends
  const UtcOffset berlin = [](std::int64_t time) { return time < kChange ? 7200 : 3600; };
  for (const LineupEntry& entry : lineup()) {
    const std::vector<Event> events =
        Schedule(entry, guide_of(entry), berlin).between(kChange - 86400, kChange + 86400);
    for (std::size_t i = 1; i < events.size(); ++i) {
      CHECK(events[i].start == events[i - 1].end);
      CHECK(events[i].end > events[i].start);
    }
  }
  const std::vector<Event> events =
      Schedule(lineup()[1], guide_of(lineup()[1]), berlin).between(kChange - 86400, kChange + 86400);
  int at_eight = 0;
  for (const Event& event : events) {
    if ((event.start + berlin(event.start)) % 86400 == 20 * 3600) ++at_eight;
  }
  CHECK(at_eight == 2);
}
