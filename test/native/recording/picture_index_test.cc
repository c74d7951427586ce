// Tests of finding the pictures and access points of a recorded video stream.
#include "recording/picture_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "dvb/made_stream.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;

namespace {

struct Found final : PictureSink {
  void access_point(std::uint64_t offset, std::uint64_t pts) override { points.emplace_back(offset, pts); }
  void structure(std::uint64_t offset, std::uint64_t data) override { entries.emplace_back(offset, data); }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> points;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;
};

Found index_of(VideoCodec codec, const std::vector<std::uint8_t>& stream) {
  Found found;
  PictureIndex index(found);
  index.begin(codec);
  for (std::size_t at = 0; at < stream.size(); at += kPacketSize) index.push(Packet(stream.data() + at), at);
  return found;
}

/// The 64 bits of an entry with a PTS.
constexpr std::uint64_t with_pts(std::uint64_t bytes, std::uint64_t pts) { return bytes | 1ULL << 24 | pts << 31; }

std::vector<std::uint8_t> filled(std::vector<std::uint8_t> head, std::size_t size) {
  head.resize(size, 0x55);
  return head;
}

}  // namespace

TEST_CASE("MPEG-2: sequence, group and picture headers; with a PTS up to the first picture") {
  MadeStream made;
  made.pes({.pid = kVideo,
            .pts = 0x1'2345'6789,
            .bounded = false,
            .payload = filled({0, 0, 1, 0xB3, 0x2D, 0x02, 0, 0, 1, 0xB8, 1, 2, 0, 0, 1, 0, 0x11, 0x0A}, 500)});
  const std::size_t second = made.bytes.size();
  made.pes({.pid = kVideo, .pts = 3600, .bounded = false, .payload = filled({0, 0, 1, 0, 0x22, 0x12}, 30)});
  const std::size_t third = made.bytes.size();
  // Two pictures (fields) with one PTS.
  std::vector<std::uint8_t> fields = filled({0, 0, 1, 0, 0x33, 0x1A}, 20);
  fields.insert(fields.end(), {0, 0, 1, 0, 0x34, 0x1B, 0});
  made.pes({.pid = kVideo, .pts = 7200, .bounded = false, .payload = filled(fields, 40)});

  const Found found = index_of(VideoCodec::mpeg2, made.bytes);
  CHECK(found.points == decltype(found.points){{0, 0x1'2345'6789}});
  REQUIRE(found.entries.size() == 6);
  const std::size_t head = 4 + 14;  // packet and PES header
  CHECK(found.entries[0] == std::pair<std::uint64_t, std::uint64_t>{head, with_pts(0x022DB3, 0x1'2345'6789)});
  CHECK(found.entries[1] == std::pair<std::uint64_t, std::uint64_t>{head + 6, with_pts(0x0201B8, 0x1'2345'6789)});
  CHECK(found.entries[2].second == with_pts(0x0A1100, 0x1'2345'6789));
  CHECK(found.entries[3].second == with_pts(0x122200, 3600));
  CHECK(found.entries[4].second == with_pts(0x1A3300, 7200));
  CHECK(found.entries[5].second == 0x1B3400);
  CHECK(found.entries[3].first > second);
  CHECK(found.entries[4].first > third);
}

TEST_CASE("H.264 and HEVC: access unit delimiters, access points if they announce intra pictures") {
  struct Case {
    VideoCodec codec;
    std::vector<std::uint8_t> intra;
    std::uint64_t intra_bytes;
    std::vector<std::uint8_t> other;
    std::uint64_t other_bytes;
  };
  const Case cases[] = {
      {VideoCodec::h264, {0, 0, 0, 1, 9, 0x10, 0, 0, 1, 0x65}, 0x1009, {0, 0, 0, 1, 9, 0x30, 0, 0, 1, 0x41}, 0x3009},
      {VideoCodec::hevc,
       {0, 0, 0, 1, 0x46, 1, 0x10, 0, 0, 1, 0x26},
       0x1046,
       {0, 0, 0, 1, 0x46, 1, 0x50, 0, 0, 1, 0x02},
       0x5046}};
  for (const Case& one : cases) {
    MadeStream made;
    made.pes({.pid = kVideo, .pts = 100, .bounded = false, .payload = filled(one.intra, 400)});
    made.pes({.pid = kVideo, .pts = 200, .bounded = false, .payload = filled(one.other, 400)});
    const std::size_t third = made.bytes.size();
    made.pes({.pid = kVideo, .pts = 300, .bounded = false, .payload = filled(one.intra, 400)});
    // Without a PTS, players cannot address it.
    made.pes({.pid = kVideo, .bounded = false, .payload = filled(one.intra, 400)});
    const Found found = index_of(one.codec, made.bytes);
    CHECK(found.points == decltype(found.points){{0, 100}, {third, 300}});
    REQUIRE(found.entries.size() == 4);
    CHECK(found.entries[0].second == with_pts(one.intra_bytes, 100));
    CHECK(found.entries[1].second == with_pts(one.other_bytes, 200));
    CHECK(found.entries[3].second == one.intra_bytes);
    // The offset is that of 00 00 01, after the zero that some encoders put before it.
    CHECK(made.bytes[found.entries[0].first + 2] == 1);
  }
}

TEST_CASE("A picture at which a decoder can start is an access point even without a delimiter") {
  MadeStream made;
  made.pes({.pid = kVideo, .pts = 1, .bounded = false, .payload = filled({0, 0, 1, 0x67, 0x64}, 300)});
  made.pes({.pid = kVideo, .pts = 2, .bounded = false, .payload = filled({0, 0, 1, 0x41, 0x9A}, 300)});
  const std::size_t third = made.bytes.size();
  made.pes({.pid = kVideo, .pts = 3, .random_access = true, .bounded = false, .payload = filled({0, 0, 1, 0x41}, 9)});
  const Found found = index_of(VideoCodec::h264, made.bytes);
  CHECK(found.points == decltype(found.points){{0, 1}, {third, 3}});
  CHECK(found.entries.empty());
}

TEST_CASE("Start codes are found wherever packets split them") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    // Few values, so that there are many start codes.
    const std::uint8_t values[] = {0, 0, 0, 1, 1, 0xB3, 0xB8, 9, 0x46};
    std::vector<std::uint8_t> payload(1 + random() % 700);
    for (auto& byte : payload) byte = values[random() % std::size(values)];
    // Packets of any size.
    MadeStream made;
    made.packet(kVideo, true, 0, {}, std::vector<std::uint8_t>{0, 0, 1, 0xE0, 0, 0, 0x80, 0, 0});
    std::vector<std::uint64_t> offsets;
    for (std::size_t at = 0; at < payload.size();) {
      const std::size_t part = std::min<std::size_t>(1 + random() % (round % 2 == 0 ? 4 : 184), payload.size() - at);
      made.packet(kVideo, false, 0, {}, wire::Bytes(payload).subspan(at, part));
      for (std::size_t i = 0; i < part; ++i) offsets.push_back(made.bytes.size() - part + i);
      at += part;
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (std::size_t at = 0; at + 5 < payload.size(); ++at) {
      if (payload[at] != 0 || payload[at + 1] != 0 || payload[at + 2] != 1) continue;
      const std::uint64_t code = payload[at + 3];
      if (code != 0 && code != 0xB3 && code != 0xB8) continue;
      expected.emplace_back(offsets[at], code | payload[at + 4] << 8U | payload[at + 5] << 16U);
    }
    CHECK(index_of(VideoCodec::mpeg2, made.bytes).entries == expected);
  }
}
