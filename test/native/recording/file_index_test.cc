// Tests of finding the access points of an existing recording.
#include "recording/file_index.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dvb/made_stream.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;

namespace {

using FileContent = std::vector<std::uint8_t>;
using PointList = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

struct PointSink final : PictureSink {
  void access_point(std::uint64_t offset, std::uint64_t pts) override { points.emplace_back(offset, pts); }
  void structure(std::uint64_t, std::uint64_t) override {}
  PointList points;
};

/// MPEG-2 pictures, one a second, in 3 MB. The clock wraps at the fifth and jumps at the tenth.
FileContent made_recording() {
  constexpr std::uint64_t kSecond = 90'000;
  constexpr std::uint64_t kWrap = 1ULL << 33;
  MadeStream made;
  made.video_tables();
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::uint64_t pts = (kWrap - 5 * kSecond + i * kSecond + (i < 10 ? 0 : 5000 * kSecond)) % kWrap;
    FileContent picture = {0, 0, 1, 0xB3, 1, 2, 3, 0, 0, 1, 0, 1, 2, 3};
    picture.resize(150'000, 0x55);
    made.pes({.pid = kVideo, .pts = pts, .pcr = pts * 300, .bounded = false, .payload = picture});
  }
  return made.bytes;
}

/// What RecordedStream finds while these packets are recorded.
PointList points_of_packets(const FileContent& packets) {
  PointSink found;
  RecordedStream stream(found);
  stream.take(packets, 0);
  return found.points;
}

/// What FileIndex finds in a file of these bytes.
PointList points_of_file(const FileContent& content) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  REQUIRE(std::fwrite(content.data(), 1, content.size(), file.get()) == content.size());
  REQUIRE(std::fflush(file.get()) == 0);
  FileIndex index;
  std::size_t total = 0;
  while (const std::size_t count = index.step(fileno(file.get()))) total += count;
  CHECK(total == content.size());
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | index.entries()[at + i];
    return value;
  };
  PointList points;
  for (std::size_t at = 0; at < index.entries().size(); at += 16) points.emplace_back(number(at), number(at + 8));
  return points;
}

}  // namespace

TEST_CASE("An existing recording has the access points that recording it gave") {
  const FileContent packets = made_recording();
  const PointList points = points_of_packets(packets);
  CHECK(points.size() == 20);
  CHECK(points_of_file(packets) == points);
}

TEST_CASE("Access points are where their packets are in the file, also after bytes that are no packets") {
  const FileContent packets = made_recording();
  FileContent shifted(100, 0x11);
  // The second gap is in the middle of a picture, where a packet is cut.
  const std::size_t cut = (packets.size() / kPacketSize * 2 / 5 + 20) * kPacketSize + 50;
  shifted.insert(shifted.end(), packets.begin(), packets.begin() + static_cast<std::ptrdiff_t>(cut));
  shifted.insert(shifted.end(), packets.begin() + static_cast<std::ptrdiff_t>(cut + 30), packets.end());
  const PointList points = points_of_file(shifted);
  CHECK(points.size() == 20);
  for (const auto& [offset, pts] : points) {
    REQUIRE(offset + kPacketSize <= shifted.size());
    const Packet packet(shifted.data() + offset);
    CHECK(shifted[offset] == kSyncByte);
    CHECK(packet.pid() == kVideo);
    CHECK(pts_of(packet) == pts);
  }
}

TEST_CASE("Files without packets of 188 bytes have no access points") {
  CHECK(points_of_file({}).empty());
  CHECK(points_of_file(FileContent(3'000'000, 0x47 + 1)).empty());
  const FileContent packets = made_recording();
  FileContent stamped;
  for (std::size_t at = 0; at < packets.size(); at += kPacketSize) {
    stamped.insert(stamped.end(), 4, 0);
    stamped.insert(stamped.end(), packets.begin() + static_cast<std::ptrdiff_t>(at),
                   packets.begin() + static_cast<std::ptrdiff_t>(at + kPacketSize));
  }
  CHECK(points_of_file(stamped).empty());
}

TEST_CASE("A file that cannot be read is an error") {
  FileIndex index;
  CHECK_THROWS_AS(index.step(-1), std::runtime_error);
}
