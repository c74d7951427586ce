// Tests of the order of RTP packets.
#include "rtp/rtp_receiver.h"

#include <doctest/doctest.h>

#include <vector>

using namespace receiverd;
using namespace receiverd::rtp;
using namespace std::chrono_literals;

namespace {

/// A packet of one transport packet, whose PID is the sequence number.
std::vector<std::uint8_t> packet(std::uint16_t sequence, std::uint32_t source = 1) {
  std::vector<std::uint8_t> bytes = {0x80,
                                     33,
                                     static_cast<std::uint8_t>(sequence >> 8),
                                     static_cast<std::uint8_t>(sequence),
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     static_cast<std::uint8_t>(source),
                                     0x47,
                                     static_cast<std::uint8_t>(sequence >> 8),
                                     static_cast<std::uint8_t>(sequence)};
  bytes.resize(12 + 188);
  return bytes;
}

struct Receiving {
  RtpReceiver receiver;
  RtpReceiver::Time now{};

  void take(const std::vector<std::uint16_t>& sequences) {
    for (const std::uint16_t one : sequences) receiver.packet(packet(one), now);
  }
  std::vector<std::uint16_t> order() const {
    std::vector<std::uint16_t> found;
    const auto& output = receiver.output();
    for (std::size_t at = 0; at < output.size(); at += 188) {
      found.push_back(static_cast<std::uint16_t>(output[at + 1] << 8 | output[at + 2]));
    }
    return found;
  }
};

using Order = std::vector<std::uint16_t>;

}  // namespace

TEST_CASE("Reordered packets are put back into order, also where sequence numbers wrap") {
  Receiving r;
  r.take({65533, 65535, 65534, 1, 2, 0, 3});
  CHECK(r.order() == Order{65533, 65534, 65535, 0, 1, 2, 3});
  CHECK(r.receiver.counters().reordered == 2);
  CHECK(r.receiver.counters().lost == 0);
}

TEST_CASE("Packets that do not arrive in time are lost") {
  Receiving r;
  r.take({1, 3, 4, 6});
  r.receiver.tick(r.now += 39ms);
  CHECK(r.order() == Order{1});
  r.receiver.tick(r.now += 1ms);
  CHECK(r.order() == Order{1, 3, 4});
  // The next gap has a timeout of its own.
  r.receiver.tick(r.now += 40ms);
  CHECK(r.order() == Order{1, 3, 4, 6});
  CHECK(r.receiver.counters().lost == 2);
  // One packet too late, and one duplicate.
  r.take({2, 6});
  CHECK(r.receiver.counters().late == 2);
  CHECK(r.order() == Order{1, 3, 4, 6});
}

TEST_CASE("A full window ends the wait for a missing packet") {
  Receiving r;
  Order sent = {0};
  for (std::uint16_t n = 2; n <= RtpReceiver::kMaxHeldPackets + 1; ++n) sent.push_back(n);
  r.take(sent);
  CHECK(r.order() == sent);
  CHECK(r.receiver.counters().lost == 1);
}

TEST_CASE("A large step or another sender starts a new stream, without loss") {
  Receiving r;
  r.take({1, 2, 3004, 3005, 2905});
  r.receiver.packet(packet(7, 2), r.now);
  CHECK(r.order() == Order{1, 2, 3004, 3005, 2905, 7});
  CHECK(r.receiver.counters().lost == 0);
  // A smaller step is a loss of the packets between.
  Receiving losing;
  losing.take({1, 2, 3002});
  losing.receiver.tick(losing.now += 40ms);
  CHECK(losing.receiver.counters().lost == 2999);
}

TEST_CASE("Any permutation of packets within the window arrives complete") {
  Receiving r;
  std::uint32_t seed = 1;
  const auto random = [&] { return seed = seed * 1664525 + 1013904223, seed >> 16; };
  Order sent;
  for (std::uint16_t n = 0; n < 5000; ++n) sent.push_back(n);
  for (std::size_t i = 1; i + 20 < sent.size(); i += 20) {
    for (std::size_t k = 19; k > 0; --k) std::swap(sent[i + k], sent[i + random() % (k + 1)]);
  }
  for (const std::uint16_t one : sent) r.receiver.packet(packet(one), r.now);
  Order expected;
  for (std::uint16_t n = 0; n < 5000; ++n) expected.push_back(n);
  CHECK(r.order() == expected);
  CHECK(r.receiver.counters().lost == 0);
}

TEST_CASE("A reader that is always one packet behind loses nothing, however long it reads") {
  Receiving r;
  r.take({0});
  std::vector<std::uint8_t> one(188);
  constexpr unsigned kPackets = 3 * RtpReceiver::kMaxOutputBytes / 188;
  for (unsigned next = 1; next < kPackets; ++next) {
    r.take({static_cast<std::uint16_t>(next)});
    REQUIRE(r.receiver.take(one) == one.size());
    REQUIRE((one[1] << 8 | one[2]) == static_cast<std::uint16_t>(next - 1));
  }
  CHECK(r.receiver.counters().lost == 0);
  CHECK(r.receiver.output().size() <= 2 * RtpReceiver::kMaxOutputBytes);
}

TEST_CASE("Headers may have sources, an extension and padding") {
  RtpReceiver receiver;
  std::vector<std::uint8_t> bytes = packet(1);
  bytes[0] = 0x80 | 0x20 | 0x10 | 2;
  const std::vector<std::uint8_t> more = {1, 2, 3, 4, 5, 6, 7, 8, 0xbe, 0xde, 0, 1, 9, 9, 9, 9};
  bytes.insert(bytes.begin() + 12, more.begin(), more.end());
  bytes.insert(bytes.end(), {0, 0, 3});
  receiver.packet(bytes, {});
  CHECK(receiver.output().size() == 188);
  CHECK(receiver.output()[2] == 1);
}

TEST_CASE("Forward error correction packets, with sequence numbers of their own, replace no packet") {
  Receiving r;
  for (const std::uint16_t sequence : {100, 101, 102, 103, 104, 105}) {
    auto correction = packet(static_cast<std::uint16_t>(sequence + 1));
    correction[1] = 97;
    correction.resize(12 + 16 + 188);
    r.receiver.packet(correction, r.now);
    r.receiver.packet(wire::Bytes(correction).first(12), r.now);
    auto media = packet(sequence);
    // Some senders use another payload type, sometimes with the marker bit.
    media[1] = sequence % 2 == 0 ? 96 : 0x80 | 96;
    r.receiver.packet(media, r.now);
  }
  CHECK(r.order() == Order{100, 101, 102, 103, 104, 105});
  CHECK(r.receiver.counters().lost == 0);
  CHECK(r.receiver.counters().late == 0);
}

TEST_CASE("Datagrams without a transport stream are refused, packets without RTP accepted, empty ones ignored") {
  RtpReceiver receiver;
  std::vector<std::uint8_t> bare(188 * 2);
  bare[0] = bare[188] = 0x47;
  receiver.packet(bare, {});
  CHECK(receiver.output().size() == bare.size());
  std::vector<std::uint8_t> bytes = packet(1);
  receiver.packet(wire::Bytes(bytes).first(12), {});
  CHECK(receiver.counters().refused == 0);
  receiver.packet(wire::Bytes(bytes).first(11), {});
  bytes[3] = 2;
  receiver.packet(wire::Bytes(bytes).first(100), {});
  bytes[0] = 0;
  receiver.packet(bytes, {});
  CHECK(receiver.counters().refused == 3);
  CHECK(receiver.output().size() == bare.size());
}
