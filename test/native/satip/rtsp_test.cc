// Tests of parsing what a SAT>IP server sends, in pieces of any size.
#include "satip/rtsp.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace receiverd;
using namespace receiverd::satip;

namespace {

struct Heard {
  std::vector<Reply> replies;
  std::vector<std::pair<unsigned, std::string>> frames;
  RtspReader reader{
      [this](const Reply& reply) { replies.push_back(reply); },
      [this](unsigned channel, wire::Bytes frame) { frames.emplace_back(channel, wire::text_of(frame)); }};

  void feed(const std::string& bytes, std::size_t piece) {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(wire::bytes_of(std::string_view(bytes).substr(at, piece)));
    }
  }
};

const std::string kSetUp =
    "RTSP/1.0 200 OK\r\nCSeq: 2\r\nsession:00b1;Timeout=30\r\ncom.ses.streamID: 3\r\n"
    "Transport: RTP/AVP;unicast;client_port=5000-5001\r\n\r\n";

std::string frame(char channel, const std::string& bytes) {
  return std::string("$") + channel + static_cast<char>(bytes.size() >> 8) + static_cast<char>(bytes.size()) + bytes;
}

}  // namespace

TEST_CASE("Replies and frames are read from pieces of any size") {
  const std::string busy = "RTSP/1.0 503 Service Unavailable\nCSeq: 3\nContent-Length: 20\n\nNo-More: frontends\r\n";
  const std::string all = kSetUp + frame(0, "abc") + frame(1, "") + busy + "\r\n" + frame(0, std::string(60000, '$'));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100}, all.size()}) {
    Heard heard;
    heard.feed(all, piece);
    REQUIRE(heard.replies.size() == 2);
    CHECK(heard.replies[0].code == 200);
    CHECK(heard.replies[0].sequence == 2);
    CHECK(heard.replies[0].session == "00b1");
    CHECK(heard.replies[0].timeout == 30);
    CHECK(heard.replies[0].stream == "3");
    CHECK(text_of(heard.replies[1]) == "503 Service Unavailable (No-More: frontends)");
    REQUIRE(heard.frames.size() == 3);
    CHECK(heard.frames[0] == std::pair(0U, std::string("abc")));
    CHECK(heard.frames[1] == std::pair(1U, std::string()));
    CHECK(heard.frames[2].second.size() == 60000);
  }
}

TEST_CASE("Bytes that are not a reply are skipped") {
  Heard heard;
  heard.feed("noise RT$\xff\xff\xff" + kSetUp + "OPTIONS * RTSP/1.0\r\n\r\n" + frame(0, "abc") + kSetUp, 3);
  CHECK(heard.replies.size() >= 2);
  CHECK(heard.frames.size() == 1);
  // A head that does not end, and a body that is too large.
  Heard bounded;
  bounded.feed("RTSP/1.0 200 " + std::string(RtspReader::kMaxHeadBytes, 'x'), 1000);
  bounded.feed("RTSP/1.0 200 OK\r\nContent-Length: 4000000000\r\n\r\n" + kSetUp, 1000);
  REQUIRE(bounded.replies.size() == 1);
  CHECK(bounded.replies[0].sequence == 2);
}

TEST_CASE("Session and stream ids must be single words") {
  Heard heard;
  heard.feed("RTSP/1.0 200 OK\r\nSession: a\rTEARDOWN /\r\ncom.ses.streamID: 1 RTSP/1.0\r\n\r\n", 100);
  heard.feed("RTSP/1.0 200 OK\r\nSession: " + std::string(257, 'a') + "\r\ncom.ses.streamID: 1\r\n\r\n", 100);
  REQUIRE(heard.replies.size() == 2);
  CHECK(heard.replies[0].session.empty());
  CHECK(heard.replies[0].stream.empty());
  CHECK(heard.replies[1].session.empty());
  CHECK(heard.replies[1].stream == "1");
}

TEST_CASE("The human-readable text of a reply has no control characters") {
  CHECK(text_of({.code = 500, .phrase = "\x1b[31m"}) == "500 ?[31m");
  CHECK(text_of({.code = 200, .phrase = "OK", .body = "v=0"}) == "200 OK");
}
