// Tests of blanking incomplete PES packets at the end of a recording.
#include "recording/incomplete_units.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "dvb/made_stream.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;

namespace {

constexpr std::uint16_t kOther = 0x102;

std::vector<std::uint16_t> pids(const std::vector<std::uint8_t>& stream) {
  std::vector<std::uint16_t> all;
  for (std::size_t at = 0; at < stream.size(); at += kPacketSize) all.push_back(Packet(stream.data() + at).pid());
  return all;
}

}  // namespace

TEST_CASE("Complete PES packets and pictures are kept; incomplete ones become null packets") {
  MadeStream made;
  made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = 1, .payload = std::vector<std::uint8_t>(400)});
  made.pes({.pid = kOther, .stream_id = 0xBD, .pts = 1, .payload = std::vector<std::uint8_t>(300)});
  made.pes({.pid = kVideo, .pts = 1, .bounded = false, .payload = std::vector<std::uint8_t>(300)});
  const std::vector<std::uint8_t> whole = made.bytes;
  made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = 2, .payload = std::vector<std::uint8_t>(400)});

  for (std::size_t packets = 0; packets <= 3; ++packets) {
    CAPTURE(packets);
    std::vector<std::uint8_t> stream(
        made.bytes.begin(), made.bytes.begin() + static_cast<std::ptrdiff_t>(whole.size() + packets * kPacketSize));
    const std::vector<std::uint8_t> before = stream;
    const std::size_t changed = blank_incomplete_units(stream);
    if (packets == 0 || packets == 3) {
      CHECK(changed == stream.size());
      CHECK(stream == before);
    } else {
      CHECK(changed == whole.size());
      std::vector<std::uint16_t> expected = pids(whole);
      expected.resize(expected.size() + packets, kNullPid);
      CHECK(pids(stream) == expected);
      CHECK(std::equal(whole.begin(), whole.end(), stream.begin()));
    }
  }
}

TEST_CASE("A PES packet without a length counts as incomplete; one that started earlier is kept") {
  MadeStream made;
  made.packet(kOther, false, 0, {}, std::vector<std::uint8_t>(184));
  made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = 1, .bounded = false, .payload = std::vector<std::uint8_t>(100)});
  CHECK(blank_incomplete_units(made.bytes) == kPacketSize);
  CHECK(pids(made.bytes) == std::vector<std::uint16_t>{kOther, kNullPid});
}

TEST_CASE("Sections and scrambled packets are not changed") {
  MadeStream made;
  made.tables({.transport_stream_id = 7, .programs = {{1, 0x1000}}}, {});
  made.packet(kAudio, true, 2, {}, std::vector<std::uint8_t>(184, 0x77));
  const std::vector<std::uint8_t> before = made.bytes;
  CHECK(blank_incomplete_units(made.bytes) == before.size());
  CHECK(made.bytes == before);
}
