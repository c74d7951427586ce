// Writes an RTP stream of transport packets for SAT>IP (EN 50585): datagrams of up to seven packets (RFC 2250 §2), and
// RTCP reports of sender and tuner (RFC 3550 §6).
//
// Not thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dvb/packets/packet.h"

namespace receiverd::satip {

class RtpStream {
 public:
  static constexpr std::size_t kHeaderSize = 12;
  static constexpr std::size_t kPayloadSize = 7 * dvb::kPacketSize;
  static constexpr std::chrono::milliseconds kReportInterval{200};
  using Header = std::array<std::uint8_t, kHeaderSize>;
  using SteadyTime = std::chrono::steady_clock::time_point;
  using SystemTime = std::chrono::system_clock::time_point;

  /// Source and first sequence number are random, because receivers recognise a new stream by them.
  RtpStream();
  RtpStream(std::uint32_t source, std::uint16_t sequence) : source_(source), sequence_(sequence) {}

  /// Sequence number of the next datagram.
  std::uint16_t sequence() const { return sequence_; }
  /// The header of the next datagram. `payload` is the size of its payload in bytes.
  Header header(std::size_t payload, SteadyTime now);
  /// A compound RTCP packet. `status` is the text of the tuner's report, truncated to 1000 bytes.
  std::vector<std::uint8_t> report(std::string_view status, SteadyTime now, SystemTime wall) const;
  /// Whole transport packets in the form for an RTSP connection: `$`, the channel, the length, and the datagram,
  /// repeated for each datagram (RFC 2326 §10.12).
  std::vector<std::uint8_t> frames(std::uint8_t channel, wire::Bytes packets, SteadyTime now);
  /// One datagram in the same form.
  static std::vector<std::uint8_t> frame(std::uint8_t channel, wire::Bytes datagram);

 private:
  std::uint32_t source_;
  std::uint16_t sequence_;
  std::uint32_t packets_ = 0;
  std::uint32_t octets_ = 0;  // of payload
};

}  // namespace receiverd::satip
