// Tests of the session with a server: requests, their order, and the effects of replies.
#include "satip/session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace receiverd;
using namespace receiverd::satip;
using namespace std::chrono_literals;

namespace {

struct Talk {
  explicit Talk(ServerTraits traits = {}) : session(std::move(traits)) {}

  Session session;
  Session::Time now{};
  unsigned sequence = 0;

  /// The first line of each request since the last call, without server and protocol.
  std::vector<std::string> said() {
    std::vector<std::string> lines;
    const std::string output = std::exchange(session.output(), {});
    for (std::size_t at = 0; at < output.size(); at = output.find("\r\n\r\n", at) + 4) {
      std::string line = output.substr(at, output.find(" RTSP/1.0", at) - at);
      const std::string server = "rtsp://192.0.2.9:554/";
      if (const std::size_t start = line.find(server); start != std::string::npos) line.erase(start, server.size());
      lines.push_back(line);
      ++sequence;
    }
    return lines;
  }
  void reply(unsigned code, const std::string& session_name = {}) {
    session.take({.code = code,
                  .phrase = "Reason",
                  .sequence = sequence,
                  .session = session_name,
                  .timeout = 30,
                  .stream = session_name.empty() ? "" : "7"},
                 now);
  }
  void begin(const std::string& query = "freq=498") { session.begin("192.0.2.9:554", query, 5000, now); }
  /// Sets up a session that is playing.
  void play() {
    begin();
    said();
    reply(200, "0012");
    said();
    reply(200);
  }
  std::vector<std::string> later(std::chrono::milliseconds time) {
    session.tick(now += time);
    return said();
  }
};

using Lines = std::vector<std::string>;

const std::vector<std::uint16_t> kPids = {0, 16, 17, 18, 20, 256, 257};

}  // namespace

TEST_CASE("A session is set up, played, kept alive, and torn down") {
  Talk talk;
  talk.begin();
  CHECK(talk.session.output() ==
        "SETUP rtsp://192.0.2.9:554/?freq=498&pids=0 RTSP/1.0\r\nCSeq: 1\r\n"
        "Transport: RTP/AVP;unicast;client_port=5000-5001\r\n\r\n");
  talk.said();
  CHECK_FALSE(talk.session.playing());
  talk.reply(200, "0012");
  CHECK(talk.session.output().find("\r\nSession: 0012\r\n") != std::string::npos);
  CHECK(talk.said() == Lines{"PLAY stream=7?pids=0,16,17,18,20"});
  talk.reply(200);
  CHECK(talk.session.playing());
  talk.session.set_wanted_pids(kPids);
  CHECK(talk.later(20ms) == Lines{"PLAY stream=7?addpids=256,257"});
  // One request at a time.
  talk.session.set_wanted_pids(std::vector<std::uint16_t>{0, 16, 300});
  CHECK(talk.later(20ms) == Lines{});
  talk.reply(200);
  CHECK(talk.later(20ms) == Lines{"PLAY stream=7?addpids=300&delpids=17,18,20,256,257"});
  talk.reply(200);
  talk.session.take(Report{.lock = true}, talk.now + 15s);
  CHECK(talk.later(15s) == Lines{"OPTIONS "});
  talk.reply(200);
  talk.session.end(talk.now);
  CHECK(talk.said() == Lines{"TEARDOWN stream=7"});
}

TEST_CASE("Another transponder is tuned in the same session, or in a new one if the server needs that") {
  Talk talk;
  talk.play();
  talk.begin("freq=506");
  CHECK_FALSE(talk.session.playing());
  CHECK(talk.said() == Lines{"PLAY stream=7?freq=506&pids=0,16,17,18,20"});
  talk.reply(200);
  CHECK(talk.session.playing());

  Talk strict({.needs_new_session = true});
  strict.play();
  strict.begin("freq=506");
  CHECK(strict.said() == Lines{"TEARDOWN stream=7", "SETUP ?freq=506&pids=0"});
  strict.reply(200, "0013");
  CHECK(strict.said() == Lines{"PLAY stream=7?pids=0,16,17,18,20"});
}

TEST_CASE("A new session delivers the PIDs of the previous one") {
  Talk talk;
  talk.play();
  talk.session.set_wanted_pids(kPids);
  CHECK(talk.later(20ms) == Lines{"PLAY stream=7?addpids=256,257"});
  talk.reply(454);
  CHECK(talk.session.error() == "192.0.2.9:554: 454 Reason");
  talk.begin();
  CHECK(talk.said() == Lines{"SETUP ?freq=498&pids=0"});
  talk.reply(200, "0013");
  CHECK(talk.said() == Lines{"PLAY stream=7?pids=0,16,17,18,20,256,257"});
  talk.reply(200);
  CHECK(talk.later(20ms) == Lines{});
  // Likewise if only the signal was lost.
  talk.begin();
  CHECK(talk.said() == Lines{"PLAY stream=7?freq=498&pids=0,16,17,18,20,256,257"});
}

TEST_CASE("Refusals are errors with their reason") {
  Talk talk;
  talk.begin();
  talk.said();
  talk.reply(503);
  CHECK(talk.session.error() == "192.0.2.9:554: 503 Reason");
  // The next session starts from the beginning.
  talk.begin();
  CHECK(talk.session.error().empty());
  CHECK(talk.said() == Lines{"SETUP ?freq=498&pids=0"});
  talk.reply(461);
  CHECK_FALSE(talk.session.uses_udp());

  Talk played;
  played.play();
  played.begin("freq=506");
  played.said();
  played.reply(404);
  CHECK(played.session.error() == "192.0.2.9:554: 404 Reason");
  CHECK(played.said() == Lines{});

  Talk forgotten;
  forgotten.play();
  forgotten.session.take(Report{.lock = true}, forgotten.now + 15s);
  forgotten.later(15s);
  forgotten.reply(454);
  CHECK(forgotten.session.error() == "192.0.2.9:554: 454 Reason");
  CHECK_FALSE(forgotten.session.is_open());

  Talk nameless;
  nameless.begin();
  nameless.said();
  nameless.reply(200);
  CHECK(nameless.session.error() == "192.0.2.9:554: the reply to SETUP has no session or stream id");
}

TEST_CASE("A missing reply is an error") {
  Talk talk;
  talk.begin();
  talk.later(7999ms);
  CHECK(talk.session.error().empty());
  talk.later(1ms);
  CHECK(talk.session.error() == "192.0.2.9:554: it does not answer");
}

TEST_CASE("Without reports, DESCRIBE requests one, and data counts as a lock") {
  Talk talk;
  talk.play();
  CHECK_FALSE(talk.session.signal(talk.now).locked);
  CHECK(talk.later(1499ms) == Lines{});
  CHECK(talk.later(1ms) == Lines{"DESCRIBE stream=7"});
  talk.session.take({.code = 200, .sequence = talk.sequence, .body = "a=fmtp:33 ver=1.0;tuner=1,224,1,15,498"},
                    talk.now);
  CHECK(talk.session.signal(talk.now).locked);
  CHECK(talk.session.signal(talk.now).snr_percent == 100);
  talk.session.take(Report{}, talk.now);
  CHECK_FALSE(talk.session.signal(talk.now).locked);
  talk.session.data(talk.now);
  CHECK(talk.session.signal(talk.now).locked);
  CHECK_FALSE(talk.session.signal(talk.now + 1s).locked);
  // 404 to DESCRIBE means only that it is not supported.
  talk.later(2s);
  talk.reply(404);
  CHECK(talk.session.error().empty());
}

TEST_CASE("A server without addpids gets complete lists") {
  Talk talk({.supports_add_pids = false, .setup_pids = "0,21"});
  talk.begin();
  CHECK(talk.said() == Lines{"SETUP ?freq=498&pids=0,21"});
  talk.reply(200, "0012");
  talk.said();
  talk.reply(200);
  talk.session.set_wanted_pids(kPids);
  CHECK(talk.later(20ms) == Lines{"PLAY stream=7?pids=0,16,17,18,20,256,257"});
  // A server not known to lack addpids is detected by its refusal.
  Talk unknown;
  unknown.play();
  unknown.session.set_wanted_pids(kPids);
  unknown.later(20ms);
  unknown.reply(400);
  CHECK(unknown.later(20ms) == Lines{"PLAY stream=7?pids=0,16,17,18,20,256,257"});
}

TEST_CASE("Too many PIDs become all, or are delivered in rotation") {
  std::vector<std::uint16_t> many;
  for (std::uint16_t pid = 0; pid < 60; ++pid) many.push_back(static_cast<std::uint16_t>(100 + pid));
  Talk all({.max_pids = 32, .supports_all_pids = true});
  all.play();
  all.session.set_wanted_pids(many);
  CHECK(all.later(20ms) == Lines{"PLAY stream=7?pids=all"});
  all.reply(200);
  CHECK(all.session.take_resumed_pids() == std::vector<std::uint16_t>{0x2000});
  all.session.set_wanted_pids(kPids);
  CHECK(all.later(20ms) == Lines{});
  CHECK(all.session.take_resumed_pids().empty());

  Talk few({.max_pids = 32, .supports_all_pids = false});
  few.play();
  few.session.set_wanted_pids(many);
  std::set<std::string> seen;
  std::size_t max_delivered = 0;
  std::set<std::string> now_delivered = {"0", "16", "17", "18", "20"};
  for (int i = 0; i < 200; ++i) {
    few.session.take(Report{.lock = true}, few.now);
    std::set<std::string> added;
    for (const std::string& line : few.later(250ms)) {
      few.reply(200);
      for (const char* const key : {"addpids=", "delpids="}) {
        const std::size_t start = line.find(key);
        if (start == std::string::npos) continue;
        std::string list = line.substr(start + 8, line.find('&', start) - start - 8);
        CHECK(std::count(list.begin(), list.end(), ',') < 24);
        for (std::size_t at = 0; at < list.size();) {
          const std::size_t end = std::min(list.find(',', at), list.size());
          const std::string pid = list.substr(at, end - at);
          if (key[0] == 'a')
            now_delivered.insert(pid), seen.insert(pid), added.insert(pid);
          else
            now_delivered.erase(pid);
          at = end + 1;
        }
      }
      max_delivered = std::max(max_delivered, now_delivered.size());
    }
    std::set<std::string> resumed;
    for (const std::uint16_t pid : few.session.take_resumed_pids()) resumed.insert(std::to_string(pid));
    CHECK(resumed == added);
  }
  CHECK(seen.size() == 60);
  CHECK(max_delivered <= 32);
  // The most important PIDs are always delivered.
  CHECK(now_delivered.contains("100"));
  CHECK(now_delivered.contains("123"));
}

TEST_CASE("After a reconnect, the unanswered request is sent again") {
  Talk talk;
  talk.play();
  talk.session.set_wanted_pids(kPids);
  talk.session.tick(talk.now += 20ms);
  const std::string request = talk.session.output();
  talk.said();
  talk.session.reconnected(talk.now);
  CHECK(talk.session.output() == request);
  talk.said();
  --talk.sequence;
  talk.reply(200);
  talk.session.reconnected(talk.now);
  CHECK(talk.said() == Lines{"OPTIONS "});
}
