// Tests of a front end as the source of a tuner: packets, filters, losses.
#include "frontend/dvb_source.h"

#include <doctest/doctest.h>

#include "dvb/made_stream.h"
#include "dvb/tuner.h"
#include "scripted.h"

using namespace receiverd;
using namespace receiverd::frontend;
using namespace std::chrono_literals;
using dvb::ReadResult;

namespace {

dvb::TuningOrder order_at(std::uint64_t frequency) {
  dvb::TuningOrder order;
  order.transponder = {.kind = dvb::Transponder::Kind::terrestrial, .frequency = frequency, .system = 0};
  order.lock_timeout = 100ms;
  return order;
}

/// Reads until there is data, an end, or a failure.
ReadResult next(DvbSource& source, std::span<std::uint8_t> buffer) {
  const auto end = std::chrono::steady_clock::now() + kWaitTimeout;
  for (;;) {
    const ReadResult result = source.read(buffer);
    if (result.state != ReadResult::State::idle || std::chrono::steady_clock::now() > end) return result;
  }
}

const std::vector<std::uint8_t> kPacket(188, 0x47);

}  // namespace

TEST_CASE("Packets arrive after the lock, when the filters are set") {
  Scripted system;
  DvbSource source(system, {});
  std::vector<std::uint8_t> buffer(188 * 10);
  source.tune(order_at(474'000'000), {});
  const std::vector<std::uint16_t> pids = {0, 0x10, 0x100};
  source.set_wanted_pids(pids);
  for (int i = 0; i < 3; ++i) CHECK(source.read(buffer).state == ReadResult::State::idle);
  CHECK(system.pids().empty());
  system.push(kPacket);
  system.lock(true);
  const ReadResult result = next(source, buffer);
  CHECK(result.state == ReadResult::State::data);
  CHECK(result.size == 188);
  CHECK(system.pids() == std::set<std::uint16_t>{0, 0x10, 0x100});
  // Only the difference is changed.
  source.set_wanted_pids(std::vector<std::uint16_t>{0, 0x100, 0x200});
  CHECK(system.pids() == std::set<std::uint16_t>{0, 0x100, 0x200});
}

TEST_CASE("With too many PIDs the whole multiplex is received, from then on") {
  Scripted system;
  system.lock(true);
  DvbSource source(system, {});
  std::vector<std::uint8_t> buffer(188);
  source.tune(order_at(474'000'000), {});
  std::vector<std::uint16_t> many(DvbSource::kMaxPids + 1);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::uint16_t>(0x100 + i);
  source.set_wanted_pids(many);
  system.push(kPacket);
  next(source, buffer);
  CHECK(system.pids() == std::set<std::uint16_t>{0x2000});
  CHECK(source.take_resumed_pids() == std::vector<std::uint16_t>{0x2000});
  source.set_wanted_pids(std::vector<std::uint16_t>{0});
  CHECK(source.take_resumed_pids().empty());
  CHECK(system.pids() == std::set<std::uint16_t>{0x2000});
}

TEST_CASE("Hardware that cannot deliver the whole multiplex gets as many filters as it supports") {
  Scripted system;
  system.passes_all = false;
  system.hardware_pids = 20;
  system.lock(true);
  DvbSource source(system, {});
  std::vector<std::uint8_t> buffer(188);
  source.tune(order_at(474'000'000), {});
  std::vector<std::uint16_t> many(40);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::uint16_t>(i);
  source.set_wanted_pids(many);
  system.push(kPacket);
  CHECK(next(source, buffer).state == ReadResult::State::data);
  CHECK(system.pids().size() == 20);
}

TEST_CASE("An overflow is counted, and reading continues") {
  Scripted system;
  system.lock(true);
  DvbSource source(system, {});
  std::vector<std::uint8_t> buffer(188);
  source.tune(order_at(474'000'000), {});
  system.push({});
  system.push(kPacket);
  CHECK(next(source, buffer).state == ReadResult::State::data);
  CHECK(source.overflows() == 1);
}

TEST_CASE("A device that is unplugged ends the source, with the reason") {
  Scripted system;
  system.lock(true);
  DvbSource source(system, {});
  std::vector<std::uint8_t> buffer(188);
  source.tune(order_at(474'000'000), {});
  system.push(kPacket);
  next(source, buffer);
  system.unplug();
  CHECK(next(source, buffer).state == ReadResult::State::failed);
  CHECK(source.error() == "/dev/dvb/adapter0/frontend0: there is no such device");
}

TEST_CASE("A demultiplexer in use ends the source, with the reason") {
  Scripted system;
  system.refused["/dev/dvb/adapter0/demux0"] = EBUSY;
  system.lock(true);
  DvbSource source(system, {});
  std::vector<std::uint8_t> buffer(188);
  source.tune(order_at(474'000'000), {});
  CHECK(next(source, buffer).state == ReadResult::State::failed);
  CHECK(source.error() == "/dev/dvb/adapter0/demux0: in use by another program");
}

TEST_CASE("Retuning a running tuner ends streams and resets tables") {
  Scripted system;
  dvb::MadeStream made;
  dvb::Pat pat;
  pat.transport_stream_id = 7;
  pat.programs = {{1, 0x1000}};
  for (int i = 0; i < 16; ++i) made.tables(pat, {});
  system.locks_at = [](const auto&) { return true; };
  dvb::Tuner tuner([&] { return std::make_unique<DvbSource>(system, DvbOptions{}); }, nullptr, [] {}, {});
  tuner.start(order_at(474'000'000));
  const auto stream = tuner.open_stream(1, 1 << 20, false);
  system.push(made.bytes);
  REQUIRE(wait_for([&] {
    const auto snapshot = tuner.multiplex_state().snapshot;
    return snapshot && snapshot->transport_stream_id == 7;
  }));
  CHECK(tuner.reception().state == dvb::Reception::State::locked);
  const std::uint64_t generation = tuner.multiplex_state().generation;

  tuner.start(order_at(482'000'000));
  CHECK(tuner.multiplex_state().snapshot == nullptr);
  CHECK(tuner.multiplex_state().generation > generation);
  const auto second = tuner.open_stream(1, 1 << 20, false);
  REQUIRE(wait_for([&] { return stream->ended(); }));
  CHECK(stream->reason() == dvb::StreamEnd::stopped);
  // Nothing that was received before is kept.
  CHECK(tuner.statistics()->bytes == 0);
  REQUIRE(wait_for([&] { return tuner.reception().state == dvb::Reception::State::locked; }));
  system.push(made.bytes);
  REQUIRE(wait_for([&] { return tuner.multiplex_state().snapshot != nullptr; }));
  CHECK_FALSE(second->ended());
  const auto log = system.take_log();
  CHECK(std::ranges::count(log, "open frontend0") == 1);
  tuner.stop();
  CHECK(second->reason() == dvb::StreamEnd::stopped);
  CHECK(system.open_devices() == 0);
}

TEST_CASE("A signal that is lost and returns is reported, and streams continue") {
  Scripted system;
  dvb::Tuner tuner([&] { return std::make_unique<DvbSource>(system, DvbOptions{}); }, nullptr, [] {}, {});
  tuner.start(order_at(474'000'000));
  const auto stream = tuner.open_stream(1, 1 << 20, false);
  REQUIRE(wait_for([&] { return tuner.reception().state == dvb::Reception::State::lost; }));
  CHECK(tuner.reception().reason == "no signal");
  // The event follows the change of the state.
  CHECK(wait_for([&] { return tuner.take_events().reception; }));
  system.lock(true);
  REQUIRE(wait_for([&] { return tuner.reception().state == dvb::Reception::State::locked; }));
  system.lock(false);
  REQUIRE(wait_for([&] { return tuner.reception().state != dvb::Reception::State::locked; }));
  system.lock(true);
  REQUIRE(wait_for([&] { return tuner.reception().state == dvb::Reception::State::locked; }));
  CHECK_FALSE(stream->ended());
}
