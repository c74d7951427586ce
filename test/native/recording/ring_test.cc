// Tests of the ring behind timeshift: segments, bounds, interruptions, full disks, feeding recordings.
#include "recording/ring.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "dvb/made_stream.h"
#include "dvb/packets/clock_shift.h"
#include "dvb/packets/section_writer.h"
#include "recording/recording.h"
#include "temporary_folder.h"
#include "waits.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;
using namespace std::chrono_literals;

namespace {

constexpr std::uint16_t kPmt = 0x1000;
/// Pictures per second, and the distance between two at which a decoder can start.
constexpr int kRate = 25;
constexpr int kGroup = 12;

using Buffer = std::vector<std::uint8_t>;

/// Generates a service picture by picture; the bytes of each picture and audio frame are different.
class RingService {
 public:
  explicit RingService(bool video = true) : video_(video) {
    pmt_.service_id = 1;
    pmt_.pcr_pid = video ? kVideo : kAudio;
    if (video) pmt_.streams.push_back({0x02, kVideo, {}});
    pmt_.streams.push_back({0x03, kAudio, {}});
    pat_.transport_stream_id = 7;
    pat_.programs = {{1, kPmt}};
  }

  Buffer pictures(int count, std::size_t size = 9000) {
    MadeStream& made = made_;
    made.bytes.clear();
    for (int i = 0; i < count; ++i, ++picture_) {
      const std::uint64_t pts = 90'000 + static_cast<std::uint64_t>(picture_) * (90'000 / kRate);
      if (picture_ % 5 == 0) made.tables(pat_, {{kPmt, pmt_}});
      if (video_) {
        Buffer payload = {0, 0, 1, 0, 1, 2, 3};
        if (picture_ % kGroup == 0) payload = {0, 0, 1, 0xB3, 1, 2, 3, 0, 0, 1, 0, 1, 2, 3};
        payload.resize(size, static_cast<std::uint8_t>(2 + picture_ % 250));
        made.pes({.pid = kVideo, .pts = pts, .pcr = pts * 300, .bounded = false, .payload = payload});
      }
      const Buffer sound(800, static_cast<std::uint8_t>(2 + picture_ % 250));
      if (video_) {
        made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = pts, .payload = sound});
      } else {
        made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = pts, .pcr = pts * 300, .payload = sound});
      }
    }
    return made.bytes;
  }

 private:
  const bool video_;
  MadeStream made_;
  Pmt pmt_;
  Pat pat_;
  int picture_ = 0;
};

/// A disk of limited size; removed files free their space.
class SmallDisk final : public Disk {
 public:
  explicit SmallDisk(std::string folder) : folder_(std::move(folder)) {}
  ssize_t write(int file, wire::Bytes bytes, std::uint64_t offset) override {
    std::uint64_t used = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) used += entry.file_size();
    if (used + bytes.size() > capacity) {
      errno = ENOSPC;
      return -1;
    }
    return Disk::write(file, bytes, offset);
  }

  std::atomic<std::uint64_t> capacity{~std::uint64_t{0}};

 private:
  const std::string folder_;
};

struct RingFixture {
  TemporaryFolder folder;
  std::string path = folder.file("ring");
  RingOptions options{
      .folder = path, .max_bytes = 64 << 20, .min_free_bytes = 0, .first_sequence = 100, .gather_time = 5ms};
  Buffer sent;

  RingFixture() { std::filesystem::create_directory(path); }

  void send(StreamQueue& queue, const Buffer& packets) {
    queue.append(packets, std::chrono::steady_clock::now());
    queue.flush(std::chrono::steady_clock::now() + 1s);
    sent.insert(sent.end(), packets.begin(), packets.end());
  }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path)) all.insert(entry.path().filename());
    return all;
  }
  Buffer file(std::uint64_t sequence) const { return read_file(path + "/" + std::to_string(sequence) + ".ts"); }
};

/// Whether all data of the ring has been written.
bool settled(const Ring& ring, std::uint64_t packets) {
  return wait_for([&] {
    const RingStatus status = ring.status();
    return status.packets == packets && status.error == 0 && status.growing.bytes != 0;
  });
}

std::vector<Packet> packets_of(wire::Bytes bytes) {
  std::vector<Packet> all;
  for (std::size_t at = 0; at + kPacketSize <= bytes.size(); at += kPacketSize) all.emplace_back(bytes.data() + at);
  return all;
}

/// The content of the ring without the copies placed before the segments.
Buffer content(const RingFixture& fixture, const Ring& ring) {
  Buffer all;
  std::vector<RingSegment> segments = ring.segments(0);
  segments.push_back(ring.status().growing);
  for (const auto& segment : segments) {
    const Buffer bytes = fixture.file(segment.sequence);
    if (bytes.size() < segment.head) continue;  // it was just started
    all.insert(all.end(), bytes.begin() + static_cast<std::ptrdiff_t>(segment.head), bytes.end());
  }
  return all;
}

}  // namespace

TEST_CASE(
    "the segments of a ring contain the packets of the service, and each starts with tables and an access point") {
  RingFixture fixture;
  RingService service;
  Ring ring(fixture.options);
  const auto queue = ring.open_queue();
  fixture.send(*queue, service.pictures(30 * kRate));
  REQUIRE(wait_for([&] { return ring.segments(0).size() >= 6; }));
  const std::vector<RingSegment> segments = ring.segments(0);
  std::uint64_t sequence = 100;
  for (const auto& segment : segments) {
    CAPTURE(segment.sequence);
    CHECK(segment.sequence == sequence++);
    CHECK(segment.closed);
    CHECK(segment.discontinuity == (segment.sequence == 100));
    CHECK(segment.ticks >= RingOptions{}.min_segment_ticks);
    CHECK(segment.ticks < RingOptions{}.min_segment_ticks + 90'000);
    const Buffer bytes = fixture.file(segment.sequence);
    REQUIRE(bytes.size() == segment.bytes);
    const auto packets = packets_of(bytes);
    CHECK(packets[0].pid() == pid::kPat);
    CHECK(packets[1].pid() == kPmt);
    if (segment.sequence == 100) {
      CHECK(segment.head == 0);
      continue;
    }
    CHECK(segment.head == 2 * kPacketSize);
    CHECK(packets[2].pid() == kVideo);
    CHECK(packets[2].payload_unit_start());
    const wire::Bytes payload = packets[2].payload();
    constexpr std::uint8_t kSequenceHeader[] = {0, 0, 1, 0xB3};
    const auto header =
        std::search(payload.begin(), payload.end(), std::begin(kSequenceHeader), std::end(kSequenceHeader));
    CHECK(header - payload.begin() == 9 + payload[8]);
  }
  // The last picture is held until more follows; closing the stream releases it.
  queue->finish(StreamEnd::stopped);
  REQUIRE(wait_for([&] { return content(fixture, ring).size() == fixture.sent.size(); }));
  CHECK(content(fixture, ring) == fixture.sent);
  ring.close();
  CHECK(fixture.names().empty());
}

TEST_CASE("the tables before a segment do not affect the continuity counters") {
  RingFixture fixture;
  RingService service;
  Ring ring(fixture.options);
  const auto queue = ring.open_queue();
  fixture.send(*queue, service.pictures(20 * kRate));
  REQUIRE(wait_for([&] { return ring.segments(0).size() >= 3; }));
  Buffer joined;
  for (const auto& segment : ring.segments(0)) {
    const Buffer bytes = fixture.file(segment.sequence);
    joined.insert(joined.end(), bytes.begin(), bytes.end());
  }
  std::map<std::uint16_t, int> last;
  for (const Packet packet : packets_of(joined)) {
    const auto seen = last.find(packet.pid());
    if (seen != last.end() && packet.has_payload() && !packet.discontinuity_indicator()) {
      CHECK(packet.continuity_counter() == (seen->second + 1) % 16);
    }
    last[packet.pid()] = packet.continuity_counter();
  }
}

TEST_CASE("sections of any length are placed before a segment unchanged") {
  for (const std::size_t size : {std::size_t{12}, std::size_t{181}, std::size_t{182}, std::size_t{700}}) {
    CAPTURE(size);
    Buffer section(size);
    for (std::size_t i = 0; i < size; ++i) section[i] = static_cast<std::uint8_t>(i);
    Buffer packets;
    dvb::write_sent_section(section, 0x1FF, 1, true, packets);
    Buffer found;
    const auto all = packets_of(packets);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].pid() == 0x1FF);
      CHECK(all[i].payload_unit_start() == (i == 0));
      CHECK(all[i].discontinuity_indicator() == (i == 0));
      CHECK(all[i].continuity_counter() == (17 + i + 1 - all.size()) % 16);
      const wire::Bytes payload = all[i].payload().subspan(i == 0 ? 1 : 0);
      found.insert(found.end(), payload.begin(), payload.end());
    }
    REQUIRE(found.size() >= size);
    CHECK(found.size() < size + kPacketSize);
    found.resize(size);
    CHECK(found == section);
  }
}

TEST_CASE("a ring keeps its size bound, and removes the oldest segments") {
  RingFixture fixture;
  fixture.options.max_bytes = 8 << 20;
  RingService service;
  Ring ring(fixture.options);
  const auto queue = ring.open_queue();
  // Four seconds at a time, since the status is updated only five times a second.
  for (int second = 0; second < 120; second += 4) {
    fixture.send(*queue, service.pictures(4 * kRate));
    REQUIRE(settled(ring, fixture.sent.size() / kPacketSize));
    std::uint64_t used = 0;
    for (const auto& entry : std::filesystem::directory_iterator(fixture.path)) used += entry.file_size();
    REQUIRE(used <= fixture.options.max_bytes);
  }
  const RingStatus status = ring.status();
  CHECK(status.first > 100);
  CHECK(status.bytes > fixture.options.max_bytes / 2);
  CHECK(status.lost == 0);
  const auto segments = ring.segments(0);
  CHECK(segments.front().sequence == status.first);
  CHECK(fixture.names().size() == segments.size() + 1);
}

TEST_CASE("segments consist of parts with whole pictures and audio frames") {
  for (const bool video : {true, false}) {
    CAPTURE(video);
    RingFixture fixture;
    fixture.options.part_ticks = 40'000;
    fixture.options.min_segment_ticks = 90'000;
    RingService service(video);
    Ring ring(fixture.options);
    const auto queue = ring.open_queue();
    fixture.send(*queue, service.pictures(10 * kRate));
    REQUIRE(wait_for([&] { return ring.segments(0).size() >= 5 && !ring.status().growing.parts.empty(); }));
    auto segments = ring.segments(0);
    segments.push_back(ring.status().growing);
    for (const auto& segment : segments) {
      CAPTURE(segment.sequence);
      // The first segment starts with the stream, before its tables are known.
      CHECK(segment.entry == (segment.sequence != 100));
      const Buffer bytes = fixture.file(segment.sequence);
      std::uint64_t from = 0;
      std::uint64_t ticks = 0;
      for (const auto& part : segment.parts) {
        const bool last = &part == &segment.parts.back() && segment.closed;
        ticks += part.ticks;
        CHECK(part.ticks <= 40'000 + 90'000 / kRate);
        CHECK((part.ticks >= 40'000 || last));
        REQUIRE(part.end <= bytes.size());
        std::map<std::uint16_t, std::size_t> missing;
        for (const Packet packet : packets_of(wire::Bytes(bytes).subspan(from, part.end - from))) {
          if (packet.pid() == pid::kPat || packet.pid() == kPmt) continue;
          auto& left = missing[packet.pid()];
          if (packet.payload_unit_start()) {
            CHECK(left == 0);
            const auto head = read_pes_head(packet);
            REQUIRE(head);
            left = head->length == 0 ? 0 : 6 + std::size_t{head->length};
          }
          left -= std::min(left, packet.payload().size());
        }
        for (const auto& [pid, left] : missing) CHECK(left == 0);
        from = part.end;
      }
      if (segment.closed) CHECK(from == segment.bytes);
      if (segment.closed && segment.sequence != 100) CHECK(ticks == segment.ticks);
    }
    ring.close();
  }
}

TEST_CASE("a radio service is split at its audio packets") {
  RingFixture fixture;
  RingService service(false);
  Ring ring(fixture.options);
  const auto queue = ring.open_queue();
  fixture.send(*queue, service.pictures(30 * kRate));
  REQUIRE(wait_for([&] { return ring.segments(0).size() >= 6; }));
  const RingSegment second = ring.segments(101).front();
  CHECK(second.ticks == RingOptions{}.min_segment_ticks);
  const Buffer bytes = fixture.file(101);
  const Packet first(bytes.data() + second.head);
  CHECK(first.pid() == kAudio);
  CHECK(first.payload_unit_start());
}

TEST_CASE("a segment is marked if the stream was interrupted before it") {
  RingFixture fixture;
  Ring ring(fixture.options);
  RingService before;
  const auto first = ring.open_queue();
  fixture.send(*first, before.pictures(6 * kRate));
  first->finish(StreamEnd::stopped);
  REQUIRE(wait_for([&] { return ring.status().end == StreamEnd::stopped; }));
  RingService after;
  const auto second = ring.open_queue();
  CHECK(ring.status().end != StreamEnd::failed);
  fixture.send(*second, after.pictures(6 * kRate));
  second->finish(StreamEnd::ended);
  REQUIRE(wait_for([&] { return content(fixture, ring).size() == fixture.sent.size(); }));
  CHECK(content(fixture, ring) == fixture.sent);
  std::vector<std::uint64_t> broken;
  auto segments = ring.segments(0);
  segments.push_back(ring.status().growing);
  for (const auto& one : segments) {
    if (one.discontinuity) broken.push_back(one.sequence);
  }
  CHECK(broken == std::vector<std::uint64_t>{100, 102});
  CHECK(segments.back().sequence == 103);
}

TEST_CASE("on a full disk the ring gets shorter, but loses no new data") {
  RingFixture fixture;
  SmallDisk disk(fixture.path);
  fixture.options.disk = &disk;
  disk.capacity = 6 << 20;
  RingService service;
  Ring ring(fixture.options);
  const auto queue = ring.open_queue();
  for (int second = 0; second < 60; second += 4) {
    fixture.send(*queue, service.pictures(4 * kRate));
    REQUIRE(settled(ring, fixture.sent.size() / kPacketSize));
  }
  CHECK(ring.status().lost == 0);
  CHECK(ring.status().first > 100);
  CHECK(ring.status().bytes <= disk.capacity);
}

TEST_CASE("a recording is fed from the ring, which keeps the data meanwhile") {
  RingFixture fixture;
  fixture.options.max_bytes = 16 << 20;
  const std::string path = fixture.folder.file("kept.ts");
  std::ofstream(path).close();
  RingService service;
  Ring ring(fixture.options);
  const auto queue = ring.open_queue();
  fixture.send(*queue, service.pictures(30 * kRate));
  REQUIRE(settled(ring, fixture.sent.size() / kPacketSize));

  SUBCASE("up to now") {
    Recording recording({.path = path});
    const std::uint64_t there = ring.status().bytes;
    ring.feed(recording.open_queue(), 0, false);
    for (int second = 0; second < 60; ++second) fixture.send(*queue, service.pictures(kRate));
    REQUIRE(wait_for([&] { return recording.status().end == StreamEnd::stopped; }));
    REQUIRE(wait_for([&] { return ring.status().feeds == 0; }));
    recording.stop();
    const Buffer kept = read_file(path);
    // Up to the last complete picture.
    CHECK(kept.size() > there - 100 * kPacketSize - 100'000);
    REQUIRE(kept.size() < fixture.sent.size());
    CHECK(std::equal(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(kept.size() - 4000 * kPacketSize / 10),
                     fixture.sent.begin()));
    CHECK(std::filesystem::file_size(path + ".ap") > 0);
    CHECK(std::filesystem::file_size(path + ".sc") > 0);
  }

  SUBCASE("from a segment on, and then live") {
    Recording recording({.path = path});
    ring.feed(recording.open_queue(), 102, true);
    const RingSegment first = ring.segments(102).front();
    std::uint64_t before = 0;
    for (const auto& one : ring.segments(0)) before += one.sequence < 102 ? one.bytes - one.head : 0;
    for (int second = 0; second < 60; second += 4) {
      fixture.send(*queue, service.pictures(4 * kRate));
      REQUIRE(settled(ring, fixture.sent.size() / kPacketSize));
    }
    queue->finish(StreamEnd::stopped);
    REQUIRE(wait_for([&] { return recording.status().bytes == first.head + fixture.sent.size() - before; }));
    ring.close();
    recording.stop();
    const Buffer kept = read_file(path);
    const wire::Bytes packets = wire::Bytes(kept).subspan(first.head);
    CHECK(std::equal(packets.begin(), packets.end() - 4000 * kPacketSize / 10,
                     fixture.sent.begin() + static_cast<std::ptrdiff_t>(before)));
  }

  SUBCASE("data that a slow reader has not read yet is not dropped") {
    const auto slow = std::make_shared<StreamQueue>(
        1 << 20, [] {}, WhenFull::lose);
    ring.feed(slow, 0, false);
    for (int second = 0; second < 60; second += 4) {
      fixture.send(*queue, service.pictures(4 * kRate));
      REQUIRE(settled(ring, fixture.sent.size() / kPacketSize));
    }
    CHECK(ring.status().first <= 101);
    Buffer read;
    for (Chunk chunk;;) {
      const auto result = slow->read(chunk);
      if (result == StreamQueue::Read::end) break;
      if (result == StreamQueue::Read::nothing) {
        std::this_thread::sleep_for(1ms);
        continue;
      }
      read.insert(read.end(), chunk.bytes.get(), chunk.bytes.get() + chunk.size);
    }
    REQUIRE(read.size() < fixture.sent.size());
    CHECK(std::equal(read.begin(), read.end(), fixture.sent.begin()));
    CHECK(slow->counters().lost == 0);
    fixture.send(*queue, service.pictures(5 * kRate));
    CHECK(wait_for([&] { return ring.status().first > 105; }));
  }

  SUBCASE("the ring does not wait for a closed reader") {
    const auto gone = std::make_shared<StreamQueue>(
        1 << 20, [] {}, WhenFull::lose);
    ring.feed(gone, 0, true);
    gone->close_input();
    CHECK(wait_for([&] { return ring.status().feeds == 0; }));
  }
}
