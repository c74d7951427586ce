// Tests of the time, the present event and the pictures of a recorded stream.
#include "recording/recorded_stream.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "dvb/made_stream.h"
#include "dvb/packets/section_writer.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;

namespace {

constexpr std::uint64_t kSecond = 90'000;

struct Points final : PictureSink {
  void access_point(std::uint64_t offset, std::uint64_t pts) override { all.emplace_back(offset, pts); }
  void structure(std::uint64_t, std::uint64_t) override { ++pictures; }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  int pictures = 0;
};

Pat pat_of_one() {
  Pat pat;
  pat.transport_stream_id = 7;
  pat.programs = {{1, 0x1000}};
  return pat;
}

Pmt television() {
  Pmt pmt;
  pmt.service_id = 1;
  pmt.pcr_pid = kVideo;
  pmt.streams = {{0x02, kVideo, {}}, {0x03, kAudio, {}}};
  return pmt;
}

void picture(MadeStream& made, std::uint64_t pts, std::uint8_t scrambling = 0) {
  made.pes({.pid = kVideo,
            .pts = pts & 0x1'FFFF'FFFF,
            .pcr = (pts & 0x1'FFFF'FFFF) * 300,
            .bounded = false,
            .scrambling = scrambling,
            .payload = {0, 0, 1, 0xB3, 1, 2, 3, 0, 0, 1, 0, 1, 2, 3}});
}

Section present(std::uint16_t event, std::uint8_t version = 0) {
  SectionWriter eit({.table_id = table_id::kEitPresentFollowingActual, .table_id_extension = 1, .version = version});
  for (const std::uint16_t value : {7, 9}) eit.u16(value);
  for (const std::uint8_t value : {0, 0x4E}) eit.u8(value);
  eit.u16(event);
  eit.u40(0xE000000000);
  for (const std::uint8_t value : {1, 0, 0, 0x80, 0}) eit.u8(value);
  return eit.finish();
}

}  // namespace

TEST_CASE("Time continues across clock jumps and the wrap of its 33 bits") {
  MadeStream made;
  made.tables(pat_of_one(), {{0x1000, television()}});
  const std::uint64_t begin = (1ULL << 33) - 3 * kSecond;
  for (std::uint64_t i = 0; i <= 6; ++i) picture(made, begin + i * kSecond);  // 6 s, including the wrap
  picture(made, 40'000 * kSecond);                                            // a jump takes no time
  picture(made, 40'002 * kSecond);
  picture(made, 40'001 * kSecond);  // pictures are not sent in display order
  picture(made, 39'996 * kSecond);  // nor does a jump back by a few seconds take time
  picture(made, 39'998 * kSecond);
  Points points;
  RecordedStream stream(points);
  stream.take(made.bytes, 0);
  CHECK(stream.ticks() == 10 * kSecond);
  CHECK(points.all.size() == 12);
  CHECK(points.pictures == 24);
  CHECK(stream.totals().continuity_errors == 0);
}

TEST_CASE("A service with only audio has a time and no access points") {
  Pmt radio;
  radio.service_id = 1;
  radio.pcr_pid = kAudio;
  radio.streams = {{0x03, kAudio, {}}};
  MadeStream made;
  made.tables(pat_of_one(), {{0x1000, radio}});
  for (std::uint64_t i = 0; i <= 4; ++i)
    made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = i * kSecond, .payload = {1}});
  Points points;
  RecordedStream stream(points);
  stream.take(made.bytes, 0);
  CHECK(stream.ticks() == 4 * kSecond);
  CHECK(points.all.empty());
}

TEST_CASE("A scrambled recording has one entry per second with its own time, which starts at 0") {
  MadeStream made;
  made.tables(pat_of_one(), {{0x1000, television()}});
  for (std::uint64_t i = 0; i <= 20; ++i) picture(made, 500 * kSecond + i * kSecond / 4, 2);
  Points points;
  RecordedStream stream(points);
  stream.take(made.bytes, 1880);
  CHECK(stream.ticks() == 5 * kSecond);
  REQUIRE(points.all.size() == 6);
  CHECK(points.all.front().second == 0);
  CHECK(points.all.back().second == 5 * kSecond);
  CHECK(points.all.front().first % kPacketSize == 0);
  CHECK(stream.totals().scrambled > 20);
}

TEST_CASE("The present event is reported with its start time") {
  MadeStream made;
  made.tables(pat_of_one(), {{0x1000, television()}});
  made.section(pid::kEit, present(4711));
  picture(made, 0);
  picture(made, 3 * kSecond);
  made.section(pid::kEit, present(4711, 1));
  picture(made, 5 * kSecond);
  made.section(pid::kEit, present(4712, 2));
  picture(made, 8 * kSecond);
  Points points;
  RecordedStream stream(points);
  stream.take(made.bytes, 0);
  REQUIRE(stream.present());
  CHECK(stream.present()->id == 4712);
  CHECK(stream.present()->ticks == 5 * kSecond);
}

TEST_CASE("An interruption does not count as a gap") {
  MadeStream before;
  before.tables(pat_of_one(), {{0x1000, television()}});
  for (std::uint64_t i = 0; i < 5; ++i) picture(before, i * kSecond);
  MadeStream after;
  after.tables(pat_of_one(), {{0x1000, television()}});
  for (std::uint64_t i = 0; i < 5; ++i) picture(after, i * kSecond);
  Points points;
  RecordedStream stream(points);
  stream.take(before.bytes, 0);
  stream.mark_interrupted();
  stream.take(after.bytes, before.bytes.size());
  CHECK(stream.totals().continuity_errors == 0);
  CHECK(points.all.size() == 10);
}
