// Tests of the control protocol: requests, their order, the effects of replies, and hostile replies.
#include "hdhomerun/control.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace receiverd;
using namespace receiverd::hdhomerun;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kKey = 4711;

/// A packet of type 5 with these bytes as payload; its CRC is that of zlib.
std::string packet_of(const std::string& payload) {
  // A request with the payload's bytes would have another type, so the CRC is computed here.
  std::string packet{'\0', '\5', static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size())};
  packet += payload;
  std::uint32_t crc = ~0U;
  for (const char byte : packet) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
  }
  for (unsigned shift = 0; shift < 32; shift += 8) packet += static_cast<char>(~crc >> shift);
  return packet;
}

std::string tagged(char tag, const std::string& value) {
  const auto size = static_cast<unsigned>(value.size());
  std::string bytes{tag};
  if (size < 128) return bytes + static_cast<char>(size) + value;
  return bytes + static_cast<char>((size & 0x7f) | 0x80) + static_cast<char>(size >> 7) + value;
}

struct Talk {
  ControlSession session{1, kKey};
  ControlSession::Time now{};

  Talk() { session.set_local_host("192.0.2.1"); }

  /// The request since the last call: `name`, or `name=value`; with `!` if it has the key.
  std::string said() {
    const std::string sent = std::exchange(session.output(), {});
    if (sent.empty()) return {};
    for (const char* name : {"lockkey", "target", "channel", "filter", "status"}) {
      const std::string path = std::string("/tuner1/") + name;
      if (sent == format_request(path, std::nullopt, 0)) return name;
      const std::size_t at = sent.find(path + '\0');
      if (at == std::string::npos) continue;
      const std::size_t start = at + path.size() + 3;
      const std::string value = sent.substr(start, sent.find('\0', start) - start);
      if (sent == format_request(path, value, kKey)) return std::string(name) + '=' + value + '!';
    }
    return "?";
  }
  std::string answer(const std::string& value) {
    session.take({.value = value, .error = {}}, now);
    return said();
  }
  std::string refuse(const std::string& error) {
    session.take({.value = {}, .error = error}, now);
    return said();
  }
  std::string later(std::chrono::milliseconds time) {
    session.tick(now += time);
    return said();
  }
  void begin(const std::string& channel = "auto8t:474000000") { session.begin("192.0.2.9:65001", channel, 5000, now); }
  void play() {
    begin();
    for (int i = 0; i < 5; ++i) answer(i == 1 ? "none" : "");
    said();
    REQUIRE(session.playing());
  }
};

}  // namespace

TEST_CASE("requests: a variable is read, or set with the key") {
  CHECK(format_request("/sys/model", std::nullopt, 0) == std::string("\0\4\0\xd\3\xb"
                                                                     "/sys/model\0"
                                                                     "\x8f\x5b\x54\xb5",
                                                                     21));
  const std::string set = format_request("a", "b", 0x01020304);
  CHECK(set.substr(0, 18) == std::string("\0\4\0\xe\3\2a\0\4\2b\0\x15\4\1\2\3\4", 18));
  CHECK(set.size() == 22);
}

TEST_CASE("a session locks, tunes, filters and names its target, and releases all of it") {
  Talk talk;
  talk.begin();
  CHECK(talk.said() == "lockkey=4711!");
  CHECK(talk.answer("192.0.2.1") == "target");
  CHECK(talk.answer("none") == "channel=auto8t:474000000!");
  CHECK(talk.answer("auto8t:474000000") == "filter=0x0000 0x0010-0x0012 0x0014!");
  CHECK_FALSE(talk.session.playing());
  CHECK(talk.answer("") == "target=rtp://192.0.2.1:5000!");
  CHECK(talk.answer("rtp://192.0.2.1:5000").empty());
  CHECK(talk.session.playing());
  CHECK(talk.later(1000ms) == "status");
  CHECK(talk.answer("ch=auto8t:474000000 lock=t8dvbt2 ss=83 snq=90 seq=98 bps=1 pps=1").empty());
  const auto signal = talk.session.signal(talk.now);
  CHECK(signal.locked);
  CHECK(signal.strength_percent == 83);
  CHECK(signal.snr_percent == 90);
  CHECK(signal.bit_errors == 2);
  talk.session.end(talk.now);
  CHECK(talk.said() == "target=none!");
  CHECK(talk.answer("none") == "channel=none!");
  CHECK(talk.refuse("ERROR: no") == "lockkey=none!");
  CHECK(talk.answer("none").empty());
  CHECK_FALSE(talk.session.is_open());
}

TEST_CASE("a tuner that others use is left alone") {
  Talk locked;
  locked.begin();
  locked.said();
  CHECK(locked.refuse("ERROR: resource locked by 192.0.2.7").empty());
  CHECK(locked.session.error() == "192.0.2.9:65001: ERROR: resource locked by 192.0.2.7");
  CHECK_FALSE(locked.session.is_open());

  Talk unlocked;
  unlocked.begin();
  unlocked.answer("");
  CHECK(unlocked.answer("rtp://192.0.2.7:5000") == "lockkey=none!");
  CHECK(unlocked.session.error() == "192.0.2.9:65001: the tuner is in use by 192.0.2.7");
  CHECK(unlocked.answer("none").empty());
}

TEST_CASE("our own target, left by a crash, is replaced") {
  Talk talk;
  talk.begin();
  talk.answer("");
  CHECK(talk.answer("udp://192.0.2.1:4000") == "channel=auto8t:474000000!");
}

TEST_CASE("another channel needs no other lock; a request in progress is answered first") {
  Talk talk;
  talk.play();
  CHECK(talk.later(1000ms) == "status");
  talk.begin("auto8t:482000000");
  CHECK(talk.said().empty());
  CHECK_FALSE(talk.session.playing());
  CHECK(talk.answer("ch=auto8t:474000000 lock=t8dvbt ss=1 snq=1 seq=1") == "channel=auto8t:482000000!");
  CHECK_FALSE(talk.session.signal(talk.now).locked);

  Talk early;
  early.begin();
  early.said();
  early.begin("auto8t:482000000");
  CHECK(early.answer("") == "channel=auto8t:482000000!");
}

TEST_CASE("wanted PIDs become ranges; those that are new have been resumed") {
  Talk talk;
  talk.play();
  talk.session.set_wanted_pids(std::vector<std::uint16_t>{0x100, 0, 0x101, 0x1fff});
  CHECK(talk.later(10ms) == "filter=0x0000 0x0100-0x0101 0x1fff!");
  CHECK(talk.session.take_resumed_pids().empty());
  CHECK(talk.answer("").empty());
  CHECK(talk.session.take_resumed_pids() == std::vector<std::uint16_t>{0x100, 0x101, 0x1fff});
  std::vector<std::uint16_t> scattered(17);
  for (std::uint16_t i = 0; i < 17; ++i) scattered[i] = static_cast<std::uint16_t>(i * 2);
  CHECK(format_filter(scattered) == "0x0000-0x1fff");
  CHECK(format_filter({}).empty());
}

TEST_CASE("a device without filters or RTP is used nevertheless") {
  Talk talk;
  talk.begin();
  talk.answer("");
  talk.answer("none");
  CHECK(talk.answer("") == "filter=0x0000 0x0010-0x0012 0x0014!");
  CHECK(talk.refuse("ERROR: unknown getset variable") == "target=rtp://192.0.2.1:5000!");
  CHECK(talk.refuse("ERROR: invalid target") == "target=udp://192.0.2.1:5000!");
  CHECK(talk.answer("").empty());
  talk.session.set_wanted_pids(std::vector<std::uint16_t>{1});
  CHECK(talk.later(10ms).empty());
  CHECK(talk.session.playing());
}

TEST_CASE("a device that does not answer has failed; after an error nothing is requested") {
  Talk talk;
  talk.play();
  CHECK(talk.later(1000ms) == "status");
  CHECK(talk.later(ControlSession::kReplyTimeout).empty());
  CHECK(talk.session.error() == "192.0.2.9:65001: it does not answer");
  CHECK(talk.answer("late").empty());
  CHECK(talk.later(5s).empty());
}

TEST_CASE("on a new connection, the unanswered request is sent again") {
  Talk talk;
  talk.begin();
  talk.answer("");
  talk.session.reconnected(talk.now);
  CHECK(talk.said() == "target");
  Talk playing;
  playing.play();
  playing.session.reconnected(playing.now);
  CHECK(playing.said() == "status");
}

TEST_CASE("status: a lock in brackets is none") {
  CHECK(read_status("ch=auto:1 lock=qam256 ss=100 snq=100 seq=100").locked);
  CHECK_FALSE(read_status("ch=auto:1 lock=(8vsb) ss=100 snq=100 seq=100").locked);
  CHECK_FALSE(read_status("ch=none lock=none ss=0 snq=0 seq=0").locked);
  CHECK_FALSE(read_status("").locked);
  CHECK(read_status("lock=x ss=4294967299 snq=-1 seq=").strength_percent == 0);
  CHECK(read_status("lock=x ss=300").strength_percent == 100);
}

TEST_CASE("replies arrive in any pieces, and damaged ones end the connection") {
  std::vector<std::string> seen;
  const std::string good = packet_of(tagged(3, std::string("/x\0", 3)) + tagged(4, std::string("value\0more", 10)));
  const std::string refused = packet_of(tagged(5, std::string("ERROR: \x1b[2J\xff\0", 13)));
  const std::string both = good + refused;
  for (std::size_t piece = 1; piece <= both.size(); ++piece) {
    seen.clear();
    ReplyReader reader([&](const Reply& reply) { seen.push_back(reply.value + '|' + reply.error); });
    for (std::size_t at = 0; at < both.size(); at += piece)
      CHECK(reader.feed(wire::bytes_of(std::string_view(both).substr(at, piece))));
    CHECK(seen == std::vector<std::string>{"value|", "|ERROR: ?[2J?"});
  }
  const auto accepts = [](const std::string& bytes) {
    ReplyReader reader([](const Reply&) {});
    return reader.feed(wire::bytes_of(bytes));
  };
  CHECK(accepts(packet_of(tagged(4, std::string(1000, 'x')))));
  CHECK(accepts(packet_of({})));
  std::string damaged = good;
  damaged[10] ^= 1;
  CHECK_FALSE(accepts(damaged));
  CHECK_FALSE(accepts(packet_of(std::string("\4\x7f", 2))));      // ends within a tag
  CHECK_FALSE(accepts(packet_of(std::string("\4\xff\xff", 3))));  // a length of two bytes beyond the packet
  CHECK_FALSE(accepts(packet_of(std::string("\4", 1))));
  CHECK_FALSE(accepts(std::string("\0\5\xff\xff", 4)));  // longer than any packet
  CHECK_FALSE(accepts(format_request("/sys/model", std::nullopt, 0)));
  CHECK_FALSE(accepts("HTTP/1.1 400 Bad Request\r\n\r\n"));
}
