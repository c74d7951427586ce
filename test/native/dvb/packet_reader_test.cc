// Tests of finding packets in a byte stream, and of the packet fields.
#include "dvb/packets/packet_reader.h"

#include <doctest/doctest.h>

#include <vector>

#include "dvb/arbitrary.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

using Stream = std::vector<std::uint8_t>;

/// `count` packets of random content, numbered in their first payload bytes, `distance` bytes apart. `before` and the
/// rest of the distance are filled with random bytes.
Stream packets(std::size_t count, std::size_t distance, std::size_t before, Arbitrary& any) {
  Stream stream;
  const auto noise = [&](std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) stream.push_back(any.u8());
  };
  for (std::size_t number = 0; number < count; ++number) {
    noise(before);
    stream.insert(stream.end(), {kSyncByte, 0x01, 0x00, 0x10});
    for (int shift = 24; shift >= 0; shift -= 8) stream.push_back(static_cast<std::uint8_t>(number >> shift));
    noise(kPacketSize - 8 + distance - kPacketSize - before);
  }
  return stream;
}

/// Reads `stream` in chunks of random size and returns the numbers of the packets.
std::vector<std::uint32_t> numbers(PacketReader& reader, const Stream& stream, std::uint32_t max_chunk,
                                   Arbitrary& any) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t size = std::min<std::size_t>(1 + any.below(max_chunk), stream.size() - at);
    // A separate copy, so that a read beyond the chunk is detected.
    const Stream chunk(stream.begin() + static_cast<std::ptrdiff_t>(at),
                       stream.begin() + static_cast<std::ptrdiff_t>(at + size));
    reader.feed(chunk);
    for (wire::Bytes run; !(run = reader.next()).empty();) {
      CHECK(run.size() % kPacketSize == 0);
      for (; !run.empty(); run = run.subspan(kPacketSize)) {
        CHECK(run[0] == kSyncByte);
        numbers.push_back(wire::Cursor(run.subspan(4)).u32());
      }
    }
    at += size;
  }
  return numbers;
}

std::vector<std::uint32_t> count_from(std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint32_t> all;
  for (; begin < end; ++begin) all.push_back(begin);
  return all;
}

}  // namespace

TEST_CASE("packets every 188, 192 and 204 bytes are found complete, whatever the chunk sizes") {
  struct Framing {
    std::size_t distance, before;
  };
  for (const Framing framing : {Framing{188, 0}, Framing{192, 4}, Framing{204, 0}}) {
    for (const std::uint32_t max_chunk : {1U, 7U, 187U, 188U, 189U, 1000U, 100'000U}) {
      Arbitrary any(max_chunk);
      const Stream stream = packets(200, framing.distance, framing.before, any);
      PacketReader reader;
      CAPTURE(framing.distance);
      CAPTURE(max_chunk);
      CHECK(numbers(reader, stream, max_chunk, any) == count_from(0, 200));
      CHECK(reader.packet_distance() == framing.distance);
      CHECK(reader.counters() == PacketReader::Counters{200, framing.before, 0});
    }
  }
}

TEST_CASE("a run of packets is returned in place in the chunk") {
  Arbitrary any(1);
  const Stream stream = packets(50, 188, 0, any);
  PacketReader reader;
  reader.feed(stream);
  while (!reader.next().empty()) {
  }
  reader.feed(stream);
  const wire::Bytes run = reader.next();
  CHECK(run.data() == stream.data());
  CHECK(run.size() == stream.size());
}

TEST_CASE("one damaged sync byte costs one packet") {
  Arbitrary any(2);
  for (const std::uint32_t max_chunk : {5U, 300U, 100'000U}) {
    Stream stream = packets(100, 188, 0, any);
    stream[40 * 188] = 0;
    PacketReader reader;
    const auto read = numbers(reader, stream, max_chunk, any);
    CHECK(read.size() == 99);
    CHECK(reader.counters() == PacketReader::Counters{99, 188, 1});
  }
}

TEST_CASE("missing and added bytes cost the packet they are in") {
  Arbitrary any(3);
  for (const std::uint32_t max_chunk : {5U, 300U, 100'000U}) {
    Stream stream = packets(100, 188, 0, any);
    stream.erase(stream.begin() + 30 * 188 + 50, stream.begin() + 30 * 188 + 60);
    stream.insert(stream.begin() + 60 * 188 + 17, 500, 0xAA);
    PacketReader reader;
    const auto read = numbers(reader, stream, max_chunk, any);
    // The packet with the hole is returned, since it has its sync byte. The damage shows in its CRC or picture.
    CHECK(read.size() >= 97);
    CHECK(read.back() == 99);
    CHECK(reader.counters().sync_losses == 2);
  }
}

TEST_CASE("noise before the first packet is skipped") {
  Arbitrary any(4);
  Stream stream(5000);
  for (auto& byte : stream) byte = any.u8();
  const Stream clean = packets(50, 188, 0, any);
  stream.insert(stream.end(), clean.begin(), clean.end());
  PacketReader reader;
  const auto read = numbers(reader, stream, 700, any);
  CHECK(read == count_from(0, 50));
  CHECK(reader.counters().skipped_bytes == 5000);
}

TEST_CASE("a change of the packet distance is detected") {
  Arbitrary any(5);
  Stream stream = packets(50, 188, 0, any);
  const Stream other = packets(50, 204, 0, any);
  stream.insert(stream.end(), other.begin(), other.end());
  PacketReader reader;
  const auto read = numbers(reader, stream, 4000, any);
  CHECK(read.size() >= 98);
  CHECK(reader.packet_distance() == 204);
}

TEST_CASE("pure noise yields no packets and is counted completely") {
  Arbitrary any(6);
  Stream stream(200'000);
  for (auto& byte : stream) byte = any.u8() & 0xB8;  // never 0x47
  PacketReader reader;
  CHECK(numbers(reader, stream, 9000, any).empty());
  CHECK(reader.counters().skipped_bytes == stream.size());
}

TEST_CASE("packet fields are read as the standard defines them") {
  std::vector<std::uint8_t> bytes(kPacketSize, 0xFF);
  const std::uint8_t head[] = {0x47, 0xC1, 0x23, 0xB7, 7, 0xD0, 0x12, 0x34, 0x56, 0x78, 0xFF, 0x2B};
  std::copy(std::begin(head), std::end(head), bytes.begin());
  const Packet packet(bytes.data());
  CHECK(packet.transport_error());
  CHECK(packet.payload_unit_start());
  CHECK(packet.pid() == 0x123);
  CHECK(packet.scrambling_control() == 2);
  CHECK(packet.continuity_counter() == 7);
  CHECK(packet.discontinuity_indicator());
  CHECK(packet.random_access_indicator());
  REQUIRE(packet.pcr());
  CHECK(*packet.pcr() == (0x12345678ULL * 2 + 1) * 300 + 0x12B);
  CHECK(packet.payload().size() == kPacketSize - 12);

  bytes[4] = 184;  // an adaptation field longer than the packet
  CHECK_FALSE(Packet(bytes.data()).pcr());
  CHECK(Packet(bytes.data()).payload().empty());
}
