#include "satip/rtp_frames.h"

#include <algorithm>

namespace receiverd::satip {

namespace {

constexpr std::size_t kFrameHeader = 4;

void begin_frame(std::vector<std::uint8_t>& frames, std::uint8_t channel, std::size_t size) {
  frames.insert(frames.end(), {'$', channel, static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)});
}

}  // namespace

std::vector<std::uint8_t> RtpFrames::packets(wire::Bytes packets, RtpStream::SteadyTime now) {
  std::vector<std::uint8_t> frames;
  const std::size_t count = packets.size() / RtpStream::kPayloadSize + 1;
  frames.reserve(packets.size() + count * (kFrameHeader + RtpStream::kHeaderSize));
  while (!packets.empty()) {
    const wire::Bytes payload = packets.first(std::min(packets.size(), RtpStream::kPayloadSize));
    packets = packets.subspan(payload.size());
    const RtpStream::Header header = stream_.header(payload.size(), now);
    begin_frame(frames, channel_, header.size() + payload.size());
    frames.insert(frames.end(), header.begin(), header.end());
    frames.insert(frames.end(), payload.begin(), payload.end());
  }
  return frames;
}

std::vector<std::uint8_t> RtpFrames::report(std::string_view status, RtpStream::SteadyTime now,
                                            RtpStream::SystemTime wall) const {
  const std::vector<std::uint8_t> packet = stream_.report(status, now, wall);
  std::vector<std::uint8_t> frame;
  begin_frame(frame, static_cast<std::uint8_t>(channel_ + 1), packet.size());
  frame.insert(frame.end(), packet.begin(), packet.end());
  return frame;
}

}  // namespace receiverd::satip
