// An RTP stream inside an RTSP connection (RFC 2326 §10.12): each datagram follows `$`, its channel and its length.
//
// Thread safety: none; one owner.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "satip/rtp_stream.h"

namespace receiverd::satip {

class RtpFrames {
 public:
  /// Reports go on the channel after that of the packets.
  explicit RtpFrames(std::uint8_t channel) : channel_(channel) {}

  std::uint16_t sequence() const { return stream_.sequence(); }
  /// Frames of whole transport packets.
  std::vector<std::uint8_t> packets(wire::Bytes packets, RtpStream::SteadyTime now);
  std::vector<std::uint8_t> report(std::string_view status, RtpStream::SteadyTime now,
                                   RtpStream::SystemTime wall) const;

 private:
  const std::uint8_t channel_;
  RtpStream stream_;
};

}  // namespace receiverd::satip
