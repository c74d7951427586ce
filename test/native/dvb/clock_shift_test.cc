// Tests of shifting the clocks inside transport packets: PCR, PTS, DTS, TDT and TOT.
#include "dvb/packets/clock_shift.h"

#include <doctest/doctest.h>

#include <vector>

#include "dvb/arbitrary.h"
#include "dvb/made_stream.h"
#include "dvb/si/tables.h"
#include "wire/crc32.h"

using namespace receiverd;
using namespace receiverd::dvb;

TEST_CASE("shifted clocks read back shifted, and nothing else changes") {
  Arbitrary any(5);
  const auto wide = [&](std::uint64_t end) {
    return (std::uint64_t{any.u16()} << 32 | any.u16() << 16 | any.u16()) % end;
  };
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t pts = wide(kPtsModulus);
    const std::uint64_t dts = wide(kPtsModulus);
    const std::uint64_t pcr = wide(kPcrModulus);
    const std::uint64_t shift = wide(kPcrModulus) / 300 * 300;
    MadeStream made;
    made.pes({.pid = 0x100, .pts = pts, .dts = dts, .pcr = pcr, .payload = any.bytes(100)});
    auto moved = made.bytes;
    shift_clocks(moved.data(), shift);
    const Packet packet(moved.data());
    CHECK(*packet.pcr() == (pcr + shift) % kPcrModulus);
    const auto head = read_pes_head(packet);
    REQUIRE(head);
    CHECK(*head->pts == (pts + shift / 300) % kPtsModulus);
    CHECK(*head->dts == (dts + shift / 300) % kPtsModulus);
    shift_clocks(moved.data(), kPcrModulus - shift);
    CHECK(moved == made.bytes);
  }
}

TEST_CASE("differences wrap at half the modulus") {
  CHECK(pts_difference(10, kPtsModulus - 10) == 20);
  CHECK(pts_difference(kPtsModulus - 10, 10) == -20);
  CHECK(pcr_difference(5, kPcrModulus - 5) == 10);
  CHECK(pcr_difference(300, 0) == 300);
}

TEST_CASE("shifting random packets does not crash") {
  Arbitrary any(6);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> packet(kPacketSize);
    for (auto& byte : packet) byte = any.u8();
    if (any.coin()) packet[1] |= 0x40;
    if (any.coin()) packet[3] = 0x30;
    if (any.coin()) packet[4] = static_cast<std::uint8_t>(any.below(184));
    const std::size_t payload = 5 + packet[4];
    if (any.coin() && payload + 3 <= kPacketSize) packet[payload] = packet[payload + 1] = 0, packet[payload + 2] = 1;
    const auto before = packet;
    shift_clocks(packet.data(), any.u16() * 300ULL);
    shift_broadcast_time(packet.data(), any.u16());
    CHECK(std::equal(packet.begin(), packet.begin() + 4, before.begin()));
    read_pes_head(Packet(packet.data()));
    keep_clock_only(packet.data(), packet.data());
  }
}

TEST_CASE("TDT and TOT are shifted, the TOT with its CRC") {
  for (const wire::UnixSeconds seconds : {0, 1, 86'400, 1'000'000}) {
    MadeStream made;
    constexpr wire::UnixSeconds kThen = 1'548'160'268;
    made.section(0x14, write_tdt(kThen));
    made.section(0x14, write_tot(kThen, {"FRA", 60, kThen + 100, 120}));
    for (std::size_t at = 0; at < made.bytes.size(); at += kPacketSize) {
      shift_broadcast_time(made.bytes.data() + at, seconds);
    }
    const wire::Bytes tdt = wire::Bytes(made.bytes).subspan(5, 8);
    CHECK(read_tdt(tdt) == kThen + seconds);
    const wire::Bytes tot = wire::Bytes(made.bytes).subspan(kPacketSize + 5);
    const wire::Bytes whole = tot.first(section_size(tot));
    CHECK(wire::crc32(whole) == 0);
    CHECK(read_tot(whole) == kThen + seconds);
  }
}

TEST_CASE("a packet without its payload keeps its clock") {
  MadeStream made;
  made.pes({.pid = 0x1ABC, .pts = 1, .pcr = 123'456'789, .random_access = true, .payload = {1, 2, 3}});
  auto kept = made.bytes;
  REQUIRE(keep_clock_only(made.bytes.data(), kept.data()));
  const Packet packet(kept.data());
  CHECK(*packet.pcr() == 123'456'789);
  CHECK(packet.pid() == 0x1ABC);
  CHECK_FALSE(packet.has_payload());
  CHECK_FALSE(packet.payload_unit_start());
  CHECK(packet.adaptation_field().size() == 183);
  MadeStream none;
  none.pes({.pid = 0x100, .pts = 1, .payload = {1, 2, 3}});
  CHECK_FALSE(keep_clock_only(none.bytes.data(), kept.data()));
}
