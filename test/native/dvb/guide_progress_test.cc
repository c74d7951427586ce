// Tests of tracking which parts of the guide have been received.
#include "dvb/multiplex/guide_progress.h"

#include <doctest/doctest.h>

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

constexpr DvbTriplet kFirst = {1, 7, 100};
constexpr DvbTriplet kOther = {1, 8, 200};
constexpr wire::UnixSeconds kMidnight = 1'770'000'000 / 86400 * 86400;

/// Events of an hour each, from midnight on.
std::vector<EitEvent> hours(std::size_t count) {
  std::vector<EitEvent> events;
  for (std::size_t i = 0; i < count; ++i) {
    EitEvent event;
    event.event_id = static_cast<std::uint16_t>(i);
    event.start = kMidnight + static_cast<wire::UnixSeconds>(i) * 3600;
    event.duration = 3600;
    // Two of them fill a section.
    event.descriptors.assign(1500, 0);
    events.push_back(event);
  }
  return events;
}

void take(GuideProgress& progress, const Section& section) { progress.section(*read_eit_section_header(section)); }

GuideProgress::Stream only(const GuideProgress& progress) {
  REQUIRE(progress.streams().size() == 1);
  return progress.streams().front();
}

}  // namespace

TEST_CASE("Present/following is complete with both sections") {
  GuideProgress progress;
  const auto events = hours(2);
  const auto sections = write_eit_present_following(kFirst, true, 3, &events[0], &events[1]);
  take(progress, sections[0]);
  CHECK(only(progress) == GuideProgress::Stream{1, 7, 1, 0, 0, 0});
  take(progress, sections[1]);
  CHECK(only(progress) == GuideProgress::Stream{1, 7, 1, 1, 0, 0});
  // A new version is another table.
  take(progress, write_eit_present_following(kFirst, true, 4, &events[1], nullptr)[0]);
  CHECK(only(progress).present_following_complete == 0);
}

TEST_CASE("A schedule is complete with every section of every table, in any order") {
  // Six days: two tables of four days.
  const auto events = hours(6 * 24);
  const auto sections = write_eit_schedule(kFirst, true, 1, kMidnight, events);
  REQUIRE(sections.size() > 40);
  GuideProgress progress;
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
    CHECK(progress.streams().empty() == (section == sections.rbegin()));
    if (section != sections.rbegin()) CHECK(only(progress).schedules_complete == 0);
    take(progress, *section);
  }
  CHECK(only(progress) == GuideProgress::Stream{1, 7, 0, 0, 1, 1});
}

TEST_CASE("Each missing section leaves a schedule incomplete") {
  const auto sections = write_eit_schedule(kOther, false, 1, kMidnight, hours(30));
  for (std::size_t missing = 0; missing < sections.size(); ++missing) {
    GuideProgress progress;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (i != missing) take(progress, sections[i]);
    }
    CHECK(only(progress).schedules_complete == 0);
  }
}

TEST_CASE("Services are counted by their transport streams") {
  GuideProgress progress;
  const auto events = hours(2);
  for (const DvbTriplet& service :
       {kFirst, kOther, DvbTriplet{1, 7, 101}, DvbTriplet{1, 8, 201}, DvbTriplet{2, 7, 1}}) {
    for (const Section& one : write_eit_present_following(service, false, 0, &events[0], &events[1]))
      take(progress, one);
  }
  const auto streams = progress.streams();
  REQUIRE(streams.size() == 3);
  CHECK(streams[0] == GuideProgress::Stream{1, 7, 2, 2, 0, 0});
  CHECK(streams[1] == GuideProgress::Stream{1, 8, 2, 2, 0, 0});
  CHECK(streams[2] == GuideProgress::Stream{2, 7, 1, 1, 0, 0});
}

TEST_CASE("Invalid headers do not crash") {
  GuideProgress progress;
  EitSectionHeader header;
  for (unsigned n = 0; n < 256; ++n) {
    header.section.table_id = static_cast<std::uint8_t>(0x4E + n % 0x22);
    header.section.section_number = static_cast<std::uint8_t>(n * 7);
    header.section.last_section_number = static_cast<std::uint8_t>(n * 3);
    header.segment_last_section_number = static_cast<std::uint8_t>(255 - n);
    header.last_table_id = static_cast<std::uint8_t>(n);
    header.section.version = static_cast<std::uint8_t>(n % 32);
    progress.section(header);
  }
  CHECK(progress.streams().size() == 1);
}
