// RTP packets that carry a transport stream (RFC 3550, RFC 2250), brought into their order.
//
// A packet that arrives before another one with a lower number waits for it: at most kWindow packets and kPatience.
// What is missing then is lost. There is no other delay: recordings and tables want the data at once, and players
// follow the PCR.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dvb/source.h"
#include "wire/bytes.h"

namespace receiverd::satip {

/// The payload type of RTP packets with a transport stream (RFC 3551 §6); some senders have another one.
inline constexpr std::uint8_t kTransportStreamType = 33;

class RtpReceiver {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kPatience{40};
  static constexpr std::uint16_t kWindow = 32;
  /// A larger step forwards or backwards, or another sender, is a new beginning (RFC 3550 §A.1).
  static constexpr std::uint16_t kLargestLoss = 3000;
  static constexpr std::uint16_t kLargestDelay = 100;
  /// Beyond it new data is dropped, as lost: a tuner's thread takes what there is every few milliseconds.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

  /// A datagram of RTP, or bare transport packets, which some servers send.
  void packet(wire::Bytes datagram, Time now);
  /// Gives up on what has not come in time.
  void tick(Time now);
  /// Takes the next packet for the first.
  void restart();
  /// Forgets what was received, too.
  void clear();

  /// Moves transport packets in their order into the buffer, and returns how many bytes.
  std::size_t take(std::span<std::uint8_t> buffer);
  /// What waits for that, and was taken in part.
  const std::vector<std::uint8_t>& output() const { return output_; }
  const dvb::NetworkCounters& counters() const { return counters_; }

 private:
  /// What fits into an Ethernet frame.
  static constexpr std::size_t kSlotSize = 1500;
  struct Slot {
    std::size_t size = 0;
    bool taken = false;
    std::array<std::uint8_t, kSlotSize> bytes{};
  };

  void deliver(wire::Bytes payload);
  Slot& slot(std::uint16_t sequence) { return slots_[sequence % kWindow]; }
  void pass(wire::Bytes payload);
  void pass_held();
  void skip_missing();

  /// Packets of another payload type count if they carry a transport stream.
  std::uint8_t type_ = kTransportStreamType;
  bool started_ = false;
  std::uint32_t source_ = 0;
  std::uint16_t expected_ = 0;
  std::size_t held_ = 0;
  Time held_since_{};
  std::vector<Slot> slots_ = std::vector<Slot>(kWindow);
  std::vector<std::uint8_t> output_;
  std::size_t taken_ = 0;  ///< of them
  dvb::NetworkCounters counters_;
};

}  // namespace receiverd::satip
