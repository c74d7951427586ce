// Tests of switching from one tuner's stream to another's: every packet once, whichever stream is ahead.
#include "recording/join.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "dvb/made_stream.h"
#include "recording/recorded_stream.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;
using namespace std::chrono_literals;

namespace {

using Stream = std::vector<std::uint8_t>;

/// A service of `pictures` with 25 PCRs a second, and the offset of each picture.
struct Sent {
  Stream bytes;
  std::vector<std::size_t> at;
};

Sent sent_service(int pictures) {
  MadeStream made;
  Sent sent;
  for (int i = 0; i < pictures; ++i) {
    sent.at.push_back(made.bytes.size());
    if (i % 5 == 0) made.video_tables();
    std::vector<std::uint8_t> payload = {0, 0, 1, 0xB3, 1, 2, 3, 0, 0, 1, 0, 1, 2, 3};
    payload.resize(4000, static_cast<std::uint8_t>(2 + i % 250));
    const std::uint64_t pts = static_cast<std::uint64_t>(i) * 3600;
    made.pes({.pid = kVideo, .pts = pts, .pcr = pts * 300, .bounded = false, .payload = payload});
  }
  sent.at.push_back(made.bytes.size());
  sent.bytes = made.bytes;
  return sent;
}

/// The same service from the service filter of another tuner: its tables have other continuity counters.
Stream of_another_tuner(Stream stream) {
  for (std::size_t at = 0; at < stream.size(); at += kPacketSize) {
    std::uint8_t* packet = stream.data() + at;
    const std::uint16_t pid = Packet(packet).pid();
    if (pid == pid::kPat || pid == kPmtPid)
      packet[3] = static_cast<std::uint8_t>((packet[3] & 0xF0) | ((packet[3] + 5) & 0x0F));
  }
  return stream;
}

/// Two queues with a join between them.
class Trial {
 public:
  explicit Trial(int pictures) : sent_(sent_service(pictures)), other_(of_another_tuner(sent_.bytes)) {}

  /// The old or the new tuner has received the pictures up to this one.
  void old(int until) { put(*old_, sent_.bytes, old_until_, until); }
  void next(int until) { put(*next_, other_, next_until_, until); }
  void next_begins(int at) { next_until_ = at; }
  /// The new tuner does not receive these.
  void next_misses(int until) { next_until_ = until; }

  void read() {
    for (Chunk chunk; join_.state() == Join::State::pending;) {
      const auto read = join_.read(*old_, chunk, now_);
      if (read != StreamQueue::Read::chunk) break;
      take(chunk);
    }
    StreamQueue& queue = join_.state() == Join::State::joined ? *next_ : *old_;
    if (join_.state() == Join::State::pending) return;
    for (Chunk chunk; queue.read(chunk) == StreamQueue::Read::chunk;) take(chunk);
  }
  void later(std::chrono::milliseconds time) { now_ += time; }
  void old_ends() { old_->finish(StreamEnd::failed); }

  Join::State state() const { return join_.state(); }
  /// The output packets, without the inserted discontinuities and with the tables' counters of the old tuner.
  Stream result() const {
    Stream plain;
    for (std::size_t at = 0; at < out_.size(); at += kPacketSize) {
      const Packet packet(out_.data() + at);
      if (!packet.has_payload() && packet.discontinuity_indicator()) continue;
      plain.insert(plain.end(), packet.bytes().begin(), packet.bytes().end());
    }
    return blind(plain);
  }
  Stream expected(int pictures) const {
    return blind({sent_.bytes.begin(), sent_.bytes.begin() + static_cast<std::ptrdiff_t>(offset(pictures))});
  }
  std::uint64_t continuity_errors() const {
    struct Nothing final : PictureSink {
      void access_point(std::uint64_t, std::uint64_t) override {}
      void structure(std::uint64_t, std::uint64_t) override {}
    } nothing;
    RecordedStream stream(nothing);
    stream.take(out_, 0);
    return stream.totals().continuity_errors;
  }

 private:
  std::size_t offset(int picture) const { return sent_.at[static_cast<std::size_t>(picture)]; }
  void put(StreamQueue& queue, const Stream& stream, int& from, int until) {
    const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(offset(from));
    queue.append({begin, stream.begin() + static_cast<std::ptrdiff_t>(offset(until))}, now_);
    queue.flush(now_ + 1s);
    from = until;
  }
  void take(const Chunk& chunk) { out_.insert(out_.end(), chunk.bytes.get(), chunk.bytes.get() + chunk.size); }
  /// Without the counters of the tables.
  static Stream blind(Stream stream) {
    for (std::size_t at = 0; at < stream.size(); at += kPacketSize) {
      if (Packet(stream.data() + at).pid() != kVideo) stream[at + 3] &= 0xF0;
    }
    return stream;
  }

  const Sent sent_;
  const Stream other_;
  SteadyTime now_ = SteadyTime{} + 1h;
  std::shared_ptr<StreamQueue> old_ = std::make_shared<StreamQueue>(StreamQueue::kDefaultMaxBytes, [] {});
  std::shared_ptr<StreamQueue> next_ = std::make_shared<StreamQueue>(StreamQueue::kDefaultMaxBytes, [] {});
  Join join_{next_, now_};
  int old_until_ = 0;
  int next_until_ = 0;
  Stream out_;
};

}  // namespace

TEST_CASE("a stream switches to another tuner without a gap") {
  Trial trial(100);
  trial.old(20);
  trial.read();
  CHECK(trial.result() == trial.expected(20));

  SUBCASE("whose stream is behind") {
    trial.old(60);
    trial.read();
    trial.next_begins(10);
    trial.next(30);
    trial.read();
    CHECK(trial.state() == Join::State::pending);
    trial.next(50);
    trial.read();
    CHECK(trial.state() == Join::State::pending);
    trial.old(80);
    trial.next(90);
    trial.read();
  }
  SUBCASE("whose stream is ahead") {
    trial.next_begins(25);
    trial.next(70);
    trial.read();
    trial.old(32);
    trial.read();
    CHECK(trial.state() == Join::State::pending);
    CHECK(trial.result() == trial.expected(32));
    trial.old(40);
    trial.next(90);
    trial.read();
  }
  SUBCASE("whose stream lacks packets at first") {
    trial.next_begins(10);
    trial.next(20);
    trial.next_misses(45);
    trial.old(42);
    trial.read();
    CHECK(trial.state() == Join::State::pending);
    trial.old(60);
    trial.next(90);
    trial.read();
  }
  CHECK(trial.state() == Join::State::joined);
  CHECK(trial.result() == trial.expected(90));
  CHECK(trial.continuity_errors() == 0);
}

TEST_CASE("a failed join continues the old stream") {
  Trial trial(100);
  trial.old(20);
  trial.next_begins(10);
  trial.next(15);
  trial.read();

  SUBCASE("if the new one delivers nothing") {
    trial.later(Join::kTimeout);
    trial.old(60);
  }
  SUBCASE("if it waits for the new one") {
    trial.next(18);
    trial.old(40);
    trial.read();
    CHECK(trial.state() == Join::State::pending);
    trial.later(Join::kTimeout);
    trial.old(60);
  }
  SUBCASE("if it ends meanwhile") {
    trial.next(18);
    trial.old(60);
    trial.old_ends();
  }
  trial.read();
  CHECK(trial.state() == Join::State::failed);
  CHECK(trial.result() == trial.expected(60));
}
