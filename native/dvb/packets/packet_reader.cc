#include "dvb/packets/packet_reader.h"

#include <algorithm>
#include <cstring>

namespace receiverd::dvb {
namespace {

constexpr std::size_t kDistances[] = {188, 192, 204};
// Sync bytes at the old distance that restore a lost lock: fewer than for a new lock, since their position is known.
constexpr std::size_t kResumePackets = 2;

// Bytes to prefetch ahead: without prefetching, reading one byte in 188 is limited by the latency of the memory.
constexpr std::size_t kPrefetchDistance = 64 * kPacketSize;

/// The number of whole packets with a sync byte in a run from the start of `bytes`.
std::size_t count_run(wire::Bytes bytes) {
  std::size_t at = 0;
  while (at + kPacketSize <= bytes.size() && bytes[at] == kSyncByte) {
    __builtin_prefetch(bytes.data() + std::min(at + kPrefetchDistance, bytes.size() - 1));
    at += kPacketSize;
  }
  return at / kPacketSize;
}

enum class Match { yes, no, undecided };

/// Whether `count` sync bytes are at `distance` from each other, from the start of `bytes`.
Match match_sync(wire::Bytes bytes, std::size_t distance, std::size_t count) {
  for (std::size_t at = 0; count > 0; --count, at += distance) {
    if (at >= bytes.size()) return Match::undecided;
    if (bytes[at] != kSyncByte) return Match::no;
  }
  return Match::yes;
}

}  // namespace

wire::Bytes PacketReader::next() {
  while (true) {
    if (distance_ == 0 && !search()) return {};
    const wire::Bytes run = buffer_begin_ < buffer_end_ ? next_from_buffer() : next_from_chunk();
    if (!run.empty()) {
      counters_.packets += run.size() / kPacketSize;
      return run;
    }
    if (distance_ != 0 && chunk_.empty()) return {};
  }
}

void PacketReader::reset() {
  chunk_ = {};
  buffer_begin_ = buffer_end_ = 0;
  distance_ = last_distance_ = gap_ = 0;
}

wire::Bytes PacketReader::next_from_buffer() {
  const std::size_t skipped = std::min(gap_, buffer_end_ - buffer_begin_);
  buffer_begin_ += skipped;
  gap_ -= skipped;
  if (buffer_begin_ == buffer_end_) return {};
  fill_buffer(kPacketSize);
  const wire::Bytes held(buffer_.data() + buffer_begin_, buffer_end_ - buffer_begin_);
  if (held.size() < kPacketSize) return {};
  if (held[0] != kSyncByte) {
    lose_lock();
    return {};
  }
  const std::size_t run = (distance_ == kPacketSize ? count_run(held) : 1) * kPacketSize;
  buffer_begin_ += run;
  gap_ = distance_ - kPacketSize;
  return held.first(run);
}

wire::Bytes PacketReader::next_from_chunk() {
  const std::size_t skipped = std::min(gap_, chunk_.size());
  chunk_ = chunk_.subspan(skipped);
  gap_ -= skipped;
  if (chunk_.size() < kPacketSize) {
    fill_buffer(kPacketSize);
    return {};
  }
  if (chunk_[0] != kSyncByte) {
    lose_lock();
    return {};
  }
  const wire::Bytes run = chunk_.first((distance_ == kPacketSize ? count_run(chunk_) : 1) * kPacketSize);
  chunk_ = chunk_.subspan(run.size());
  gap_ = distance_ - kPacketSize;
  return run;
}

/// Moves bytes of the chunk to the end of the buffer until it holds `wanted` bytes, or the chunk is empty.
void PacketReader::fill_buffer(std::size_t wanted) {
  const std::size_t held = buffer_end_ - buffer_begin_;
  if (held >= wanted || chunk_.empty()) return;
  std::memmove(buffer_.data(), buffer_.data() + buffer_begin_, held);
  const std::size_t added = std::min(wanted - held, chunk_.size());
  std::memcpy(buffer_.data() + held, chunk_.data(), added);
  chunk_ = chunk_.subspan(added);
  buffer_begin_ = 0;
  buffer_end_ = held + added;
}

void PacketReader::lose_lock() {
  ++counters_.sync_losses;
  last_distance_ = distance_;
  distance_ = 0;
  gap_ = 0;
}

/// Searches buffer and chunk for a lock. Returns false if the chunk is used up; bytes that may still become a lock stay
/// in the buffer.
bool PacketReader::search() {
  while (true) {
    fill_buffer(kBufferSize);
    const wire::Bytes held(buffer_.data() + buffer_begin_, buffer_end_ - buffer_begin_);
    std::size_t at = 0;
    std::size_t found = 0;
    bool undecided = false;
    if (last_distance_ != 0) {
      // One packet with a damaged sync byte: the next one is in its expected place.
      const Match match = held.size() <= last_distance_
                              ? Match::undecided
                              : match_sync(held.subspan(last_distance_), last_distance_, kResumePackets);
      undecided = match == Match::undecided;
      if (match == Match::yes) {
        found = last_distance_;
        at = last_distance_;
      } else if (match == Match::no) {
        last_distance_ = 0;
      }
    }
    for (; found == 0 && !undecided && at < held.size(); ++at) {
      if (held[at] != kSyncByte) continue;
      for (const std::size_t distance : kDistances) {
        const Match match = match_sync(held.subspan(at), distance, kLockPackets);
        undecided = undecided || match == Match::undecided;
        if (match == Match::yes) found = distance;
        if (found != 0) break;
      }
      if (found != 0 || undecided) break;
    }
    counters_.skipped_bytes += at;
    buffer_begin_ += at;
    if (found != 0) {
      distance_ = found;
      last_distance_ = 0;
      return true;
    }
    if (chunk_.empty()) return false;
  }
}

}  // namespace receiverd::dvb
