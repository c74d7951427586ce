// Goes over from one stream of a service to another of the same service, which another tuner receives from the same
// multiplex, without a gap: up to a packet that both have, it is the old stream, and after it the new one.
//
// The packet is one with a PCR: a clock of 27 MHz that repeats after a day names it. Both streams stand behind such a
// packet; the one that is behind the other goes on to its next PCR, until both stand behind the same. The packets of
// the old stream that it passes are handed out, those of the new one dropped.
//
// Tables have continuity counters of their own in each stream (service_filter.h). Where the new stream begins, a packet
// with a discontinuity_indicator precedes for each of them (ISO/IEC 13818-1 §2.4.3.5).
//
// Owned by one thread: the reader of both queues.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "dvb/packet.h"
#include "dvb/section.h"
#include "dvb/stream_queue.h"

namespace receiverd::recording {

class Join {
 public:
  enum class State : std::uint8_t {
    none,
    pending,
    joined,  ///< the new stream is the one to read from now on
    failed   ///< the old one still is
  };

  /// The new stream's first packets are not used: the filters of its PIDs are set up one after the other.
  static constexpr std::chrono::milliseconds kSettling{300};
  /// After which it fails: one of the streams has no clock, lacks packets, or is another one. It fails at once if one
  /// of them ends.
  static constexpr std::chrono::seconds kPatience{4};

  Join(std::shared_ptr<dvb::StreamQueue> next, dvb::SteadyTime now);

  State state() const { return state_; }
  const std::shared_ptr<dvb::StreamQueue>& next() const { return next_; }

  /// Reads the old stream up to the common packet, and the new one after it. No more calls once the state is not
  /// `pending`; then the rest is read from one of the queues.
  dvb::StreamQueue::Read read(dvb::StreamQueue& old, dvb::Chunk& chunk, dvb::SteadyTime now);

 private:
  /// A stream, and a place in it.
  struct Place {
    dvb::Chunk chunk;
    std::size_t at = 0;                 // of the next packet in the chunk
    std::optional<std::uint64_t> time;  // the latest PCR before it
    bool exact = false;                 // no packet has passed since
    bool empty() const { return at == chunk.size; }
    std::size_t advance();
  };
  struct Counter {
    std::uint16_t pid = dvb::kNullPid;
    std::uint8_t counter = 0x0F;  // before the first one
  };

  void drop();
  void note_counter(dvb::Packet packet);
  void hand_out(const Place& place, std::size_t begin, dvb::Chunk& chunk) const;
  void begin_next(dvb::Chunk& chunk);
  dvb::StreamQueue::Read fail(dvb::Chunk& chunk);

  const std::shared_ptr<dvb::StreamQueue> next_;
  const dvb::SteadyTime deadline_;
  State state_ = State::pending;
  Place old_at_;
  Place next_at_;
  std::optional<std::uint64_t> settling_since_;  // PCR
  // The last ones in the new stream of PAT, PMT, SDT and EIT.
  std::array<Counter, 4> counters_{{{dvb::pid::kPat}, {}, {dvb::pid::kSdtBat}, {dvb::pid::kEit}}};
};

}  // namespace receiverd::recording
