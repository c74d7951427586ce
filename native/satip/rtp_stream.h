// An RTP stream of transport packets as SAT>IP has it (EN 50585): up to seven in a datagram (RFC 2250 §2), and reports
// of sender and tuner (RFC 3550 §6).
//
// Thread safety: none; one owner.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dvb/packet.h"

namespace receiverd::satip {

class RtpStream {
 public:
  static constexpr std::size_t kHeaderSize = 12;
  static constexpr std::size_t kPayloadSize = 7 * dvb::kPacketSize;
  static constexpr std::chrono::milliseconds kReportInterval{200};
  using Header = std::array<std::uint8_t, kHeaderSize>;
  using SteadyTime = std::chrono::steady_clock::time_point;
  using SystemTime = std::chrono::system_clock::time_point;

  /// Source and first sequence number are random, as receivers tell a new stream from an old one by them.
  RtpStream();
  RtpStream(std::uint32_t source, std::uint16_t sequence) : source_(source), sequence_(sequence) {}

  /// Of the next datagram.
  std::uint16_t sequence() const { return sequence_; }
  /// The header of the next datagram, which has a payload of this size.
  Header header(std::size_t payload, SteadyTime now);
  /// A compound packet. `status` says what the tuner does, at most 1000 bytes of it are sent.
  std::vector<std::uint8_t> report(std::string_view status, SteadyTime now, SystemTime wall) const;
  /// Whole transport packets as they go inside an RTSP connection: each datagram follows `$`, the channel, and its
  /// length (RFC 2326 §10.12).
  std::vector<std::uint8_t> frames(std::uint8_t channel, wire::Bytes packets, SteadyTime now);
  /// A datagram in the same way.
  static std::vector<std::uint8_t> frame(std::uint8_t channel, wire::Bytes datagram);

 private:
  std::uint32_t source_;
  std::uint16_t sequence_;
  std::uint32_t packets_ = 0;
  std::uint32_t octets_ = 0;  // of payload
};

}  // namespace receiverd::satip
