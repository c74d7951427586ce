// Switches without a gap from one stream of a service to another stream of it, which another tuner receives from the
// same multiplex. The output is the old stream up to a packet that both streams contain, and the new stream after it.
//
// The common packet has a PCR, which identifies it: the 27 MHz clock repeats only after a day. Both streams are read to
// a packet with a PCR; the stream with the earlier PCR is then read to its next one, until the PCRs are equal. The
// packets read from the old stream meanwhile are passed on, those of the new one are dropped.
//
// Tables have continuity counters of their own in each stream (service_filter.h). At the switch, a packet with the
// discontinuity_indicator is inserted for each table PID (ISO/IEC 13818-1 §2.4.3.5).
//
// Owned by one thread: the reader of both queues.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "dvb/packets/packet.h"
#include "dvb/packets/section.h"
#include "dvb/packets/stream_queue.h"

namespace receiverd::recording {

class Join {
 public:
  enum class State : std::uint8_t {
    none,
    pending,
    joined,  ///< read the new stream from now on
    failed   ///< continue to read the old stream
  };

  /// Duration of the packets at the start of the new stream that are not used: its PID filters are set one by one.
  static constexpr std::chrono::milliseconds kSettlingTime{300};
  /// The join fails after this time: a stream has no PCR, lacks packets, or is of another service. It fails at once if
  /// one of the streams ends.
  static constexpr std::chrono::seconds kTimeout{4};

  Join(std::shared_ptr<dvb::StreamQueue> next, dvb::SteadyTime now);

  State state() const { return state_; }
  const std::shared_ptr<dvb::StreamQueue>& next() const { return next_; }

  /// Reads the old stream up to the common packet, and the new stream after it. Do not call it once the state is no
  /// longer `pending`: read the selected queue instead.
  dvb::StreamQueue::Read read(dvb::StreamQueue& old, dvb::Chunk& chunk, dvb::SteadyTime now);

 private:
  /// A position in a stream.
  struct Position {
    dvb::Chunk chunk;
    std::size_t at = 0;                 // offset of the next packet in the chunk
    std::optional<std::uint64_t> time;  // the latest PCR before it
    bool at_pcr = false;                // the packet before the position has that PCR
    bool empty() const { return at == chunk.size; }
    std::size_t advance();
  };
  struct Counter {
    std::uint16_t pid = dvb::kNullPid;
    std::uint8_t counter = 0x0F;  // of the last packet; 0x0F before the first, which has 0
  };

  void drop();
  void record_counter(dvb::Packet packet);
  void copy_packets(const Position& position, std::size_t begin, dvb::Chunk& chunk) const;
  void begin_next(dvb::Chunk& chunk);
  dvb::StreamQueue::Read fail(dvb::Chunk& chunk);

  const std::shared_ptr<dvb::StreamQueue> next_;
  const dvb::SteadyTime deadline_;
  State state_ = State::pending;
  Position old_at_;
  Position next_at_;
  std::optional<std::uint64_t> settling_since_;  // PCR
  // The last continuity counters of PAT, PMT, SDT and EIT in the new stream.
  std::array<Counter, 4> counters_{{{dvb::pid::kPat}, {}, {dvb::pid::kSdtBat}, {dvb::pid::kEit}}};
};

}  // namespace receiverd::recording
