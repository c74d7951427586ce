// Tests of making PES packets contiguous.
#include "recording/pes_order.h"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "dvb/made_stream.h"
#include "dvb/packets/clock_shift.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;

namespace {

using Buffer = std::vector<std::uint8_t>;

std::vector<Packet> packets_of(const Buffer& bytes) {
  std::vector<Packet> all;
  for (std::size_t at = 0; at + kPacketSize <= bytes.size(); at += kPacketSize) all.emplace_back(bytes.data() + at);
  return all;
}

/// The packets by PID, in order.
std::map<std::uint16_t, Buffer> by_pid(const Buffer& bytes) {
  std::map<std::uint16_t, Buffer> all;
  for (const Packet packet : packets_of(bytes)) {
    auto& of_pid = all[packet.pid()];
    of_pid.insert(of_pid.end(), packet.bytes().begin(), packet.bytes().end());
  }
  return all;
}

/// Interleaved packets of pictures of unknown length and of audio frames, with some tables.
Buffer mixed(int pictures) {
  Buffer all;
  MadeStream video;
  MadeStream sound;
  Pat pat;
  pat.programs = {{1, 0x1000}};
  for (int i = 0; i < pictures; ++i) {
    const std::uint64_t pts = 90'000 + static_cast<std::uint64_t>(i) * 3600;
    video.bytes.clear();
    sound.bytes.clear();
    video.pes({.pid = kVideo, .pts = pts, .bounded = false, .payload = Buffer(2000, 1)});
    sound.pes({.pid = kAudio, .stream_id = 0xC0, .pts = pts, .payload = Buffer(1500, 2)});
    if (i % 5 == 0) sound.tables(pat, {});
    for (std::size_t at = 0; at < video.bytes.size() || at < sound.bytes.size(); at += kPacketSize) {
      for (const Buffer* one : {&video.bytes, &sound.bytes}) {
        if (at < one->size())
          all.insert(all.end(), one->begin() + static_cast<std::ptrdiff_t>(at),
                     one->begin() + static_cast<std::ptrdiff_t>(at + kPacketSize));
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("packets of a PES packet become contiguous, and none is lost or reordered within its PID") {
  const Buffer sent = mixed(50);
  PesOrder order;
  Buffer out;
  for (const Packet packet : packets_of(sent)) order.push(packet, out);
  order.flush(out);
  CHECK(out.size() == sent.size());
  CHECK(by_pid(out) == by_pid(sent));
  CHECK(out != sent);
  std::uint16_t current = kNullPid;
  for (const Packet packet : packets_of(out)) {
    if (read_pes_head(packet)) {
      current = packet.pid();
    } else if (packet.pid() > pid::kTdtTot) {
      CHECK(packet.pid() == current);
    }
  }
}

TEST_CASE("a PES packet of known length is released when it is complete, others when the next one starts") {
  PesOrder order;
  MadeStream made;
  made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = 0, .payload = Buffer(500, 2)});
  Buffer out;
  const auto sound = packets_of(made.bytes);
  for (std::size_t i = 0; i < sound.size(); ++i) {
    order.push(sound[i], out);
    CHECK(out.size() == (i + 1 == sound.size() ? made.bytes.size() : 0));
  }
  MadeStream pictures;
  pictures.pes({.pid = kVideo, .pts = 0, .bounded = false, .payload = Buffer(500, 1)});
  const std::size_t first = pictures.bytes.size();
  pictures.pes({.pid = kVideo, .pts = 3600, .bounded = false, .payload = Buffer(500, 1)});
  out.clear();
  for (const Packet packet : packets_of(pictures.bytes)) order.push(packet, out);
  CHECK(out.size() == first);
}

TEST_CASE("packets before the first PES packet, and scrambled ones, are passed on immediately") {
  Buffer sent = mixed(3);
  for (std::size_t at = 0; at < sent.size(); at += kPacketSize) sent[at + 3] |= 0x80;
  PesOrder order;
  Buffer out;
  for (const Packet packet : packets_of(sent)) order.push(packet, out);
  CHECK(out == sent);
}

TEST_CASE("a PES packet that does not end is held until the bound is reached") {
  PesOrder order;
  MadeStream made;
  made.pes({.pid = kVideo, .pts = 0, .bounded = false, .payload = Buffer(PesOrder::kMaxHeldBytes + 100'000, 1)});
  Buffer out;
  std::size_t pushed = 0;
  for (const Packet packet : packets_of(made.bytes)) {
    order.push(packet, out);
    pushed += kPacketSize;
    REQUIRE(pushed - out.size() <= PesOrder::kMaxHeldBytes);
  }
  CHECK(!out.empty());
}
