#include "recording/join.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace receiverd::recording {

namespace {

using dvb::kPacketSize;
using dvb::kPcrModulus;
using Read = dvb::StreamQueue::Read;

constexpr std::uint64_t kSettlingTicks = Join::kSettlingTime.count() * dvb::kSystemClockFrequency / 1000;

/// Ticks from one PCR to another; more than half the modulus if the other is earlier.
std::uint64_t ticks_between(std::uint64_t from, std::uint64_t to) { return (to + kPcrModulus - from) % kPcrModulus; }
bool is_before(std::uint64_t one, std::uint64_t other) {
  return one != other && ticks_between(one, other) < kPcrModulus / 2;
}

}  // namespace

Join::Join(std::shared_ptr<dvb::StreamQueue> next, dvb::SteadyTime now)
    : next_(std::move(next)), deadline_(now + kTimeout) {}

/// Moves behind the next packet with a PCR, or to the end of the chunk. Returns the offset before the move.
std::size_t Join::Position::advance() {
  const std::size_t begin = at;
  at_pcr = false;
  while (!at_pcr && at < chunk.size) {
    const auto pcr = dvb::Packet(chunk.bytes.get() + at).pcr();
    at += kPacketSize;
    if (!pcr) continue;
    time = pcr;
    at_pcr = true;
  }
  return begin;
}

Read Join::read(dvb::StreamQueue& old, dvb::Chunk& chunk, dvb::SteadyTime now) {
  for (;;) {
    if (now >= deadline_ || next_->ended() || old.ended()) return fail(chunk);
    const bool settled = next_at_.time && ticks_between(*settling_since_, *next_at_.time) >= kSettlingTicks;
    if (next_at_.at_pcr && settled && old_at_.at_pcr && *next_at_.time == *old_at_.time) {
      begin_next(chunk);
      state_ = State::joined;
      return Read::chunk;
    }
    const bool is_next_behind =
        !next_at_.at_pcr || !settled || (old_at_.at_pcr && is_before(*next_at_.time, *old_at_.time));
    if (is_next_behind) {
      if (next_at_.empty()) {
        next_at_.at = next_at_.chunk.size = 0;
        if (next_->read(next_at_.chunk) == Read::chunk) continue;
        // If the old stream is known to be ahead, it waits for the new one; otherwise it is read on.
        if (settled && old_at_.at_pcr) return Read::nothing;
      } else {
        drop();
        continue;
      }
    }
    if (old_at_.empty()) {
      old_at_.at = old_at_.chunk.size = 0;
      if (const Read read = old.read(old_at_.chunk); read != Read::chunk) return read;
    }
    copy_packets(old_at_, old_at_.advance(), chunk);
    return Read::chunk;
  }
}

void Join::drop() {
  for (std::size_t at = next_at_.advance(); at < next_at_.at; at += kPacketSize) {
    record_counter(dvb::Packet(next_at_.chunk.bytes.get() + at));
  }
  if (next_at_.at_pcr && !settling_since_) settling_since_ = next_at_.time;
}

void Join::record_counter(dvb::Packet packet) {
  // The PAT of a service filter fits into one packet, and lists one program.
  if (packet.pid() == dvb::pid::kPat && packet.payload_unit_start()) {
    const wire::Bytes payload = packet.payload();
    if (payload.size() >= 13) counters_[1].pid = static_cast<std::uint16_t>((payload[11] & 0x1F) << 8 | payload[12]);
  }
  for (Counter& one : counters_) {
    if (one.pid == packet.pid()) one.counter = packet.continuity_counter();
  }
}

void Join::copy_packets(const Position& position, std::size_t begin, dvb::Chunk& chunk) const {
  chunk.size = chunk.capacity = position.at - begin;
  chunk.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(chunk.size);
  std::memcpy(chunk.bytes.get(), position.chunk.bytes.get() + begin, chunk.size);
}

/// Returns the discontinuity packets of the tables, followed by the rest of the new stream's chunk.
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

/// Returns the rest of the old stream's chunk.
Read Join::fail(dvb::Chunk& chunk) {
  state_ = State::failed;
  if (old_at_.empty()) return Read::nothing;
  const std::size_t begin = std::exchange(old_at_.at, old_at_.chunk.size);
  copy_packets(old_at_, begin, chunk);
  return Read::chunk;
}

}  // namespace receiverd::recording
