// Tests of the tuner thread: events, readers, start and stop, failing sources.
#include "dvb/tuner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "dvb/file_source.h"
#include "dvb/made_stream.h"
#include "dvb/si/tables.h"
#include "dvb/tuner_json.h"
#include "waits.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

/// A second of one service with every table a tuner uses; repeats without a gap in the counters.
std::vector<std::uint8_t> one_second() {
  MadeStream made;
  Sdt sdt;
  sdt.transport_stream_id = 7;
  sdt.original_network_id = 9;
  sdt.services.push_back({.service_id = 1, .descriptors = {0x48, 5, 1, 0, 2, 'a', 'b'}});
  std::vector<std::uint8_t> payload = {0, 0, 1, 0xB3, 0, 0, 1, 0};
  payload.resize(20'000, 0x55);
  for (int i = 0; i < 32; ++i) {
    if (i % 2 == 0) {
      made.video_tables();
      for (const Section& one : write_sections(sdt)) made.section(0x11, one);
      made.section(0x14, write_tdt(1'700'000'000));
    }
    made.pes({.pid = kVideo, .pts = i * 2812ULL, .pcr = i * 2812ULL * 300, .bounded = false, .payload = payload});
  }
  while (made.bytes.size() / kPacketSize % 16 != 0) made.packet(0x555, true, 0, {}, payload);
  return made.bytes;
}

/// A source whose output the test controls; plays `bytes` repeatedly.
struct Tap {
  std::vector<std::uint8_t> bytes;
  std::atomic<std::size_t> allowed = 0;  // bytes that may still be read
  std::atomic<ReadResult::State> then = ReadResult::State::idle;
};

class TappedSource : public Source {
 public:
  explicit TappedSource(std::shared_ptr<Tap> tap) : tap_(std::move(tap)) {}
  ReadResult read(std::span<std::uint8_t> buffer) override {
    const std::size_t size = std::min({buffer.size(), tap_->allowed.load(), tap_->bytes.size() - at_});
    if (size == 0) {
      if (tap_->then == ReadResult::State::idle) std::this_thread::sleep_for(1ms);
      return {tap_->then, 0};
    }
    std::copy_n(tap_->bytes.begin() + static_cast<std::ptrdiff_t>(at_), size, buffer.begin());
    at_ = (at_ + size) % tap_->bytes.size();
    tap_->allowed -= size;
    return {ReadResult::State::data, size};
  }
  SignalQuality signal() const override { return {.locked = true, .snr_decibel = 12.5F}; }
  std::string error() const override { return "the cable was pulled"; }

 private:
  const std::shared_ptr<Tap> tap_;
  std::size_t at_ = 0;
};

/// Collects the events of a tuner, as the binding does.
class Listener {
 public:
  void notify() {
    const std::lock_guard lock(mutex_);
    ++calls;
    changed_.notify_all();
  }
  /// Takes events until `done` returns true.
  bool wait(Tuner& tuner, const std::function<bool(const TunerEvents&)>& done) {
    const auto until = Clock::now() + kWaitTimeout;
    for (;;) {
      // Counted before the events are taken: what is notified between the two is not missed.
      const int before = [this] {
        const std::lock_guard lock(mutex_);
        return calls;
      }();
      const TunerEvents events = tuner.take_events();
      if (events.readable) readable = true;
      if (done(events)) return true;
      if (events.any()) continue;
      std::unique_lock lock(mutex_);
      if (!changed_.wait_until(lock, until, [&] { return calls != before; }) && Clock::now() >= until) return false;
    }
  }

  int calls = 0;
  bool readable = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Reads the queued data; returns false at the end.
bool drain(StreamQueue& queue, std::vector<std::uint8_t>& into) {
  for (;;) {
    Chunk chunk;
    switch (queue.read(chunk)) {
      case StreamQueue::Read::chunk:
        into.insert(into.end(), chunk.bytes.get(), chunk.bytes.get() + chunk.size);
        break;
      case StreamQueue::Read::nothing:
        return true;
      case StreamQueue::Read::end:
        return false;
    }
  }
}

}  // namespace

TEST_CASE("A tuner reports the multiplex, the time and the signal, and delivers the service") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  Listener listener;
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [&] { listener.notify(); }, {});
  CHECK(tuner.multiplex_state().generation == 0);
  CHECK(tuner.open_stream(1, 1 << 20, false)->reason() == StreamEnd::stopped);
  tuner.start();
  const auto stream = tuner.open_stream(1, 64 << 20, false);
  tap->allowed = tap->bytes.size();
  bool complete = false;
  bool timed = false;
  CHECK(listener.wait(tuner, [&](const TunerEvents& events) {
    complete = complete || (events.generation && tuner.multiplex_state().snapshot->complete);
    timed = timed || (events.time && events.time->utc == 1'700'000'000);
    return complete && timed;
  }));
  const auto picture = tuner.multiplex_state();
  REQUIRE(picture.snapshot->services.size() == 1);
  CHECK(picture.snapshot->services[0].name == "ab");
  std::vector<std::uint8_t> got;
  CHECK(wait_for([&] {
    drain(*stream, got);
    return got.size() > tap->bytes.size() / 2;
  }));
  CHECK(wait_for([&] { return tuner.statistics()->bytes == tap->bytes.size(); }));
  CHECK(tuner.signal().snr_decibel == 12.5F);
  CHECK(tuner.statistics()->totals.continuity_errors == 0);
  tuner.stop();
  while (drain(*stream, got)) {
  }
  CHECK(stream->reason() == StreamEnd::stopped);
  Seen seen;
  seen.take(got);
  CHECK(seen[kVideo].pes == 32);
  CHECK(seen.gaps() == 0);
  CHECK_FALSE(tuner.running());
  CHECK(multiplex_json(tuner.multiplex_state()).find("\"name\":\"ab\"") != std::string::npos);
  CHECK(statistics_json(*tuner.statistics()).find("\"continuityErrors\":0") != std::string::npos);
}

TEST_CASE("A waiting reader is notified of new data although the tuner is retuned before the event is taken") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  Listener listener;
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [&] { listener.notify(); }, {});
  tuner.start(TuningOrder{});
  const auto stream = tuner.open_stream(1, 64 << 20, false);
  tap->allowed = tap->bytes.size();
  std::vector<std::uint8_t> got;
  CHECK(wait_for([&] {
    drain(*stream, got);
    return got.size() > tap->bytes.size() / 2 && tap->allowed == 0 && stream->counters().queued == 0;
  }));
  drain(*stream, got);  // nothing: it waits for a call
  tuner.take_events();
  tap->allowed = tap->bytes.size();
  CHECK(wait_for([&] { return stream->counters().queued > 0; }));
  tuner.start(TuningOrder{});
  CHECK(listener.wait(tuner, [](const TunerEvents& events) { return events.readable; }));
  CHECK(wait_for([&] { return !drain(*stream, got); }));
  CHECK(stream->reason() == StreamEnd::stopped);
}

TEST_CASE("A reader that stops reading is dropped when its queue is full; the other gets every packet") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [] {}, {});
  tuner.start();
  const auto good = tuner.open_stream(1, 8 << 20, false);
  const auto stuck = tuner.open_stream(1, 2 << 20, false);
  std::vector<std::uint8_t> got;
  std::size_t sent = 0;
  while (!stuck->ended()) {
    tap->allowed += tap->bytes.size();
    sent += tap->bytes.size();
    REQUIRE(sent < (8U << 20));
    REQUIRE(wait_for([&] {
      drain(*good, got);
      return tap->allowed == 0;
    }));
    CHECK(stuck->counters().queued <= (2U << 20));
  }
  CHECK(stuck->reason() == StreamEnd::overflow);
  tap->allowed += tap->bytes.size();
  sent += tap->bytes.size();
  REQUIRE(wait_for([&] { return tap->allowed == 0; }));
  CHECK(good->reason() == StreamEnd::none);
  tuner.stop();
  while (drain(*good, got)) {
  }
  // Every video packet that was sent.
  Seen source;
  for (std::size_t i = 0; i < sent; i += tap->bytes.size()) source.take(tap->bytes);
  Seen seen;
  seen.take(got);
  CHECK(seen[kVideo].packets == source[kVideo].packets);
  CHECK(seen[kVideo].gaps == source[kVideo].gaps);
  CHECK(seen.bad == 0);
}

TEST_CASE("A source faster than real time waits for its readers") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  tap->allowed = std::size_t{64} << 20;
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [] {},
              {.wait_for_readers = true, .reader_timeout = 1h});
  tuner.start();
  const auto slow = tuner.open_stream(1, 1 << 20, false);
  std::vector<std::uint8_t> got;
  CHECK(wait_for([&] { return slow->half_full(); }));
  for (int i = 0; i < 50; ++i) {
    std::this_thread::yield();
    CHECK(slow->counters().queued <= (1U << 20));
  }
  CHECK(wait_for([&] {
    drain(*slow, got);
    return got.size() > (8U << 20);
  }));
  CHECK_FALSE(slow->ended());
}

TEST_CASE("A source faster than real time gives up on a reader that never reads") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  tap->allowed = std::size_t{64} << 20;
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [] {},
              {.wait_for_readers = true, .reader_timeout = 200ms});
  tuner.start();
  const auto begin = Clock::now();
  const auto stuck = tuner.open_stream(1, 1 << 20, false);
  CHECK(wait_for([&] { return stuck->ended(); }));
  CHECK(stuck->reason() == StreamEnd::overflow);
  CHECK(Clock::now() - begin >= 200ms);
}

namespace {

/// The packets of these PIDs.
std::vector<std::uint8_t> only(const std::vector<std::uint8_t>& bytes, const PidSet& pids) {
  std::vector<std::uint8_t> kept;
  for (std::size_t at = 0; at + kPacketSize <= bytes.size(); at += kPacketSize) {
    const Packet packet(bytes.data() + at);
    if (pids[packet.pid()]) kept.insert(kept.end(), packet.bytes().begin(), packet.bytes().end());
  }
  return kept;
}

PidSet set_of(std::initializer_list<std::uint16_t> pids) {
  PidSet set;
  for (const std::uint16_t pid : pids) set.set(pid);
  return set;
}

}  // namespace

TEST_CASE("Readers of PIDs get the packets of these PIDs unchanged, and those of other PIDs once they request them") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [] {}, {});
  const auto made = [] {
    return std::make_shared<StreamQueue>(
        8 << 20, [] {}, WhenFull::lose, StreamStart::immediately, 20ms);
  };
  const auto never = made();
  tuner.read_pids(never, set_of({0}));
  CHECK(never->reason() == StreamEnd::stopped);
  tuner.start();
  const PidSet everything = ~PidSet();
  const auto all = made();
  const auto chosen = made();
  const auto none = made();
  tuner.read_pids(all, everything);
  tuner.read_pids(chosen, set_of({kVideo}));
  tuner.read_pids(none, {});
  const auto service = tuner.open_stream(1, 8 << 20, false);
  std::vector<std::uint8_t> got_all, got, got_nothing, got_service;
  const auto play = [&] {
    const std::size_t before = got_all.size();
    tap->allowed += tap->bytes.size();
    REQUIRE(wait_for([&] {
      drain(*all, got_all);
      drain(*chosen, got);
      return got_all.size() == before + tap->bytes.size();
    }));
  };
  play();
  tuner.read_pids(chosen, set_of({0, 0x11}));
  play();
  chosen->close();
  play();
  tuner.stop();
  CHECK(all->reason() == StreamEnd::stopped);
  CHECK(chosen->reason() == StreamEnd::closed);
  CHECK_FALSE(drain(*none, got_nothing));
  CHECK(got_nothing.empty());
  auto expected = tap->bytes;
  for (int i = 0; i < 2; ++i) expected.insert(expected.end(), tap->bytes.begin(), tap->bytes.end());
  CHECK(got_all == expected);
  expected = only(tap->bytes, set_of({kVideo}));
  const auto second = only(tap->bytes, set_of({0, 0x11}));
  expected.insert(expected.end(), second.begin(), second.end());
  CHECK(got == expected);
  drain(*service, got_service);
  Seen seen;
  seen.take(got_service);
  CHECK(seen.gaps() == 0);
}

TEST_CASE("A reader of PIDs ends when the tuner is retuned") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [] {}, {});
  tuner.start(TuningOrder{});
  const auto queue = std::make_shared<StreamQueue>(
      1 << 20, [] {}, WhenFull::lose);
  tuner.read_pids(queue, set_of({0}));
  tuner.start(TuningOrder{});
  CHECK(wait_for([&] { return queue->reason() == StreamEnd::stopped; }));
  tuner.read_pids(queue, set_of({1}));
  tap->allowed = tap->bytes.size();
  CHECK(wait_for([&] { return tap->allowed == 0; }));
  std::vector<std::uint8_t> got;
  CHECK_FALSE(drain(*queue, got));
  CHECK(got.empty());
}

TEST_CASE("A source receives the list of wanted PIDs, and its changes") {
  struct Told {
    std::mutex mutex;
    std::vector<std::uint16_t> pids;
  };
  class ToldSource : public Source {
   public:
    explicit ToldSource(Told& told) : told_(told) {}
    ReadResult read(std::span<std::uint8_t>) override {
      std::this_thread::sleep_for(1ms);
      return {ReadResult::State::idle, 0};
    }
    void set_wanted_pids(std::span<const std::uint16_t> pids) override {
      const std::lock_guard lock(told_.mutex);
      told_.pids = {pids.begin(), pids.end()};
    }
    SignalQuality signal() const override { return {.locked = true}; }

   private:
    Told& told_;
  };
  Told told;
  Tuner tuner([&] { return std::make_unique<ToldSource>(told); }, nullptr, [] {}, {});
  const auto wants = [&](std::uint16_t pid) {
    const std::lock_guard lock(told.mutex);
    return std::ranges::binary_search(told.pids, pid);
  };
  tuner.start();
  const auto queue = std::make_shared<StreamQueue>(
      1 << 20, [] {}, WhenFull::lose);
  tuner.read_pids(queue, set_of({0x777}));
  CHECK(wait_for([&] { return wants(0x777); }));
  CHECK(wants(0));
  tuner.read_pids(queue, ~PidSet());
  CHECK(wait_for([&] { return wants(0x1234) && wants(0x1FFE); }));
  queue->close();
  CHECK(wait_for([&] { return !wants(0x777); }));
  CHECK(wants(0));
}

TEST_CASE("A tuner can be started and stopped repeatedly, from several threads") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  tap->allowed = std::numeric_limits<std::size_t>::max();
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [] {},
              {.wait_for_readers = true, .reader_timeout = 1h});
  std::uint64_t generation = 0;
  for (int i = 0; i < 50; ++i) {
    tuner.start();
    tuner.start();
    const auto stream = tuner.open_stream(1, 1 << 20, false);
    if (i % 3 == 0) {
      std::vector<std::uint8_t> got;
      CHECK(wait_for([&] {
        drain(*stream, got);
        return !got.empty();
      }));
    }
    tuner.stop();
    tuner.stop();
    CHECK(stream->reason() == StreamEnd::stopped);
    CHECK(tuner.multiplex_state().generation >= generation);
    generation = tuner.multiplex_state().generation;
  }
  std::vector<std::thread> users;
  for (int user = 0; user < 3; ++user) {
    users.emplace_back([&, user] {
      for (int i = 0; i < 30; ++i) {
        if (user == 0) tuner.start();
        if (user == 1) tuner.stop();
        const auto stream = tuner.open_stream(1, 1 << 20, i % 2 == 0);
        std::vector<std::uint8_t> got;
        drain(*stream, got);
        tuner.statistics();
        tuner.multiplex_state();
        tuner.take_events();
        if (i % 4 != 0) stream->close();
      }
    });
  }
  for (std::thread& user : users) user.join();
  tuner.stop();
  CHECK_FALSE(tuner.running());
}

TEST_CASE("Another thread always reads a consistent multiplex state") {
  // Each version of the SDT gives both services another name.
  MadeStream made;
  constexpr std::uint64_t kVersions = 8;
  for (std::uint8_t version = 0; version < kVersions; ++version) {
    Sdt sdt{true, 7, 9, version, {}};
    const auto letter = static_cast<std::uint8_t>('A' + version);
    for (const std::uint16_t id : {1, 2}) {
      sdt.services.push_back({.service_id = id, .descriptors = {0x48, 4, 1, 0, 1, letter}});
    }
    for (const Section& one : write_sections(sdt)) made.section(0x11, one);
    for (int i = 0; i < 31; ++i) made.packet(0x555, true, 0, {}, {});  // the reader looks ahead
  }
  const auto tap = std::make_shared<Tap>();
  tap->bytes = made.bytes;
  Listener listener;
  Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [&] { listener.notify(); }, {});
  bool consistent = true;
  std::jthread reader([&](const std::stop_token& stop) {
    for (std::uint64_t seen = 0; !stop.stop_requested();) {
      const auto [generation, snapshot, time] = tuner.multiplex_state();
      consistent = consistent && generation >= seen;
      seen = generation;
      if (!snapshot) continue;
      for (const Service& service : snapshot->services) {
        consistent = consistent && service.name == snapshot->services[0].name;
      }
    }
  });
  tuner.start();
  for (std::uint64_t version = 1; version <= kVersions; ++version) {
    tap->allowed += tap->bytes.size() / kVersions;
    REQUIRE(listener.wait(tuner, [&](const TunerEvents&) { return tuner.multiplex_state().generation == version; }));
  }
  tuner.stop();
  reader.request_stop();
  reader.join();
  CHECK(consistent);
}

TEST_CASE("The reason for the end of a tuner is reported, to its readers too") {
  const auto tap = std::make_shared<Tap>();
  tap->bytes = one_second();
  for (const auto state : {ReadResult::State::ended, ReadResult::State::failed}) {
    tap->allowed = tap->bytes.size();
    tap->then = ReadResult::State::idle;
    Listener listener;
    Tuner tuner([&] { return std::make_unique<TappedSource>(tap); }, nullptr, [&] { listener.notify(); }, {});
    tuner.start();
    const auto stream = tuner.open_stream(1, 8 << 20, false);
    CHECK(wait_for([&] { return tap->allowed == 0; }));
    tap->then = state;
    std::string message = "nothing";
    CHECK(listener.wait(tuner, [&](const TunerEvents& events) {
      if (events.ended) message = *events.ended;
      return events.ended.has_value();
    }));
    const bool failed = state == ReadResult::State::failed;
    CHECK(message == (failed ? "the cable was pulled" : ""));
    CHECK(stream->reason() == (failed ? StreamEnd::failed : StreamEnd::ended));
    std::vector<std::uint8_t> got;
    while (drain(*stream, got)) {
    }
    CHECK(!got.empty());
    CHECK_FALSE(tuner.running());
    // It can be started again.
    tap->then = ReadResult::State::idle;
    tap->allowed = tap->bytes.size();
    tuner.start();
    CHECK(wait_for([&] { return tap->allowed == 0; }));
  }
  Listener listener;
  Tuner missing([] { return std::make_unique<FileSource>(FileOptions{.path = "/nonexistent.ts"}); }, nullptr,
                [&] { listener.notify(); }, {});
  missing.start();
  std::string message;
  CHECK(listener.wait(missing, [&](const TunerEvents& events) {
    if (events.ended) message = *events.ended;
    return events.ended.has_value();
  }));
  CHECK(message == "/nonexistent.ts: No such file or directory");
}

TEST_CASE("A source that throws ends the tuner, not the process") {
  Listener listener;
  Tuner tuner([]() -> std::unique_ptr<Source> { throw std::runtime_error("no such adapter"); }, nullptr,
              [&] { listener.notify(); }, {});
  tuner.start();
  const auto stream = tuner.open_stream(1, 1 << 20, false);
  std::string message;
  CHECK(listener.wait(tuner, [&](const TunerEvents& events) {
    if (events.ended) message = *events.ended;
    return events.ended.has_value();
  }));
  CHECK(message == "no such adapter");
  CHECK(stream->ended());
}

TEST_CASE("A paced tuner can be stopped while it waits for the time of its next packet") {
  const std::string path = capture("big-buck-bunny.ts");
  if (path.empty()) return;
  Tuner tuner([&] { return std::make_unique<FileSource>(FileOptions{.path = path}); }, nullptr, [] {}, {});
  tuner.start();
  CHECK(wait_for([&] { return tuner.statistics()->bytes > 0; }));
  tuner.stop();
  CHECK(tuner.statistics()->bytes > 0);
}
