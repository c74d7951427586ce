// Tests of the broadcast clock: TDT and TOT, damaged times, and the estimate from present events.
#include "dvb/multiplex/broadcast_clock.h"

#include <doctest/doctest.h>

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

constexpr wire::UnixSeconds kEvening = 1'547'928'000;

/// Feeds the present event of a service, as an EIT section.
void present(BroadcastClock& clock, std::uint16_t service_id, wire::UnixSeconds start, std::uint32_t minutes) {
  EitEvent event;
  event.event_id = 1;
  event.start = start;
  event.duration = minutes * 60;
  const Section section = write_eit_present_following({1, 2, service_id}, true, 0, &event, nullptr)[0];
  clock.take_present_following(*read_eit_section_header(section), section);
}

}  // namespace

TEST_CASE("the estimate is the latest start inside the largest number of present events") {
  BroadcastClock clock;
  CHECK(clock.time().origin == BroadcastTime::Origin::none);
  present(clock, 1, kEvening, 90);
  CHECK(clock.time().origin == BroadcastTime::Origin::estimated);
  CHECK(clock.time().utc == kEvening);
  present(clock, 2, kEvening + 1800, 30);
  CHECK(clock.time().utc == kEvening + 1800);
  present(clock, 3, kEvening - 86400, 30);  // stale
  CHECK(clock.time().utc == kEvening + 1800);
  present(clock, 4, kEvening + 86400, 30);  // ahead of all others
  CHECK(clock.time().utc == kEvening + 1800);
  present(clock, 2, kEvening + 3600, 30);  // its next event started
  CHECK(clock.time().utc == kEvening + 3600);
}

TEST_CASE("a repeated present section is not a new value") {
  BroadcastClock clock;
  present(clock, 1, kEvening, 90);
  const auto received = clock.time().received;
  present(clock, 1, kEvening, 90);
  CHECK(clock.time().received == received);
}

TEST_CASE("events without start or duration are ignored") {
  BroadcastClock clock;
  present(clock, 1, kEvening, 0);
  EitEvent undefined;
  undefined.duration = 3600;
  const auto sections = write_eit_present_following({1, 2, 3}, true, 0, &undefined, nullptr);
  clock.take_present_following(*read_eit_section_header(sections[0]), sections[0]);
  clock.take_present_following(*read_eit_section_header(sections[1]), sections[1]);
  CHECK(clock.time().origin == BroadcastTime::Origin::none);
}

TEST_CASE("TDT and TOT replace the estimate and end it") {
  BroadcastClock clock;
  present(clock, 1, kEvening, 90);
  CHECK(clock.take_tdt(kEvening + 600));
  CHECK(clock.time().origin == BroadcastTime::Origin::tdt);
  present(clock, 1, kEvening + 5400, 90);
  CHECK(clock.time().utc == kEvening + 600);
  CHECK(clock.take_tot(kEvening + 630));
  CHECK(clock.time().origin == BroadcastTime::Origin::tot);
}

TEST_CASE("one damaged TDT does not change the clock, two that agree do") {
  BroadcastClock clock;
  CHECK(clock.take_tdt(kEvening));
  CHECK(clock.take_tdt(kEvening + 30));
  CHECK_FALSE(clock.take_tdt(kEvening + 60 + 64 * 86400));
  CHECK(clock.time().utc == kEvening + 30);
  CHECK(clock.take_tdt(kEvening + 90));
  CHECK(clock.time().utc == kEvening + 90);
  // The capture starts again.
  CHECK_FALSE(clock.take_tdt(kEvening - 600));
  CHECK(clock.take_tdt(kEvening - 570));
  CHECK(clock.time().utc == kEvening - 570);
}

TEST_CASE("a first TDT is replaced immediately if the next one contradicts it") {
  BroadcastClock clock;
  CHECK(clock.take_tdt(kEvening + 64 * 86400));
  CHECK(clock.take_tdt(kEvening));
  CHECK(clock.time().utc == kEvening);
}

TEST_CASE("a first TDT far from all present events waits for a second one") {
  BroadcastClock clock;
  present(clock, 1, kEvening, 90);
  CHECK_FALSE(clock.take_tdt(kEvening + 64 * 86400));
  CHECK(clock.time().utc == kEvening);
  CHECK(clock.take_tdt(kEvening + 64 * 86400 + 30));
  CHECK(clock.time().origin == BroadcastTime::Origin::tdt);
}
