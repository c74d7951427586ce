// Puts RTP packets that carry a transport stream (RFC 3550, RFC 2250) back into order.
//
// A packet that arrives ahead of its predecessor is held until that arrives. After kReorderTimeout, or when
// kMaxHeldPackets are held, the missing packet is counted as lost. There is no other delay: recordings and tables need
// the data at once, and players follow the PCR.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dvb/source.h"
#include "wire/bytes.h"

namespace receiverd::rtp {

/// The payload type of RTP packets with a transport stream (RFC 3551 §6). Some senders use another type.
inline constexpr std::uint8_t kTransportStreamType = 33;

class RtpReceiver {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kReorderTimeout{40};
  static constexpr std::uint16_t kMaxHeldPackets = 32;
  /// A larger step of the sequence number forwards or backwards, or another sender, starts a new stream (RFC 3550
  /// §A.1).
  static constexpr std::uint16_t kMaxForwardStep = 3000;
  static constexpr std::uint16_t kMaxBackwardStep = 100;
  /// Bytes that wait to be taken. Packets beyond it are dropped and counted as lost; a tuner's thread takes them every
  /// few milliseconds.
  static constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;

  /// Takes an RTP datagram, or one of transport packets without RTP, which some servers send.
  void packet(wire::Bytes datagram, Time now);
  /// Counts packets as lost that have not arrived within kReorderTimeout.
  void tick(Time now);
  /// The next packet starts a new stream.
  void restart();
  /// Like restart(), and drops output().
  void clear();

  /// Moves transport packets, in order, into the buffer. Returns the number of bytes.
  std::size_t take(std::span<std::uint8_t> buffer);
  /// Transport packets to take; the first of them may have been taken already.
  const std::vector<std::uint8_t>& output() const { return output_; }
  const dvb::NetworkCounters& counters() const { return counters_; }

 private:
  /// Bytes of payload: what fits into an Ethernet frame.
  static constexpr std::size_t kSlotSize = 1500;
  struct Slot {
    std::size_t size = 0;
    bool taken = false;
    std::array<std::uint8_t, kSlotSize> bytes{};
  };

  void deliver(wire::Bytes payload);
  Slot& slot(std::uint16_t sequence) { return slots_[sequence % kMaxHeldPackets]; }
  void pass(wire::Bytes payload);
  void pass_held();
  void skip_missing();

  /// The payload type. It changes to that of any packet that carries a transport stream.
  std::uint8_t type_ = kTransportStreamType;
  bool started_ = false;
  std::uint32_t source_ = 0;
  std::uint16_t expected_ = 0;
  std::size_t held_ = 0;
  Time held_since_{};
  std::vector<Slot> slots_ = std::vector<Slot>(kMaxHeldPackets);
  std::vector<std::uint8_t> output_;
  std::size_t taken_ = 0;  ///< bytes of output_ that have been taken
  dvb::NetworkCounters counters_;
};

}  // namespace receiverd::rtp
