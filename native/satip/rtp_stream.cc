#include "satip/rtp_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "rtp/rtp_receiver.h"
#include "satip/report.h"

namespace receiverd::satip {

namespace {

constexpr std::uint8_t kVersion = 0x80;
constexpr std::uint8_t kSenderReport = 200;
constexpr std::uint8_t kSourceDescription = 202;
constexpr std::uint8_t kCanonicalName = 1;
constexpr std::string_view kOurName = "receiverd";
constexpr std::size_t kMaxStatusBytes = 1000;
constexpr std::size_t kFrameHeader = 4;
/// Seconds from 1900, the epoch of NTP, to 1970.
constexpr std::uint64_t kNtpEpoch = 2'208'988'800;

using Bytes = std::vector<std::uint8_t>;

/// Does not use std::random_device, which needs glibc 2.36 if libstdc++ is linked statically.
std::uint32_t random_number() {
  std::uint32_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) throw std::system_error(errno, std::generic_category(), "getentropy");
  return number;
}

/// RTP timestamp, in 90 kHz ticks.
std::uint32_t timestamp(RtpStream::SteadyTime time) {
  using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 90'000>>;
  return static_cast<std::uint32_t>(std::chrono::duration_cast<Ticks>(time.time_since_epoch()).count());
}

std::uint64_t ntp_time(RtpStream::SystemTime time) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const auto micros = static_cast<std::uint64_t>(since);
  return (kNtpEpoch + micros / 1'000'000) << 32 | ((micros % 1'000'000) << 32) / 1'000'000;
}

void put16(Bytes& to, std::size_t value) {
  to.push_back(static_cast<std::uint8_t>(value >> 8));
  to.push_back(static_cast<std::uint8_t>(value));
}

void put32(Bytes& to, std::uint64_t value) {
  put16(to, value >> 16 & 0xFFFF);
  put16(to, value & 0xFFFF);
}

void put(Bytes& to, std::string_view text) { to.insert(to.end(), text.begin(), text.end()); }

/// Pads the part that begins at `start` to whole words of 32 bits, and sets its length (§6.4.1).
void end_part(Bytes& to, std::size_t start) {
  while (to.size() % 4 != 0) to.push_back(0);
  const std::size_t words = (to.size() - start) / 4 - 1;
  to[start + 2] = static_cast<std::uint8_t>(words >> 8);
  to[start + 3] = static_cast<std::uint8_t>(words);
}

void begin_frame(Bytes& to, std::uint8_t channel, std::size_t size) {
  to.push_back('$');
  to.push_back(channel);
  put16(to, size);
}

std::size_t begin_part(Bytes& to, std::uint8_t first, std::uint8_t type, std::uint32_t source) {
  const std::size_t start = to.size();
  to.insert(to.end(), {first, type, 0, 0});
  put32(to, source);
  return start;
}

}  // namespace

RtpStream::RtpStream() : RtpStream(random_number(), static_cast<std::uint16_t>(random_number())) {}

RtpStream::Header RtpStream::header(std::size_t payload, SteadyTime now) {
  const std::uint16_t sequence = sequence_++;
  const std::uint32_t time = timestamp(now);
  ++packets_;
  octets_ += static_cast<std::uint32_t>(payload);
  const auto byte = [](std::uint32_t value, int shift) { return static_cast<std::uint8_t>(value >> shift); };
  return {kVersion,          rtp::kTransportStreamType,
          byte(sequence, 8), byte(sequence, 0),
          byte(time, 24),    byte(time, 16),
          byte(time, 8),     byte(time, 0),
          byte(source_, 24), byte(source_, 16),
          byte(source_, 8),  byte(source_, 0)};
}

std::vector<std::uint8_t> RtpStream::report(std::string_view status, SteadyTime now, SystemTime wall) const {
  Bytes packet;
  packet.reserve(96 + std::min(status.size(), kMaxStatusBytes));
  const std::size_t sender = begin_part(packet, kVersion, kSenderReport, source_);
  const std::uint64_t ntp = ntp_time(wall);
  put32(packet, ntp >> 32);
  put32(packet, ntp & 0xFFFFFFFF);
  put32(packet, timestamp(now));
  put32(packet, packets_);
  put32(packet, octets_);
  end_part(packet, sender);
  const std::size_t description = begin_part(packet, kVersion | 1, kSourceDescription, source_);
  packet.push_back(kCanonicalName);
  packet.push_back(static_cast<std::uint8_t>(kOurName.size()));
  put(packet, kOurName);
  packet.push_back(0);  // the end of the list (§6.5)
  end_part(packet, description);
  const std::size_t application = begin_part(packet, kVersion, kApplication, source_);
  const std::string_view text = status.substr(0, kMaxStatusBytes);
  put(packet, kReportName);
  put16(packet, 0);
  put16(packet, text.size());
  put(packet, text);
  end_part(packet, application);
  return packet;
}

std::vector<std::uint8_t> RtpStream::frames(std::uint8_t channel, wire::Bytes packets, SteadyTime now) {
  Bytes frames;
  frames.reserve(packets.size() + (packets.size() / kPayloadSize + 1) * (kFrameHeader + kHeaderSize));
  while (!packets.empty()) {
    const wire::Bytes payload = packets.first(std::min(packets.size(), kPayloadSize));
    packets = packets.subspan(payload.size());
    const Header own = header(payload.size(), now);
    begin_frame(frames, channel, own.size() + payload.size());
    frames.insert(frames.end(), own.begin(), own.end());
    frames.insert(frames.end(), payload.begin(), payload.end());
  }
  return frames;
}

std::vector<std::uint8_t> RtpStream::frame(std::uint8_t channel, wire::Bytes datagram) {
  Bytes frame;
  frame.reserve(kFrameHeader + datagram.size());
  begin_frame(frame, channel, datagram.size());
  frame.insert(frame.end(), datagram.begin(), datagram.end());
  return frame;
}

}  // namespace receiverd::satip
