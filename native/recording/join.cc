#include "recording/join.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace receiverd::recording {

namespace {

using dvb::kPacketSize;
using dvb::kPcrModulus;
using Read = dvb::StreamQueue::Read;

constexpr std::uint64_t kSettlingTicks = Join::kSettling.count() * dvb::kSystemClockFrequency / 1000;

/// Ticks from one PCR to another; over half the modulus if the other is earlier.
std::uint64_t ticks_between(std::uint64_t from, std::uint64_t to) { return (to + kPcrModulus - from) % kPcrModulus; }
bool is_before(std::uint64_t one, std::uint64_t other) {
  return one != other && ticks_between(one, other) < kPcrModulus / 2;
}

}  // namespace

Join::Join(std::shared_ptr<dvb::StreamQueue> next, dvb::SteadyTime now)
    : next_(std::move(next)), deadline_(now + kPatience) {}

/// Goes on to behind the next PCR, or to the end of the chunk. Returns where it was.
std::size_t Join::Place::advance() {
  const std::size_t begin = at;
  exact = false;
  while (!exact && at < chunk.size) {
    const auto pcr = dvb::Packet(chunk.bytes.get() + at).pcr();
    at += kPacketSize;
    if (!pcr) continue;
    time = pcr;
    exact = true;
  }
  return begin;
}

Read Join::read(dvb::StreamQueue& old, dvb::Chunk& chunk, dvb::SteadyTime now) {
  for (;;) {
    if (now >= deadline_ || next_->ended() || old.ended()) return fail(chunk);
    const bool settled = next_at_.time && ticks_between(*settling_since_, *next_at_.time) >= kSettlingTicks;
    if (next_at_.exact && settled && old_at_.exact && *next_at_.time == *old_at_.time) {
      begin_next(chunk);
      state_ = State::joined;
      return Read::chunk;
    }
    const bool is_next_behind =
        !next_at_.exact || !settled || (old_at_.exact && is_before(*next_at_.time, *old_at_.time));
    if (is_next_behind) {
      if (next_at_.empty()) {
        next_at_.at = next_at_.chunk.size = 0;
        if (next_->read(next_at_.chunk) == Read::chunk) continue;
        // The old stream waits where it is if the new one is the later, and goes on while that is not known.
        if (settled && old_at_.exact) return Read::nothing;
      } else {
        drop();
        continue;
      }
    }
    if (old_at_.empty()) {
      old_at_.at = old_at_.chunk.size = 0;
      if (const Read read = old.read(old_at_.chunk); read != Read::chunk) return read;
    }
    hand_out(old_at_, old_at_.advance(), chunk);
    return Read::chunk;
  }
}

void Join::drop() {
  for (std::size_t at = next_at_.advance(); at < next_at_.at; at += kPacketSize) {
    note_counter(dvb::Packet(next_at_.chunk.bytes.get() + at));
  }
  if (next_at_.exact && !settling_since_) settling_since_ = next_at_.time;
}

void Join::note_counter(dvb::Packet packet) {
  // The PAT of a service filter fits into one packet, and has one programme.
  if (packet.pid() == dvb::pid::kPat && packet.payload_unit_start()) {
    const wire::Bytes payload = packet.payload();
    if (payload.size() >= 13) counters_[1].pid = static_cast<std::uint16_t>((payload[11] & 0x1F) << 8 | payload[12]);
  }
  for (Counter& one : counters_) {
    if (one.pid == packet.pid()) one.counter = packet.continuity_counter();
  }
}

void Join::hand_out(const Place& place, std::size_t begin, dvb::Chunk& chunk) const {
  chunk.size = chunk.capacity = place.at - begin;
  chunk.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(chunk.size);
  std::memcpy(chunk.bytes.get(), place.chunk.bytes.get() + begin, chunk.size);
}

/// Hands out the discontinuities of the tables, and the rest of the new stream's chunk.
void Join::begin_next(dvb::Chunk& chunk) {
  const std::size_t rest = next_at_.chunk.size - next_at_.at;
  chunk.capacity = counters_.size() * kPacketSize + rest;
  chunk.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(chunk.capacity);
  std::uint8_t* at = chunk.bytes.get();
  for (const Counter& one : counters_) {
    if (one.pid == dvb::kNullPid) continue;
    const std::uint8_t header[] = {dvb::kSyncByte,
                                   static_cast<std::uint8_t>(one.pid >> 8),
                                   static_cast<std::uint8_t>(one.pid),
                                   static_cast<std::uint8_t>(0x20 | one.counter),  // no payload
                                   kPacketSize - 5,                                // of the adaptation field
                                   0x80};                                          // discontinuity_indicator
    std::ranges::fill(std::ranges::copy(header, at).out, at + kPacketSize, std::uint8_t{0xFF});
    at += kPacketSize;
  }
  if (rest != 0) std::memcpy(at, next_at_.chunk.bytes.get() + next_at_.at, rest);
  chunk.size = static_cast<std::size_t>(at - chunk.bytes.get()) + rest;
}

/// Hands out what is left of the old stream's chunk.
Read Join::fail(dvb::Chunk& chunk) {
  state_ = State::failed;
  if (old_at_.empty()) return Read::nothing;
  const std::size_t begin = std::exchange(old_at_.at, old_at_.chunk.size);
  hand_out(old_at_, begin, chunk);
  return Read::chunk;
}

}  // namespace receiverd::recording
